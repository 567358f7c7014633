#include "engine/data/samples.h"

#include <array>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/data/dataset.h"

namespace sumac::worker::samples_test {
namespace {

constexpr auto kPerElement = boost::test_tools::per_element();

/// The inputs of the sample at `index`.
std::vector<float> inputsOf(const Samples& samples, std::int64_t index) {
  std::vector<float> inputs(static_cast<std::size_t>(model::count(samples.shape)));
  std::int32_t label = 0;
  gather(samples, std::array{index}, inputs, {&label, 1});
  return inputs;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(samples)

BOOST_AUTO_TEST_CASE(normalizes_each_channel_of_scaled_pixels) {
  const Samples samples{.shape = {2, 1, 2},
                        .pixels = {0, 255, 51, 102},
                        .labels = {0},
                        .normalization = {.mean = {0.5F, 0.2F}, .deviation = {0.25F, 2.0F}}};

  const std::vector<float> expected = {-2.0F, 2.0F, 0.0F, (102.0F / 255.0F - 0.2F) / 2.0F};
  BOOST_TEST(inputsOf(samples, 0) == expected, kPerElement);
}

BOOST_AUTO_TEST_CASE(takes_values_as_they_are_or_normalizes_each_feature) {
  Samples samples{
      .shape = {3}, .values = {1.0F, 2.0F, 3.0F, -4.0F, 5.0F, 6.5F}, .labels = {300, 65'535}};

  const std::vector<float> plain = {-4.0F, 5.0F, 6.5F};
  BOOST_TEST(inputsOf(samples, 1) == plain, kPerElement);
  samples.normalization = {.mean = {0.0F, 1.0F, 2.0F}, .deviation = {1.0F, 2.0F, 0.5F}};
  const std::vector<float> normalized = {-4.0F, 2.0F, 9.0F};
  BOOST_TEST(inputsOf(samples, 1) == normalized, kPerElement);
}

BOOST_AUTO_TEST_CASE(labels_have_sixteen_bits) {
  const Samples samples{.shape = {1}, .values = {1.0F, 2.0F}, .labels = {300, 65'535}};

  std::array<float, 2> inputs{};
  std::array<std::int32_t, 2> labels{};
  gatherRange(samples, 0, inputs, labels);
  BOOST_TEST(labels[0] == 300);
  BOOST_TEST(labels[1] == 65'535);
}

BOOST_AUTO_TEST_CASE(the_fingerprint_tells_values_wide_labels_and_names_apart) {
  const Samples samples{.shape = {1}, .values = {1.0F, 2.0F}, .labels = {0, 1}};
  const Images images{.train = samples, .test = samples, .classes = 2};
  Images other_value = images;
  other_value.train.values[1] = 2.5F;
  Images other_label = images;
  other_label.train.labels[1] = 257;  // its low byte is the same
  Images named = images;
  named.class_names = {"cat", "dog"};

  const auto fingerprint = makeDataset(images).fingerprint;
  for (const Images& other : {other_value, other_label, named})
    BOOST_TEST(makeDataset(other).fingerprint != fingerprint);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::samples_test
