#include "tests/papers/das/overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::planner::papers::overlap_test {
namespace {

using boost::test_tools::tolerance;

std::vector<LayerSeconds> random(std::mt19937& generator, std::size_t count) {
  std::uniform_real_distribution<double> seconds(0, 1);
  std::vector<LayerSeconds> layers(count);
  for (LayerSeconds& layer : layers) {
    layer = {seconds(generator) + 0.01, seconds(generator), seconds(generator),
             3 * seconds(generator)};
  }
  layers.front().input_gradient = 0;
  return layers;
}

double totalOf(const std::vector<LayerSeconds>& layers, BackwardOrder order) {
  const auto step = overlapStep(layers, order, 0.001);
  BOOST_REQUIRE(step);
  return step->total;
}

std::string problemWith(const LayerSeconds& layer, double latency) {
  const auto step = overlapStep(std::vector{layer}, BackwardOrder::kWeightGradientFirst, latency);
  return step ? "none" : step.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(d6_overlap)

BOOST_AUTO_TEST_CASE(d6_the_weight_gradient_first_is_never_slower) {
  constexpr unsigned kSeed = 1602;
  std::mt19937 generator(kSeed);
  int faster = 0;
  for (int i = 0; i < 500; ++i) {
    const auto layers = random(generator, 1 + static_cast<std::size_t>(i) % 12);
    const double weight_first = totalOf(layers, BackwardOrder::kWeightGradientFirst);
    const double input_first = totalOf(layers, BackwardOrder::kInputGradientFirst);

    BOOST_TEST(weight_first <= input_first * (1 + 1e-12), "network " << i);
    if (weight_first < input_first * (1 - 1e-9)) ++faster;
  }
  BOOST_TEST(faster > 50);
}

BOOST_AUTO_TEST_CASE(d6_with_infinite_bandwidth_the_efficiency_is_one) {
  constexpr unsigned kSeed = 6709;
  std::mt19937 generator(kSeed);
  auto layers = random(generator, 20);
  for (LayerSeconds& layer : layers)
    layer.exchange = 0;

  for (const auto order :
       {BackwardOrder::kWeightGradientFirst, BackwardOrder::kInputGradientFirst}) {
    const auto step = overlapStep(layers, order, 0);
    BOOST_REQUIRE(step);
    BOOST_TEST(step->efficiency() == 1.0);
    BOOST_TEST(step->total == step->compute);
  }
}

BOOST_AUTO_TEST_CASE(d6_the_bubbles_of_two_layers_are_those_by_hand) {
  // Backward: layer 1 posts at 2 and is done at 4; layer 0 posts at 4, its exchange takes 4 to 9.
  // Forward: layer 0 waits from 4 to 9, then layer 1's exchange is long over.
  const std::vector<LayerSeconds> layers{{1, 1, 0, 5}, {1, 2, 1, 2}};

  const auto step = overlapStep(layers, BackwardOrder::kWeightGradientFirst, 0);

  BOOST_REQUIRE(step);
  BOOST_TEST(step->compute == 6);
  BOOST_TEST(step->bubbles == (std::vector<double>{5, 0}), boost::test_tools::per_element());
  BOOST_TEST(step->total == 11);
  BOOST_TEST(step->efficiency() == 6.0 / 11);
}

BOOST_AUTO_TEST_CASE(d6_more_bandwidth_is_never_slower) {
  constexpr unsigned kSeed = 5;
  std::mt19937 generator(kSeed);
  auto layers = random(generator, 9);
  double before = totalOf(layers, BackwardOrder::kWeightGradientFirst);
  for (int i = 0; i < 20; ++i) {
    for (LayerSeconds& layer : layers)
      layer.exchange /= 1.5;
    const double now = totalOf(layers, BackwardOrder::kWeightGradientFirst);
    BOOST_TEST(now <= before);
    before = now;
  }
}

BOOST_AUTO_TEST_CASE(exchanges_of_model_parallel_layers_are_never_hidden) {
  std::vector<LayerSeconds> layers{{1, 1, 0, 0}, {1, 1, 1, 0}};
  layers[1].forward_exchange = 0.5;
  layers[1].backward_exchange = 0.25;

  const auto step = overlapStep(layers, BackwardOrder::kWeightGradientFirst, 0);

  BOOST_REQUIRE(step);
  BOOST_TEST(step->blocking_exchange == 0.75);
  BOOST_TEST(step->total == 5.75);
}

BOOST_AUTO_TEST_CASE(each_exchange_pays_the_latency_and_layers_without_one_do_not) {
  const std::vector<LayerSeconds> layers{{1, 1, 0, 1}, {1, 1, 1, 0}, {1, 1, 1, 1}};

  const auto step = overlapStep(layers, BackwardOrder::kWeightGradientFirst, 10);

  // Layer 2: from 1 to 12; layer 0: from 12 to 23, while the backward pass ends at 5.
  BOOST_REQUIRE(step);
  BOOST_TEST(step->bubbles == (std::vector<double>{18, 0, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(ten_thousand_layers_are_no_effort) {
  constexpr unsigned kSeed = 7;
  std::mt19937 generator(kSeed);

  BOOST_TEST(totalOf(random(generator, 10'000), BackwardOrder::kWeightGradientFirst) > 0);
}

BOOST_AUTO_TEST_CASE(times_that_cannot_be_are_refused_with_layer_and_unit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  BOOST_TEST(problemWith({1, 1, 0, 1}, 0) == "none");
  BOOST_TEST(problemWith({1, 1, 0, -1}, 0) ==
             "overlap of exchange and computation: layer 0: found -1 s for its exchange, must be a "
             "number >= 0");
  for (const std::string& problem :
       {problemWith({0, 0, 0, 1}, 0), problemWith({std::nan(""), 1, 0, 1}, 0),
        problemWith({1, kInfinity, 0, 1}, 0), problemWith({1, 1, 0, 1}, -1),
        problemWith({1e308, 1e308, 0, 1e308}, 0)}) {
    BOOST_TEST(problem.rfind("overlap of exchange and computation: ", 0) == 0U, problem);
  }
  BOOST_TEST(!overlapStep({}, BackwardOrder::kWeightGradientFirst, 0).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::papers::overlap_test
