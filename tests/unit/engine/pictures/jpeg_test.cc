#include <cstdlib>

#include <boost/test/unit_test.hpp>

#include "base/core/crc32c.h"
#include "engine/pictures/picture.h"
#include "tests/support/pictures/picture_files.h"

namespace sumac::worker::jpeg_test {
namespace {

Picture decoded(const Bytes& file, const DecodeOptions& options = {}) {
  auto picture = decodePicture(file, options);
  BOOST_REQUIRE_MESSAGE(picture, (picture ? "" : picture.error().message));
  return *std::move(picture);
}

int largestDifference(const Picture& a, const Picture& b) {
  BOOST_REQUIRE(a.pixels.size() == b.pixels.size());
  int largest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  return largest;
}

std::uint32_t checksum(const Picture& picture) {
  return crc32c(std::as_bytes(std::span(picture.pixels)));
}

Picture noisyPicture(PictureSize size) {
  Picture picture = gradientPicture(3, size);
  std::uint32_t state = 1;
  for (std::uint8_t& pixel : picture.pixels) {
    state = state * 1664525U + 1013904223U;
    pixel = static_cast<std::uint8_t>(pixel + (state >> 26U));
  }
  return picture;
}

/// A file with a segment after its first two bytes.
Bytes withSegment(const Bytes& file, const Bytes& segment) {
  Bytes all(file.begin(), file.begin() + 2);
  all.insert(all.end(), segment.begin(), segment.end());
  all.insert(all.end(), file.begin() + 2, file.end());
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(jpeg)

BOOST_AUTO_TEST_CASE(gives_back_nearly_the_pixels_that_were_written) {
  for (const int channels : {1, 3}) {
    for (const bool is_progressive : {false, true}) {
      const Picture original = gradientPicture(channels, {33, 50});
      const Picture picture = decoded(jpegOf(original, {.is_progressive = is_progressive}));
      BOOST_TEST(picture.channels == channels);
      BOOST_TEST(picture.height == 33);
      BOOST_TEST(picture.width == 50);
      BOOST_TEST(largestDifference(picture, original) <= 3);
    }
  }
}

// On every processor: this runs with libjpeg-turbo's plain code, too (unit.engine_pictures_plain).
BOOST_AUTO_TEST_CASE(the_bits_are_fixed) {
  const JpegOptions subsampled{.quality = 80, .is_subsampled = true};
  const Bytes file = jpegOf(noisyPicture({203, 301}), subsampled);
  BOOST_TEST(checksum(decoded(file)) == 1399292705U);
  BOOST_TEST(checksum(decoded(file, {.resize = PictureSize{102, 151}})) == 3332365426U);
  BOOST_TEST(checksum(decoded(file, {.resize = PictureSize{51, 76}})) == 732948371U);
  BOOST_TEST(checksum(decoded(file, {.resize = PictureSize{26, 38}})) == 821317195U);
  BOOST_TEST(checksum(decoded(file, {.resize = PictureSize{20, 20}})) == 2209595093U);
}

BOOST_AUTO_TEST_CASE(is_turned_as_its_exif_orientation_says) {
  const Picture original = gradientPicture(3, {16, 24});
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Bytes file = jpegOf(original, {.orientation = orientation});
    const auto head = readPictureHead(file);
    BOOST_REQUIRE(head);
    const Picture picture = decoded(file);
    BOOST_TEST(picture.height == (orientation < 5 ? 16 : 24));
    BOOST_TEST(head->shown().height == picture.height);
    BOOST_TEST(head->shown().width == picture.width);
    // Where the top left corner, which is the darkest, has gone.
    const bool is_right =
        orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
    const bool is_below =
        orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    const int x = is_right ? picture.width - 1 : 0;
    const int y = is_below ? picture.height - 1 : 0;
    const auto corner =
        picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                       static_cast<std::size_t>(x)];
    BOOST_TEST(corner <= 5);
  }
}

BOOST_AUTO_TEST_CASE(a_turned_picture_covers_the_size_that_is_asked_for) {
  const Bytes file = jpegOf(gradientPicture(1, {400, 100}), {.orientation = 6});
  const Picture picture = decoded(file, {.resize = PictureSize{50, 200}});
  BOOST_TEST(picture.height == 50);
  BOOST_TEST(picture.width == 200);
}

BOOST_AUTO_TEST_CASE(a_smaller_picture_is_close_to_the_whole_one_scaled) {
  const Picture original = gradientPicture(1, {800, 640});
  const DecodeOptions small{.resize = PictureSize{100, 80}};
  const Picture from_jpeg = decoded(jpegOf(original), small);
  const Picture from_png = decoded(pngOf(original), small);
  BOOST_TEST(largestDifference(from_jpeg, from_png) <= 2);
}

BOOST_AUTO_TEST_CASE(bytes_too_many_between_and_behind_are_harmless) {
  const Bytes file = jpegOf(gradientPicture(1, {8, 8}));
  const Picture expected = decoded(file);
  Bytes longer = file;
  longer.insert(longer.end(), 10, std::byte{'x'});  // as of pictures within pictures
  BOOST_TEST(decoded(longer).pixels == expected.pixels, boost::test_tools::per_element());
  Bytes padded = file;
  padded.insert(padded.end() - 2, 5, std::byte{'x'});  // before the marker of the end
  BOOST_TEST(decoded(padded).pixels == expected.pixels, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_exif_segment_of_garbage_is_passed_over) {
  const Bytes file = jpegOf(gradientPicture(1, {8, 8}));
  Bytes segment = {std::byte{0xFF}, std::byte{0xE1}, std::byte{0}, std::byte{12}};
  for (const char letter : std::string_view("Exif\0\0MM\xFF\xFF", 10))
    segment.push_back(static_cast<std::byte>(letter));
  BOOST_TEST(decoded(withSegment(file, segment)).pixels == decoded(file).pixels,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::jpeg_test
