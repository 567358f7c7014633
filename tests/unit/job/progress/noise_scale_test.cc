#include "job/progress/noise_scale.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"

namespace sumac::noise_scale_test {
namespace {

/// Steps of a training whose gradients are known: the true one is (1, 0, 0, ...), and each sample's
/// has independent normal noise of total variance `noise`: the noise scale.
class KnownNoise {
 public:
  KnownNoise(std::vector<std::int64_t> samples_of_parts, double noise, std::uint64_t seed)
      : samples_(std::move(samples_of_parts)), noise_(noise), rng_(seed, /*stream=*/0) {}

  /// One step; the gradient is `length` times as long.
  void addTo(NoiseScaleEstimator& estimator, double length = 1) {
    constexpr std::size_t kDimensions = 8;
    std::array<double, kDimensions> sum{};
    double squares = 0;
    for (const std::int64_t samples : samples_) {
      const auto count = static_cast<double>(samples);
      for (std::size_t i = 0; i < kDimensions; ++i) {
        const double own =
            length * ((i == 0 ? count : 0) + std::sqrt(noise_ * count / kDimensions) * normal());
        squares += own * own;
        sum.at(i) += own;
      }
    }
    estimator.add(squares, std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0));
  }

  NoiseScaleEstimator estimator() const { return NoiseScaleEstimator(samples_); }

 private:
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1.0 - rng_.uniform(drawn_)));
    const double angle = 2 * std::numbers::pi * rng_.uniform(drawn_ + 1);
    drawn_ += 2;
    return radius * std::cos(angle);
  }

  std::vector<std::int64_t> samples_;
  double noise_;
  Rng rng_;
  std::uint64_t drawn_ = 0;
};

/// After `steps` steps.
std::optional<NoiseScale> estimated(KnownNoise& training, int steps) {
  NoiseScaleEstimator estimator = training.estimator();
  for (int step = 0; step < steps; ++step)
    training.addTo(estimator);
  return estimator.estimate();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(noise_scale)

BOOST_AUTO_TEST_CASE(known_noise_is_found) {
  for (const double noise : {1.0, 30.0, 300.0}) {
    KnownNoise training({16, 16, 16, 16}, noise, /*seed=*/1);
    const auto found = estimated(training, 4000);
    BOOST_REQUIRE(found);
    BOOST_TEST(found->samples == noise, boost::test_tools::tolerance(0.15));
    BOOST_TEST(found->steps >= 1900);
  }
}

// Also of parts that differ: V does not divide B.
BOOST_AUTO_TEST_CASE(parts_may_have_different_numbers_of_samples) {
  KnownNoise training({1, 2, 3, 26}, /*noise=*/40, /*seed=*/2);
  const auto found = estimated(training, 8000);
  BOOST_REQUIRE(found);
  BOOST_TEST(found->samples == 40, boost::test_tools::tolerance(0.1));
}

// 95 % of them should: of 200, between 180 and 198 do with near certainty.
BOOST_AUTO_TEST_CASE(intervals_hold_the_true_value_as_often_as_they_say) {
  constexpr int kRuns = 200;
  constexpr double kNoise = 100;
  int held = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    KnownNoise training({16, 16, 16, 16}, kNoise, seed);
    const auto found = estimated(training, 300);
    BOOST_REQUIRE(found);
    BOOST_REQUIRE(found->low);
    if (*found->low <= kNoise && kNoise <= *found->high) ++held;
  }
  BOOST_TEST(held >= 180);
  BOOST_TEST(held <= 198);
}

BOOST_AUTO_TEST_CASE(more_steps_narrow_the_interval) {
  KnownNoise training({16, 16, 16, 16}, /*noise=*/100, /*seed=*/3);
  const auto few = estimated(training, 100);
  const auto many = estimated(training, 6400);
  BOOST_TEST(*many->high / *many->low < 0.5 * *few->high / *few->low);
}

// Gradients of the beginning are a hundred times as long, with as little noise for their length.
BOOST_AUTO_TEST_CASE(the_beginning_of_a_training_is_left_behind) {
  KnownNoise beginning({16, 16}, /*noise=*/1, /*seed=*/4);
  KnownNoise rest({16, 16}, /*noise=*/50, /*seed=*/5);
  NoiseScaleEstimator estimator = beginning.estimator();
  for (int step = 0; step < 500; ++step)
    beginning.addTo(estimator, /*length=*/100);
  for (int step = 0; step < 3500; ++step)
    rest.addTo(estimator);
  BOOST_TEST(estimator.estimate()->samples == 50, boost::test_tools::tolerance(0.25));
}

BOOST_AUTO_TEST_CASE(the_unit_of_the_norms_does_not_matter) {
  NoiseScaleEstimator small(std::array<std::int64_t, 2>{4, 4});
  NoiseScaleEstimator large(std::array<std::int64_t, 2>{4, 4});
  for (const double square : {10.0, 11.0, 12.0}) {
    small.add(square, 15);
    large.add(1024 * square, 1024 * 15.0);
  }
  BOOST_TEST(small.estimate()->samples == large.estimate()->samples);
}

// By hand: |G|^2 = (15 - 10) / (64 - 32) and tr(Sigma) = (10 - 32 |G|^2) / 8, twice.
BOOST_AUTO_TEST_CASE(two_steps_have_an_estimate_without_interval) {
  NoiseScaleEstimator estimator(std::array<std::int64_t, 2>{4, 4});
  estimator.add(10, 15);
  BOOST_TEST(!estimator.estimate());
  estimator.add(10, 15);
  BOOST_TEST(estimator.estimate()->samples == (5.0 / 8) / (5.0 / 32));
  BOOST_TEST(!estimator.estimate()->low.has_value());
}

BOOST_AUTO_TEST_CASE(one_part_and_noise_that_hides_the_gradient_have_none) {
  NoiseScaleEstimator one(std::array<std::int64_t, 1>{8});
  NoiseScaleEstimator hidden(std::array<std::int64_t, 2>{4, 4});
  for (int step = 0; step < 100; ++step) {
    one.add(10, 10);
    hidden.add(10, 9);
  }
  BOOST_TEST(!one.estimate());
  BOOST_TEST(!hidden.estimate());
  BOOST_TEST(!NoiseScaleEstimator({}).estimate());
}

BOOST_AUTO_TEST_CASE(steps_that_are_not_finite_are_left_out) {
  NoiseScaleEstimator estimator(std::array<std::int64_t, 2>{4, 4});
  estimator.add(10, 15);
  estimator.add(std::numeric_limits<double>::infinity(), 15);
  estimator.add(10, std::numeric_limits<double>::quiet_NaN());
  estimator.add(10, 15);
  BOOST_TEST(estimator.estimate()->samples == 4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::noise_scale_test
