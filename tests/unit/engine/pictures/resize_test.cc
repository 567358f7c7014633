#include "engine/pictures/resize.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "base/core/crc32c.h"
#include "tests/support/pictures/picture_files.h"

namespace sumac::worker::resize_test {
namespace {

using Pixels = std::vector<std::uint8_t>;

Picture gray(int height, int width, Pixels pixels) {
  return {1, height, width, std::move(pixels)};
}

void becomes(const Picture& picture, PictureSize size, const Pixels& expected) {
  const Picture result = resized(picture, size);
  BOOST_TEST(result.height == size.height);
  BOOST_TEST(result.width == size.width);
  BOOST_TEST(result.pixels == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resize)

BOOST_AUTO_TEST_CASE(the_same_size_changes_nothing) {
  const Picture picture = gradientPicture(3, {4, 6});
  becomes(picture, {4, 6}, picture.pixels);
}

// Weights of 1, 3, 3 and 1 eighth; at the edges 3, 3 and 1 of 7.
BOOST_AUTO_TEST_CASE(half_the_size_blends_as_the_triangle_says) {
  becomes(gray(1, 1, {9}), {1, 1}, {9});
  becomes(gray(2, 2, {0, 100, 100, 200}), {1, 1}, {100});
  becomes(gray(2, 8,
               {0, 0, 80, 80, 160, 160, 240, 240,  //
                0, 0, 80, 80, 160, 160, 240, 240}),
          {1, 4}, {11, 80, 160, 229});
}

BOOST_AUTO_TEST_CASE(twice_the_size_blends_neighbors) {
  becomes(gray(1, 2, {0, 100}), {2, 4}, {0, 25, 75, 100, 0, 25, 75, 100});
}

BOOST_AUTO_TEST_CASE(the_middle_is_cut_out_of_what_covers_the_size) {
  // Three times as wide as high.
  becomes(gray(1, 3, {10, 20, 30}), {1, 1}, {20});
  becomes(gray(3, 1, {10, 20, 30}), {1, 1}, {20});
  // One of two columns is too many: the left one stays.
  becomes(gray(1, 2, {10, 20}), {1, 1}, {10});
}

BOOST_AUTO_TEST_CASE(one_color_stays_that_color) {
  for (const PictureSize size : {PictureSize{1, 1}, {3, 50}, {17, 9}, {400, 300}}) {
    const Picture result = resized({3, 37, 41, Pixels(3 * 37 * 41, 201)}, size);
    BOOST_TEST(std::ranges::all_of(result.pixels, [](int pixel) { return pixel == 201; }));
  }
}

BOOST_AUTO_TEST_CASE(the_bits_are_fixed) {
  const Picture picture = gradientPicture(3, {123, 77});
  const auto checksum = [&](PictureSize size) {
    const Picture result = resized(picture, size);
    return crc32c(std::as_bytes(std::span(result.pixels)));
  };
  BOOST_TEST(checksum({28, 28}) == 950359051U);
  BOOST_TEST(checksum({100, 31}) == 90386152U);
  BOOST_TEST(checksum({200, 150}) == 4266611740U);
}

BOOST_AUTO_TEST_CASE(the_longest_side_fits_the_sums) {
  Pixels pixels(65'535, 255);
  becomes(gray(1, 65'535, pixels), {1, 1}, {255});
  becomes(gray(65'535, 1, pixels), {1, 1}, {255});
  // The least that a pixel can weigh.
  const Picture all = resized(gray(65'535, 1, std::move(pixels)), {2, 2});
  BOOST_TEST(all.pixels == (Pixels{255, 255, 255, 255}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_size_of_nothing_is_a_bug) {
  BOOST_CHECK_THROW(resized(gray(1, 1, {9}), {0, 1}), InvariantViolation);
  BOOST_CHECK_THROW(resized(gray(1, 1, {9}), {1, 65'536}), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::resize_test
