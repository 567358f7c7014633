#include "engine/data/validation.h"

#include <algorithm>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/data/datasets.h"

namespace sumac::worker::validation_test {
namespace {

constexpr auto kPerElement = boost::test_tools::per_element();

/// The first pixel of each sample, which is twice its number.
std::vector<int> numbersOf(const Samples& samples) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < samples.pixels.size(); at += 2)
    numbers.push_back(samples.pixels[at] / 2);
  return numbers;
}

Images split(double share, std::uint64_t seed, int train = 50) {
  Images images = numberedImages(train, 5).images;
  splitValidation(images, share, seed);
  return images;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(validation)

BOOST_AUTO_TEST_CASE(every_sample_is_in_one_split_in_its_old_order_with_its_label) {
  const Images images = split(0.25, 1);

  BOOST_TEST(images.validation.count() == 12);
  BOOST_TEST(images.train.count() == 38);
  BOOST_TEST(images.test.count() == 5);
  const auto held_back = numbersOf(images.validation);
  const auto kept = numbersOf(images.train);
  BOOST_TEST(std::ranges::is_sorted(held_back));
  BOOST_TEST(std::ranges::is_sorted(kept));
  std::vector<int> all;
  std::ranges::merge(held_back, kept, std::back_inserter(all));
  for (int i = 0; i < 50; ++i)
    BOOST_TEST(all.at(static_cast<std::size_t>(i)) == i);
  for (std::size_t i = 0; i < held_back.size(); ++i)
    BOOST_TEST(images.validation.labels[i] == held_back[i] % 10);
  for (std::size_t i = 0; i < kept.size(); ++i)
    BOOST_TEST(images.train.labels[i] == kept[i] % 10);
  BOOST_TEST(images.validation.shape == images.train.shape, kPerElement);
}

BOOST_AUTO_TEST_CASE(the_seed_selects_the_samples) {
  const std::vector<int> expected = numbersOf(split(0.2, 1).validation);
  BOOST_TEST(numbersOf(split(0.2, 1).validation) == expected, kPerElement);
  BOOST_TEST((numbersOf(split(0.2, 2).validation) != expected));
}

// These numbers never change: jobs are resumed with other versions.
BOOST_AUTO_TEST_CASE(selects_the_same_samples_on_every_machine) {
  const std::vector<int> expected = {4, 5, 9, 11, 20};
  BOOST_TEST(numbersOf(split(0.1, 1).validation) == expected, kPerElement);
}

BOOST_AUTO_TEST_CASE(holds_back_at_least_one_and_never_all) {
  BOOST_TEST(split(0.001, 1).validation.count() == 1);
  BOOST_TEST(split(0.999, 1).train.count() == 1);
  BOOST_TEST(split(0, 1).validation.count() == 0);
  BOOST_TEST(split(0.5, 1, 2).train.count() == 1);
}

BOOST_AUTO_TEST_CASE(splits_values_as_pixels) {
  Images images;
  images.train = {.shape = {2}};
  for (int i = 0; i < 50; ++i) {
    images.train.values.insert(images.train.values.end(), {static_cast<float>(i), 0.5F});
    images.train.labels.push_back(static_cast<std::uint16_t>(i));
  }
  splitValidation(images, 0.2, 1);

  const std::vector<int> expected = numbersOf(split(0.2, 1).validation);
  BOOST_REQUIRE(images.validation.values.size() == 2 * expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    BOOST_TEST(images.validation.values[2 * i] == static_cast<float>(expected[i]));
    BOOST_TEST(images.validation.labels[i] == expected[i]);
  }
  BOOST_TEST(images.train.values.size() == 2 * images.train.labels.size());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::validation_test
