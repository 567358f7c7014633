#include "engine/pictures/exif_orientation.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/pictures/picture_files.h"

namespace sumac::worker::exif_orientation_test {
namespace {

using Pixels = std::vector<std::uint8_t>;

/// 1 2 3
/// 4 5 6, and the same plus ten in a second channel.
Picture sixPixels() {
  return {2, 2, 3, {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16}};
}

Pixels firstChannel(const Picture& picture) {
  return {picture.pixels.begin(), picture.pixels.begin() + 6};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exif_orientation)

BOOST_AUTO_TEST_CASE(turns_a_picture_each_of_the_eight_ways) {
  const std::vector<Pixels> expected = {{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1},
                                        {4, 5, 6, 1, 2, 3}, {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3},
                                        {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Picture picture = turned(sixPixels(), orientation);
    BOOST_TEST_CONTEXT("orientation " << orientation) {
      BOOST_TEST(firstChannel(picture) == expected[static_cast<std::size_t>(orientation) - 1],
                 boost::test_tools::per_element());
      BOOST_TEST(picture.pixels[6] == picture.pixels[0] + 10);
      BOOST_TEST(picture.height == (orientation < 5 ? 2 : 3));
      BOOST_TEST(picture.width == (orientation < 5 ? 3 : 2));
    }
  }
}

BOOST_AUTO_TEST_CASE(reads_the_orientation_in_both_byte_orders) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    BOOST_TEST(exifOrientation(exifOf(orientation, false)) == orientation);
    BOOST_TEST(exifOrientation(exifOf(orientation, true)) == orientation);
  }
}

BOOST_AUTO_TEST_CASE(values_that_do_not_exist_mean_no_turn) {
  for (const int orientation : {0, 9, 256, 65535})
    BOOST_TEST(exifOrientation(exifOf(orientation, true)) == 1);
}

BOOST_AUTO_TEST_CASE(data_that_are_cut_anywhere_mean_no_turn) {
  const Bytes whole = exifOf(6, true);
  constexpr std::size_t kValue = 32;  // where the orientation ends
  for (std::size_t size = 0; size < whole.size(); ++size)
    BOOST_TEST(exifOrientation(BytesView(whole).first(size)) == (size < kValue ? 1 : 6));
}

BOOST_AUTO_TEST_CASE(an_offset_beyond_the_data_means_no_turn) {
  Bytes data = exifOf(6, true);
  for (const std::uint32_t offset : {0xFFFFFFFFU, 0xFFFFFFF8U, 38U, 39U}) {
    storeLittleEndian(data.data() + 4, offset);
    BOOST_TEST(exifOrientation(data) == 1);
  }
}

BOOST_AUTO_TEST_CASE(more_entries_than_data_are_read_up_to_the_end) {
  Bytes data = exifOf(6, true);
  storeLittleEndian(data.data() + 8, std::uint16_t{0xFFFF});
  BOOST_TEST(exifOrientation(data) == 6);
  data[22] = std::byte{0};  // now no entry is the orientation
  BOOST_TEST(exifOrientation(data) == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::exif_orientation_test
