#include "common/optimizer/optimizer.h"

#include <vector>

#include <boost/test/unit_test.hpp>

#include "common/base/check.h"
#include "tests/support/kernel_variants.h"

namespace sumac {
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

BOOST_AUTO_TEST_CASE(goes_on_from_a_restored_state_with_the_same_bits_in_every_variant) {
  const std::vector<float> gradient{0.3F, -0.7F, 1.1F};
  std::vector<float> expected{1.0F, 2.0F, 3.0F};
  Optimizer whole(sgd(0.1, 0.9), baseline(), 3);
  for (Step step = 1; step <= 4; ++step)
    whole.apply(step, gradient, expected, expected);

  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> weights{1.0F, 2.0F, 3.0F};
    Optimizer first(sgd(0.1, 0.9), baseline(), 3);
    for (Step step = 1; step <= 2; ++step)
      first.apply(step, gradient, weights, weights);
    Optimizer second(sgd(0.1, 0.9), kernels, 3);
    BOOST_REQUIRE(second.restore(first.state()));
    for (Step step = 3; step <= 4; ++step)
      second.apply(step, gradient, weights, weights);
    BOOST_TEST((weights == expected));
  }
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

}  // namespace sumac
