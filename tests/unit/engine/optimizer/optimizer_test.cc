#include "engine/optimizer/optimizer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "base/core/rng.h"
#include "tests/support/kernel_variants.h"

namespace sumac::worker::optimizer_test {
namespace {

Optimizer::Options sgd(double rate, double momentum) {
  Optimizer::Options options;
  options.optimizer.learning_rate = rate;
  options.optimizer.momentum = momentum;
  return options;
}

Kernels baseline() {
  return Kernels::load(KernelVariant::kBaseline).value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(optimizer, *boost::unit_test::tolerance(1e-6F))

BOOST_AUTO_TEST_CASE(keeps_the_momentum_from_step_to_step) {
  Optimizer optimizer(sgd(0.5, 0.5), baseline(), 2);
  std::vector<float> weights{1.0F, -1.0F};
  const std::vector<float> gradient{2.0F, 4.0F};

  optimizer.apply(1, gradient, weights, weights);
  BOOST_TEST(weights == (std::vector<float>{0.0F, -3.0F}), boost::test_tools::per_element());
  optimizer.apply(2, gradient, weights, weights);
  BOOST_TEST(weights == (std::vector<float>{-1.5F, -6.0F}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(leaves_the_old_weights_alone_when_it_writes_elsewhere) {
  Optimizer optimizer(sgd(1.0, 0.0), baseline(), 1);
  const std::vector<float> before{3.0F};
  std::vector<float> after{0.0F};
  const auto update = optimizer.apply(1, std::vector<float>{1.0F}, before, after);
  BOOST_TEST(before[0] == 3.0F);
  BOOST_TEST(after[0] == 2.0F);
  BOOST_TEST(update.learning_rate == 1.0);
  BOOST_TEST(update.gradient_norm == 1.0);
}

BOOST_AUTO_TEST_CASE(shortens_a_gradient_that_is_longer_than_the_clip_only) {
  auto options = sgd(1.0, 0.0);
  options.clip_global_norm = 10.0;
  Optimizer optimizer(options, baseline(), 2);
  std::vector<float> weights{0.0F, 0.0F};

  auto update = optimizer.apply(1, std::vector<float>{30.0F, 40.0F}, weights, weights);
  BOOST_TEST(update.gradient_norm == 50.0);
  BOOST_TEST(weights == (std::vector<float>{-6.0F, -8.0F}), boost::test_tools::per_element());

  weights = {0.0F, 0.0F};
  update = optimizer.apply(2, std::vector<float>{6.0F, 8.0F}, weights, weights);
  BOOST_TEST(update.gradient_norm == 10.0);
  BOOST_TEST(weights == (std::vector<float>{-6.0F, -8.0F}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(cuts_each_value_of_a_gradient_to_the_clip) {
  auto options = sgd(1.0, 0.0);
  options.clip_value = 2.0;
  Optimizer optimizer(options, baseline(), 4);
  std::vector<float> weights(4);

  const auto update =
      optimizer.apply(1, std::vector<float>{3.0F, -4.0F, 1.0F, -2.0F}, weights, weights);

  BOOST_TEST(update.gradient_norm == std::sqrt(30.0));
  BOOST_TEST(weights == (std::vector<float>{-2.0F, 2.0F, -1.0F, 2.0F}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(pulls_weights_to_zero_after_clipping) {
  auto options = sgd(1.0, 0.0);
  options.clip_value = 1.0;
  options.optimizer.weight_decay = 0.5;
  Optimizer optimizer(options, baseline(), 1);
  std::vector<float> weights{4.0F};

  optimizer.apply(1, std::vector<float>{9.0F}, weights, weights);

  BOOST_TEST(weights[0] == 1.0F);
}

BOOST_AUTO_TEST_CASE(follows_the_schedule) {
  auto options = sgd(1.0, 0.0);
  options.schedule = {.name = job::ScheduleName::kHold,
                      .warmup_steps = 2,
                      .hold_epochs = 1,
                      .every_epochs = 0,
                      .factor = 0.25};
  options.steps_per_epoch = 3;
  Optimizer optimizer(options, baseline(), 1);
  std::vector<float> weights{0.0F};
  std::vector<double> rates;
  for (Step step = 1; step <= 7; ++step) {
    rates.push_back(
        optimizer.apply(step, std::vector<float>{-1.0F}, weights, weights).learning_rate);
  }

  BOOST_TEST(rates == (std::vector<double>{0.5, 1, 1, 0.25, 0.25, 0.25, 0.0625}),
             boost::test_tools::per_element());
  BOOST_TEST(weights[0] == 3.3125F);
}

/// Every optimizer.
std::vector<Optimizer::Options> everyOptimizer() {
  std::vector<Optimizer::Options> all{sgd(0.1, 0.0), sgd(0.1, 0.9), sgd(0.1, 0.9), sgd(0.1, 0.0)};
  all[2].optimizer.name = job::OptimizerName::kNesterov;
  all[3].optimizer.name = job::OptimizerName::kAdam;
  return all;
}

BOOST_AUTO_TEST_CASE(goes_on_from_a_restored_state_with_the_same_bits_in_every_variant) {
  const std::vector<float> gradient{0.3F, -0.7F, 1.1F};
  for (const auto& options : everyOptimizer()) {
    std::vector<float> expected{1.0F, 2.0F, 3.0F};
    Optimizer whole(options, baseline(), 3);
    for (Step step = 1; step <= 4; ++step)
      whole.apply(step, gradient, expected, expected);

    for (const Kernels& kernels : everyVariant()) {
      std::vector<float> weights{1.0F, 2.0F, 3.0F};
      Optimizer first(options, baseline(), 3);
      for (Step step = 1; step <= 2; ++step)
        first.apply(step, gradient, weights, weights);
      Optimizer second(options, kernels, 3);
      BOOST_REQUIRE(second.restore(first.state()));
      for (Step step = 3; step <= 4; ++step)
        second.apply(step, gradient, weights, weights);
      BOOST_TEST((weights == expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(keeps_no_state_that_it_does_not_need) {
  const auto names = [](const Optimizer::Options& options) {
    std::string list;
    for (const auto& [name, values] : Optimizer(options, baseline(), 3).state())
      list += name + " ";
    return list;
  };

  BOOST_TEST(names(everyOptimizer()[0]).empty());
  BOOST_TEST(names(everyOptimizer()[1]) == "velocity ");
  BOOST_TEST(names(everyOptimizer()[2]) == "velocity ");
  BOOST_TEST(names(everyOptimizer()[3]) == "mean square ");
}

/// Runs tasks last to first, as threads may.
struct BackwardPool {
  void run(std::size_t tasks, const auto& work) {
    for (std::size_t task = tasks; task > 0; --task)
      work(task - 1);
    most = std::max(most, tasks);
    ++calls;
  }
  std::size_t most = 0;
  int calls = 0;
};

constexpr std::size_t kMany = 3 * 65'536 + 4'097;

/// Of many magnitudes, so that sums in another order round differently.
std::vector<float> wideGradient(std::uint64_t stream) {
  const Rng rng(5, stream);
  std::vector<float> gradient(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    gradient[i] =
        std::ldexp(rng.uniform(2 * i) - 0.5F, static_cast<int>(rng.below(2 * i + 1, 20)) - 10);
  }
  return gradient;
}

// Part-reduce and part-broadcast (Das et al. 2016): strips that are updated apart have the bits of
// the whole.
BOOST_AUTO_TEST_CASE(shares_its_work_out_with_the_same_bits) {
  const auto gradient = wideGradient(1);
  for (auto options : everyOptimizer()) {
    options.clip_global_norm = 1.0;
    Optimizer alone(options, baseline(), kMany);
    Optimizer shared(options, baseline(), kMany);
    std::vector<float> expected(kMany, 1.0F);
    std::vector<float> weights(kMany, 1.0F);
    BackwardPool pool;

    alone.apply(1, gradient, expected, expected);
    shared.apply(1, gradient, weights, weights, pool);

    BOOST_TEST((weights == expected));
    BOOST_TEST(pool.most == 13U);
  }
}

// Nothing but clipping by it waits for the norm.
BOOST_AUTO_TEST_CASE(passes_over_the_gradient_once_where_its_norm_does_not_clip) {
  const auto gradient = wideGradient(1);
  std::vector<float> weights(kMany, 1.0F);
  for (auto options : everyOptimizer()) {
    Optimizer free(options, baseline(), kMany);
    options.clip_global_norm = 1e9;
    Optimizer clipping(options, baseline(), kMany);
    BackwardPool one;
    BackwardPool two;

    const auto update = free.apply(1, gradient, weights, weights, one);
    const auto expected = clipping.apply(1, gradient, weights, weights, two);

    BOOST_TEST(one.calls == 1);
    BOOST_TEST(two.calls == 2);
    BOOST_TEST((update.gradient_norm == expected.gradient_norm));
  }
}

/// Pieces of all values that meet neither at ranges of the norm nor at vectors, in some order.
std::vector<Optimizer::Extent> oddPieces() {
  return {{70'001, 65'000}, {0, 3}, {135'001, kMany - 135'001}, {3, 69'998}};
}

BOOST_AUTO_TEST_CASE(takes_a_gradient_piece_by_piece_with_the_same_bits) {
  for (const auto& options : everyOptimizer()) {
    Optimizer whole(options, baseline(), kMany);
    Optimizer by_pieces(options, baseline(), kMany);
    std::vector<float> expected(kMany, 1.0F);
    std::vector<float> weights(kMany, 1.0F);
    std::vector<float> next(kMany);
    BackwardPool pool;
    for (Step step = 1; step <= 3; ++step) {
      const auto gradient = wideGradient(static_cast<std::uint64_t>(step));
      const auto update = whole.apply(step, gradient, expected, expected);
      by_pieces.begin(step);
      for (const auto& piece : oddPieces())
        by_pieces.applyPiece(piece, gradient, weights, next, pool);
      const auto again = by_pieces.finish();
      weights.swap(next);
      BOOST_TEST((weights == expected));
      BOOST_TEST((again.gradient_norm == update.gradient_norm));
      BOOST_TEST((again.learning_rate == update.learning_rate));
    }
    BOOST_TEST((by_pieces.state() == whole.state()));
  }
}

BOOST_AUTO_TEST_CASE(an_undone_step_leaves_no_trace) {
  const auto gradient = wideGradient(1);
  for (const auto& options : everyOptimizer()) {
    Optimizer undisturbed(options, baseline(), kMany);
    Optimizer optimizer(options, baseline(), kMany);
    std::vector<float> weights(kMany, 1.0F);
    std::vector<float> next(kMany);
    BackwardPool pool;
    for (Optimizer* const one : {&undisturbed, &optimizer})
      one->apply(1, gradient, weights, next);
    optimizer.begin(2);
    optimizer.applyPiece(oddPieces()[0], gradient, weights, next, pool);
    optimizer.applyPiece(oddPieces()[1], gradient, weights, next, pool);
    optimizer.undo();
    BOOST_TEST((optimizer.state() == undisturbed.state()));
    // Nor in the steps that follow, whole and by pieces.
    for (Optimizer* const one : {&undisturbed, &optimizer})
      one->apply(2, gradient, weights, next);
    BOOST_TEST((optimizer.state() == undisturbed.state()));
    undisturbed.apply(3, gradient, weights, next);
    optimizer.begin(3);
    for (const auto& piece : oddPieces())
      optimizer.applyPiece(piece, gradient, weights, next, pool);
    optimizer.finish();
    BOOST_TEST((optimizer.state() == undisturbed.state()));
  }
}

BOOST_AUTO_TEST_CASE(a_piece_that_comes_twice_and_one_that_is_missing_are_bugs) {
  Optimizer optimizer(sgd(0.1, 0.9), baseline(), 10);
  const std::vector<float> gradient(10, 1.0F);
  std::vector<float> next(10);
  BackwardPool pool;
  optimizer.begin(1);
  optimizer.applyPiece({0, 9}, gradient, gradient, next, pool);
  BOOST_CHECK_THROW(optimizer.applyPiece({0, 9}, gradient, gradient, next, pool),
                    InvariantViolation);
  BOOST_CHECK_THROW(optimizer.finish(), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(sums_the_norm_of_ranges_as_that_of_the_whole) {
  // A square of 2^60 swallows those of 8 that its lane adds after it, not those before: where
  // blocks begin shows in the sum.
  std::vector<float> gradient(kMany, 8.0F);
  for (const std::size_t at : {65'536U - 16U, 2 * 65'536U})
    gradient[at] = 0x1p30F;
  Optimizer optimizer(sgd(0.1, 0.0), baseline(), kMany);
  std::vector<float> weights(kMany);

  const auto update = optimizer.apply(1, gradient, weights, weights);

  const double squares = baseline()->sumOfSquares(gradient.data(), kMany);
  BOOST_TEST((update.gradient_norm == std::sqrt(squares)));
}

BOOST_AUTO_TEST_CASE(refuses_the_state_of_another_optimizer) {
  Optimizer optimizer(sgd(0.1, 0.9), baseline(), 3);
  const std::map<std::string, std::vector<float>> wrong[] = {
      {}, {{"velocity", {1.0F}}}, {{"m", {1, 2, 3}}}, {{"m", {}}, {"velocity", {1, 2, 3}}}};
  for (const auto& state : wrong) {
    const auto restored = optimizer.restore(state);
    BOOST_REQUIRE(!restored);
    BOOST_TEST(restored.error().code == ErrorCode::kConflict);
  }
}

BOOST_AUTO_TEST_CASE(checks_that_all_vectors_are_of_its_length) {
  Optimizer optimizer(sgd(0.1, 0.9), baseline(), 3);
  std::vector<float> weights(3);
  BOOST_CHECK_THROW(optimizer.apply(1, std::vector<float>(2), weights, weights),
                    InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::optimizer_test
