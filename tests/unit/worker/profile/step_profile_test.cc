#include "worker/profile/step_profile.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "job/profile/profile_use.h"
#include "tests/support/kernel_variants.h"
#include "tests/support/refusals.h"

namespace sumac::worker::step_profile_test {
namespace {

constexpr ProfileEffort kShort{
    .least_time = Duration::zero(), .least_samples = 1, .most_samples = 1};

model::Network zooNetwork(const char* name, model::TextExtents text = {}) {
  return *model::resolve(*model::fromZoo(name), text);
}

std::vector<std::string> namesOf(const BatchProfile& batch) {
  std::vector<std::string> names;
  for (const LayerProfile& layer : batch.layers)
    names.push_back(layer.name);
  return names;
}

std::int64_t parametersOf(const BatchProfile& batch) {
  std::int64_t values = 0;
  for (const GradientTime& tensor : backwardTimes(batch).tensors)
    values += tensor.values;
  return values;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(step_profile)

BOOST_AUTO_TEST_CASE(knows_the_layers_of_an_image_network_and_their_tensors) {
  const auto network = zooNetwork("lenet5");
  const auto batch =
      profileStep({}, network, everyVariant().back(), {.samples = 20}, SystemClock(), kShort);

  BOOST_TEST_REQUIRE(batch.has_value());
  BOOST_TEST(batch->forward.median > 0);
  BOOST_TEST(batch->backward.median > 0);
  BOOST_TEST(batch->workspace_bytes > 0);
  BOOST_TEST(parametersOf(*batch) == network.parameters);
  // The last layer's gradients come first.
  const auto tensors = backwardTimes(*batch).tensors;
  BOOST_TEST(
      tensors.front().tensor.starts_with(network.layers[network.layers.size() - 2].spec.name));
  BOOST_TEST(tensors.back().tensor.starts_with(network.layers.front().spec.name));
  double update = 0;
  for (const LayerProfile& layer : batch->layers)
    update += layer.update_seconds;
  BOOST_TEST(update == batch->update.median, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(std::ranges::count(namesOf(*batch), network.layers.back().spec.name) == 1);  // loss
}

BOOST_AUTO_TEST_CASE(knows_the_layers_of_a_text_network_and_their_tensors) {
  const auto network =
      model::resolve({.name = "words",
                      .input = {4},
                      .layers = {{"embed", model::Embedding{8}, {}},
                                 {"lstm", model::Lstm{.outputs = 8, .layers = 2}, {}},
                                 {"out", model::Dense{}, {}},
                                 {"loss", model::SoftmaxCrossEntropy{}, {}}},
                      .vocabulary = 50});
  BOOST_TEST_REQUIRE(network.has_value());
  for (const int parts : {1, 3}) {
    const auto batch = profileStep({}, *network, everyVariant().back(),
                                   {.samples = 6, .parts = parts}, SystemClock(), kShort);

    BOOST_TEST_REQUIRE(batch.has_value());
    const std::vector<std::string> expected{"embed", "lstm", "out", "loss"};
    BOOST_TEST(namesOf(*batch) == expected, boost::test_tools::per_element());
    BOOST_TEST(parametersOf(*batch) == network->parameters);
    BOOST_TEST(batch->layers[1].tensors.size() == 6);
  }
}

BOOST_AUTO_TEST_CASE(measures_what_workers_on_all_other_cores_cost) {
  const auto network = zooNetwork("lenet5");
  ProfileEffort effort = kShort;
  effort.cores = 3;
  const auto batch =
      profileStep({}, network, everyVariant().back(), {.samples = 4}, SystemClock(), effort);
  BOOST_TEST_REQUIRE(batch.has_value());
  BOOST_TEST(batch->crowded >= 1);

  // A worker with all cores has no neighbours.
  const auto alone = profileStep({}, network, everyVariant().back(), {.samples = 4, .threads = 2},
                                 SystemClock(), effort);
  BOOST_TEST_REQUIRE(alone.has_value());
  BOOST_TEST(alone->crowded == 1);
}

BOOST_AUTO_TEST_CASE(refuses_more_parts_than_samples_and_more_memory_than_there_is) {
  const auto network = zooNetwork("lenet5");
  const Kernels kernels = everyVariant().back();

  const auto cut = profileStep({}, network, kernels, {.samples = 2, .parts = 3}, SystemClock());
  test::Refusals refusals;
  refusals.add("more parts than samples", cut, "--batch-sizes");
  refusals.compareWith("worker/profile/step_profile.txt");

  const auto huge = profileStep({}, network, kernels, {.samples = 1'000'000'000}, SystemClock());
  BOOST_TEST_REQUIRE(!huge.has_value());
  BOOST_TEST(huge.error().message.ends_with("; lower --batch-sizes"), huge.error().message);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::step_profile_test
