#include <boost/test/unit_test.hpp>

#include "engine/pictures/picture.h"
#include "tests/support/pictures/picture_files.h"

namespace sumac::worker::png_test {
namespace {

using Pixels = std::vector<std::uint8_t>;

Picture decoded(const Bytes& file, int channels = 0) {
  auto picture = decodePicture(file, {.channels = channels});
  BOOST_REQUIRE_MESSAGE(picture, (picture ? "" : picture.error().message));
  return *std::move(picture);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(png)

BOOST_AUTO_TEST_CASE(gives_back_each_pixel_channel_by_channel) {
  for (const int channels : {1, 3}) {
    const Picture original = gradientPicture(channels, {5, 7});
    const Picture picture = decoded(pngOf(original));
    BOOST_TEST(picture.channels == channels);
    BOOST_TEST(picture.height == 5);
    BOOST_TEST(picture.width == 7);
    BOOST_TEST(picture.pixels == original.pixels, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(an_interlaced_file_has_the_same_pixels) {
  PngFile file{.height = 9, .width = 11, .rows = gradientPicture(1, {9, 11}).pixels};
  const Picture plain = decoded(encode(file));
  file.is_interlaced = true;
  BOOST_TEST(decoded(encode(file)).pixels == plain.pixels, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(gray_of_fewer_bits_becomes_bytes) {
  const Picture one = decoded(encode({.width = 4, .bits = 1, .rows = {0b10110000}}));
  BOOST_TEST(one.pixels == (Pixels{255, 0, 255, 255}), boost::test_tools::per_element());
  const Picture two = decoded(encode({.width = 4, .bits = 2, .rows = {0b00011011}}));
  BOOST_TEST(two.pixels == (Pixels{0, 85, 170, 255}), boost::test_tools::per_element());
  const Picture four = decoded(encode({.width = 2, .bits = 4, .rows = {0x1F}}));
  BOOST_TEST(four.pixels == (Pixels{17, 255}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_palette_becomes_its_colors) {
  for (const int bits : {1, 2, 4, 8}) {
    PngFile file{.width = 2, .colors = 3, .bits = bits, .palette = {{1, 2, 3}, {40, 50, 60}}};
    // The second color, then the first.
    file.rows = bits == 8 ? Pixels{1, 0} : Pixels{static_cast<std::uint8_t>(1U << (8 - bits))};
    const Picture picture = decoded(encode(file));
    BOOST_TEST(picture.channels == 3);
    BOOST_TEST(picture.pixels == (Pixels{40, 1, 50, 2, 60, 3}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(gray_becomes_three_equal_channels) {
  const Picture picture = decoded(encode({.width = 2, .rows = {7, 200}}), 3);
  BOOST_TEST(picture.channels == 3);
  BOOST_TEST(picture.pixels == (Pixels{7, 200, 7, 200, 7, 200}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(colors_become_gray_by_a_formula_of_integers) {
  const PngFile file{.width = 5,
                     .colors = 2,
                     .rows = {255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30}};
  const Picture picture = decoded(encode(file), 1);
  BOOST_TEST(picture.channels == 1);
  BOOST_TEST(picture.pixels == (Pixels{255, 76, 150, 29, 18}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_head_alone_tells_size_and_channels) {
  const Bytes file = pngOf(gradientPicture(3, {300, 200}));
  const auto head = readPictureHead(BytesView(file).first(64));
  BOOST_REQUIRE(head);
  BOOST_CHECK(head->format == PictureFormat::kPng);
  BOOST_TEST(head->channels == 3);
  BOOST_TEST(head->shown().height == 300);
  BOOST_TEST(head->shown().width == 200);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::png_test
