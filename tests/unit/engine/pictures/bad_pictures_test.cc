// Files that must be refused, by the head where it tells.
#include <boost/test/unit_test.hpp>

#include "engine/pictures/picture.h"
#include "tests/support/pictures/picture_files.h"

namespace sumac::worker::bad_pictures_test {
namespace {

/// The message for a file that its head and its decoder refuse with the same words.
void refusedByItsHead(BytesView file, std::string_view what, std::string_view remedy) {
  const auto head = readPictureHead(file);
  BOOST_REQUIRE(!head);
  BOOST_TEST(head.error().code == ErrorCode::kInvalid);
  const std::string& message = head.error().message;
  BOOST_TEST(message.find(what) != std::string::npos, message);
  BOOST_TEST(message.find(remedy) != std::string::npos, message);
  const auto picture = decodePicture(file);
  BOOST_REQUIRE(!picture);
  BOOST_TEST(picture.error().message == message);
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

BOOST_AUTO_TEST_CASE(sixteen_bits_a_channel) {
  refusedByItsHead(encode({.bits = 16, .rows = {0, 0}}), "16 bits a channel", "-depth 8");
}

BOOST_AUTO_TEST_CASE(transparency_of_each_kind) {
  refusedByItsHead(encode({.colors = 4, .rows = {0, 0}}), "alpha channel", "-alpha remove");
  refusedByItsHead(encode({.colors = 6, .rows = {0, 0, 0, 0}}), "alpha channel", "-alpha remove");
  refusedByItsHead(encode({.colors = 3, .is_transparent = true, .palette = {{1, 2, 3}}}),
                   "alpha channel", "-alpha remove");
  refusedByItsHead(encode({.colors = 2, .is_transparent = true}), "alpha channel", "-alpha remove");
}

BOOST_AUTO_TEST_CASE(the_colors_of_print) {
  refusedByItsHead(jpegOf(gradientPicture(4, {8, 8})), "CMYK", "-colorspace sRGB");
}

BOOST_AUTO_TEST_CASE(twelve_bits_a_channel) {
  Bytes file = jpegOf(gradientPicture(1, {8, 8}));
  file[frameOf(file) + 4] = std::byte{12};
  refusedByItsHead(file, "12 bits a channel", "-depth 8");
}

BOOST_AUTO_TEST_CASE(two_channels) {
  Bytes file = jpegOf(gradientPicture(1, {8, 8}));
  file[frameOf(file) + 9] = std::byte{2};
  refusedByItsHead(file, "2 channels", "convert in.jpg out.png");
}

BOOST_AUTO_TEST_CASE(more_pixels_than_memory_has_room_for) {
  refusedByItsHead(pngHeadOf(60'000, 60'000), "60000x60000", "-resize");
  Bytes jpeg = jpegOf(gradientPicture(1, {8, 8}));
  for (const std::size_t at : {5U, 7U}) {
    jpeg[frameOf(jpeg) + at] = std::byte{0xEA};
    jpeg[frameOf(jpeg) + at + 1] = std::byte{0x60};
  }
  refusedByItsHead(jpeg, "60000x60000", "-resize");
}

BOOST_AUTO_TEST_CASE(the_limit_of_pixels_is_exact) {
  BOOST_TEST(readPictureHead(pngHeadOf(10'000, 10'000)).has_value());
  refusedByItsHead(pngHeadOf(10'000, 10'001), "100000000", "-resize");
  const Bytes small = pngOf(gradientPicture(1, {3, 4}));
  BOOST_TEST(decodePicture(small, {.max_pixels = 12}).has_value());
  BOOST_TEST(!decodePicture(small, {.max_pixels = 11}));
}

BOOST_AUTO_TEST_CASE(a_side_that_is_too_long) {
  BOOST_TEST(readPictureHead(pngHeadOf(65'535, 1)).has_value());
  refusedByItsHead(pngHeadOf(65'536, 1), "65536x1", "cut it");
}

BOOST_AUTO_TEST_CASE(no_pixels) {
  refusedByItsHead(pngHeadOf(0, 4), "no pixels", "remove it");
}

BOOST_AUTO_TEST_CASE(other_files) {
  refusedByItsHead({}, "is empty", "copy it again");
  refusedByItsHead(asBytes("GIF89a"), "neither a PNG nor a JPEG", "convert in out.png");
  refusedByItsHead(asBytes("\x89PNG"), "cut short", "copy it again");
  refusedByItsHead(asBytes("\xFF\xD8\xFF\xDA----"), "cut short", "copy it again");
}

BOOST_AUTO_TEST_CASE(a_jpeg_without_a_size) {
  const std::string file("\xFF\xD8\xFF\xDA\0\4--", 8);
  refusedByItsHead(asBytes(file), "without a size", "copy it again");
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
