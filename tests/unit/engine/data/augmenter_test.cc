#include "engine/data/augmenter.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/crc32c.h"
#include "tests/unit/engine/data/allocations.h"

namespace sumac::worker::augmenter_test {
namespace {

using Pixels = std::vector<std::uint8_t>;
constexpr auto kPerElement = boost::test_tools::per_element();

/// Images of 2 channels, 5 rows and 4 columns, all pixels different from zero.
Samples someImages(int count) {
  Samples samples{.shape = {2, 5, 4}};
  for (int i = 0; i < count * 40; ++i)
    samples.pixels.push_back(static_cast<std::uint8_t>(1 + i % 255));
  samples.labels.resize(static_cast<std::size_t>(count));
  return samples;
}

Pixels imageOf(const Samples& samples, std::int64_t index) {
  const std::int64_t size = model::count(samples.shape);
  const auto begin = samples.pixels.begin() + index * size;
  return {begin, begin + size};
}

Pixels changed(const job::AugmentSpec& spec, const Samples& samples, std::int64_t epoch,
               std::int64_t index, std::uint64_t seed = 1) {
  Augmenter augmenter(spec, samples.shape, seed);
  Pixels pixels(static_cast<std::size_t>(model::count(samples.shape)), 77);
  augmenter.change(imageOf(samples, index), epoch, index, pixels);
  return pixels;
}

Pixels mirrored(Pixels pixels, int columns) {
  for (auto row = pixels.begin(); row != pixels.end(); row += columns)
    std::reverse(row, row + columns);
  return pixels;
}

/// `pixels` moved down and to the right, black where nothing comes in.
std::size_t indexOf(int place) {
  return static_cast<std::size_t>(place);
}

Pixels moved(const Pixels& pixels, int down, int right) {
  Pixels result;
  for (int channel = 0; channel < 2; ++channel) {
    for (int row = 0; row < 5; ++row) {
      for (int column = 0; column < 4; ++column) {
        const int r = row - down;
        const int c = column - right;
        const bool is_inside = r >= 0 && r < 5 && c >= 0 && c < 4;
        result.push_back(is_inside ? pixels.at(indexOf((channel * 5 + r) * 4 + c)) : 0);
      }
    }
  }
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(augmenter)

BOOST_AUTO_TEST_CASE(mirrors_half_of_the_images_others_in_another_epoch) {
  const Samples samples = someImages(200);
  std::vector<bool> before;
  for (const std::int64_t epoch : {0, 1}) {
    std::vector<bool> flipped;
    for (std::int64_t i = 0; i < 200; ++i) {
      const Pixels image = imageOf(samples, i);
      const Pixels now = changed({.flip = true}, samples, epoch, i);
      flipped.push_back(now != image);
      BOOST_TEST(now == (flipped.back() ? mirrored(image, 4) : image), kPerElement);
    }
    const auto count = std::ranges::count(flipped, true);
    BOOST_TEST(count > 70);
    BOOST_TEST(count < 130);
    BOOST_TEST((flipped != before));
    before = flipped;
  }
}

BOOST_AUTO_TEST_CASE(moves_by_at_most_the_padding_to_every_place) {
  const Samples samples = someImages(300);
  std::set<std::pair<int, int>> places;
  for (std::int64_t i = 0; i < 300; ++i) {
    const Pixels now = changed({.crop = 2}, samples, 3, i);
    for (int down = -2; down <= 2; ++down) {
      for (int right = -2; right <= 2; ++right) {
        if (now == moved(imageOf(samples, i), down, right)) places.insert({down, right});
      }
    }
  }
  BOOST_TEST(places.size() == 25U);
}

BOOST_AUTO_TEST_CASE(mirrors_then_moves) {
  const Samples samples = someImages(100);
  int mirrored_and_moved = 0;
  for (std::int64_t i = 0; i < 100; ++i) {
    const Pixels now = changed({.flip = true, .crop = 1}, samples, 0, i);
    const Pixels image = imageOf(samples, i);
    bool is_found = false;
    for (int down = -1; down <= 1; ++down) {
      for (int right = -1; right <= 1; ++right) {
        is_found = is_found || now == moved(image, down, right);
        if (now != moved(mirrored(image, 4), down, right)) continue;
        is_found = true;
        if (down != 0 && right != 0) ++mirrored_and_moved;
      }
    }
    BOOST_TEST(is_found, i);
  }
  BOOST_TEST(mirrored_and_moved > 5);
}

BOOST_AUTO_TEST_CASE(turns_about_the_centre_by_at_most_the_angle) {
  // A bright dot near the right side's middle of a large black image.
  constexpr int kSide = 41;
  Samples samples{.shape = {1, kSide, kSide}, .labels = {0}};
  samples.pixels.assign(kSide * kSide, 0);
  for (const int row : {19, 20, 21})
    for (const int column : {35, 36, 37})
      samples.pixels[indexOf(row * kSide + column)] = 255;
  double lowest = 0;
  double highest = 0;
  for (std::int64_t epoch = 0; epoch < 200; ++epoch) {
    const Pixels now = changed({.rotate = 30}, samples, epoch, 0);
    double row_sum = 0;
    double column_sum = 0;
    double sum = 0;
    for (int at = 0; at < kSide * kSide; ++at) {
      const double value = now[static_cast<std::size_t>(at)];
      sum += value;
      const int row = at / kSide;
      row_sum += value * (row - 20);
      column_sum += value * (at % kSide - 20);
    }
    BOOST_TEST(std::hypot(row_sum, column_sum) / sum == 16.0, boost::test_tools::tolerance(0.01));
    const double degrees = std::atan2(row_sum, column_sum) * 57.29578;
    lowest = std::min(lowest, degrees);
    highest = std::max(highest, degrees);
  }
  BOOST_TEST(highest > 25.0);
  BOOST_TEST(highest < 30.2);
  BOOST_TEST(lowest < -25.0);
  BOOST_TEST(lowest > -30.2);
}

// These bits never change: jobs are resumed on other machines.
BOOST_AUTO_TEST_CASE(gives_the_same_bits_on_every_machine) {
  const Samples samples = someImages(20);
  std::uint32_t crc = 0;
  for (std::int64_t i = 0; i < 20; ++i) {
    const Pixels now = changed({.flip = true, .crop = 2, .rotate = 180}, samples, 5, i, 7);
    crc = crc32c(std::as_bytes(std::span(now)), crc);
  }
  BOOST_TEST(crc == 1473999290U);
}

BOOST_AUTO_TEST_CASE(does_not_allocate) {
  const Samples samples = someImages(2);
  Augmenter augmenter({.flip = true, .crop = 2, .rotate = 10}, samples.shape, 1);
  const Pixels image = imageOf(samples, 1);
  Pixels pixels(40);

  const auto before = allocations();
  for (std::int64_t epoch = 0; epoch < 20; ++epoch)
    augmenter.change(image, epoch, 1, pixels);

  BOOST_TEST(allocations() == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::augmenter_test
