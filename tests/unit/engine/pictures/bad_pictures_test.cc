// Files that must be refused, by the head where it tells.
#include <boost/test/unit_test.hpp>

#include "engine/pictures/picture.h"
#include "tests/support/pictures/picture_files.h"
#include "tests/support/refusals.h"

namespace sumac::worker::bad_pictures_test {
namespace {

/// What the head says; the decoder refuses the file with the same words.
Result<PictureHead> headOf(BytesView file) {
  auto head = readPictureHead(file);
  const auto picture = decodePicture(file);
  BOOST_REQUIRE((!head && !picture));
  BOOST_TEST(picture.error().message == head.error().message);
  return head;
}

/// Requires that no beginning of the file up to `size` bytes is taken.
void refusedIfCut(const Bytes& file, std::size_t size) {
  constexpr std::size_t kStep = 97;
  for (std::size_t length = 0; length < size; length += kStep) {
    const auto picture = decodePicture(BytesView(file).first(length));
    BOOST_TEST_CONTEXT(length << " of " << file.size() << " bytes") {
      BOOST_REQUIRE(!picture);
      BOOST_TEST(picture.error().code == ErrorCode::kInvalid);
    }
  }
  BOOST_TEST(!decodePicture(BytesView(file).first(size - 1)));
  BOOST_TEST(decodePicture(file).has_value());
}

Bytes bytesOf(std::string_view text) {
  const BytesView bytes = asBytes(text);
  return {bytes.begin(), bytes.end()};
}

Bytes pngHeadOf(std::uint32_t width, std::uint32_t height) {
  Bytes file = encode({});
  for (std::size_t i = 0; i < 4; ++i) {
    file[16 + i] = static_cast<std::byte>(width >> (24 - 8 * i) & 255U);
    file[20 + i] = static_cast<std::byte>(height >> (24 - 8 * i) & 255U);
  }
  return file;
}

/// The index of the segment that starts the frame.
std::size_t frameOf(const Bytes& file) {
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xFF} &&
        (file[i + 1] == std::byte{0xC0} || file[i + 1] == std::byte{0xC2}))
      return i;
  }
  return 0;
}

/// A file whose last scan comes `times` times.
Bytes withScans(const Bytes& file, int times) {
  std::size_t last = 0;
  for (std::size_t i = 0; i + 1 < file.size(); ++i)
    if (file[i] == std::byte{0xFF} && file[i + 1] == std::byte{0xDA}) last = i;
  const Bytes scan(file.begin() + static_cast<std::ptrdiff_t>(last), file.end() - 2);
  Bytes all(file.begin(), file.end() - 2);
  for (int i = 1; i < times; ++i)
    all.insert(all.end(), scan.begin(), scan.end());
  all.insert(all.end(), file.end() - 2, file.end());
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bad_pictures)

BOOST_AUTO_TEST_CASE(files_that_the_head_tells_of) {
  const Picture gray = gradientPicture(1, {8, 8});
  const auto changed = [](Bytes file, std::size_t at, int value) {
    file[frameOf(file) + at] = static_cast<std::byte>(value);
    return file;
  };
  Bytes large = jpegOf(gray);
  for (const std::size_t at : {5U, 7U})
    large = changed(changed(large, at, 0xEA), at + 1, 0x60);
  const std::pair<const char*, Bytes> kCases[] = {
      {"PNG of 16 bits", encode({.bits = 16, .rows = {0, 0}})},
      {"gray with alpha", encode({.colors = 4, .rows = {0, 0}})},
      {"colored with alpha", encode({.colors = 6, .rows = {0, 0, 0, 0}})},
      {"a transparent color of a palette",
       encode({.colors = 3, .is_transparent = true, .palette = {{1, 2, 3}}})},
      {"a transparent color", encode({.colors = 2, .is_transparent = true})},
      {"CMYK", jpegOf(gradientPicture(4, {8, 8}))},
      {"JPEG of 12 bits", changed(jpegOf(gray), 4, 12)},
      {"JPEG of 2 channels", changed(jpegOf(gray), 9, 2)},
      {"a large PNG", pngHeadOf(60'000, 60'000)},
      {"a large JPEG", large},
      {"above the limit of pixels", pngHeadOf(10'000, 10'001)},
      {"a long side", pngHeadOf(65'536, 1)},
      {"no pixels", pngHeadOf(0, 4)},
      {"nothing", {}},
      {"GIF", bytesOf("GIF89a")},
      {"PNG cut short", bytesOf("\x89PNG")},
      {"JPEG cut short", bytesOf("\xFF\xD8\xFF\xDA----")},
      {"JPEG of no size", bytesOf(std::string_view("\xFF\xD8\xFF\xDA\0\4--", 8))}};
  test::Refusals refusals;
  for (const auto& [name, file] : kCases)
    refusals.add(name, headOf(file));
  refusals.compareWith("engine/pictures/bad_heads.txt");
}

BOOST_AUTO_TEST_CASE(the_limits_are_exact) {
  BOOST_TEST(readPictureHead(pngHeadOf(10'000, 10'000)).has_value());
  BOOST_TEST(readPictureHead(pngHeadOf(65'535, 1)).has_value());
  const Bytes small = pngOf(gradientPicture(1, {3, 4}));
  BOOST_TEST(decodePicture(small, {.max_pixels = 12}).has_value());
  BOOST_TEST(!decodePicture(small, {.max_pixels = 11}));
}

BOOST_AUTO_TEST_CASE(files_cut_anywhere) {
  const Bytes png = pngOf(gradientPicture(3, {60, 80}));
  refusedIfCut(png, png.size());
  for (const bool is_progressive : {false, true}) {
    const Bytes jpeg = jpegOf(gradientPicture(3, {60, 80}), {.is_progressive = is_progressive});
    refusedIfCut(jpeg, jpeg.size());
  }
}

BOOST_AUTO_TEST_CASE(a_png_whose_bits_have_flipped) {
  Bytes file = pngOf(gradientPicture(1, {20, 20}));
  file[file.size() / 2] ^= std::byte{1};
  const auto picture = decodePicture(file);
  BOOST_REQUIRE(!picture);
  BOOST_TEST(picture.error().message.find("damaged") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_progressive_file_of_endless_scans) {
  const Bytes file = jpegOf(gradientPicture(1, {16, 16}), {.has_two_scans = true});
  BOOST_TEST(decodePicture(withScans(file, 63)).has_value());
  const auto picture = decodePicture(withScans(file, 64));
  BOOST_REQUIRE(!picture);
  BOOST_TEST(picture.error().message.find("more than 64 scans") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::bad_pictures_test
