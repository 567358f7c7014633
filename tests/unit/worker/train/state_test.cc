#include "worker/train/state.h"

#include <algorithm>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/plan/numerics.h"
#include "tests/support/kernel_variants.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::state_test {
namespace {

constexpr Step kStepsPerEpoch = 2;

TrainingSetup setup() {
  model::NetworkSpec spec{"text", {3}, {}, /*vocabulary=*/5};
  for (const model::LayerKind& kind :
       {model::LayerKind(model::Embedding{4}), model::LayerKind(model::Lstm{4, 1}),
        model::LayerKind(model::Dense{}), model::LayerKind(model::SoftmaxCrossEntropy{})})
    spec.layers.push_back({{}, kind, {}});
  model::nameLayers(spec.layers);
  TrainingSetup setup;
  setup.job.training.batch_size = 2;
  setup.network = model::resolve(spec).value();
  setup.plan = makeExchangePlan(setup.network, /*batch_size=*/2, /*parts=*/1);
  return setup;
}

bool isZero(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return value == 0.0F; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(training_state)

BOOST_AUTO_TEST_CASE(is_without_recurrent_state_after_the_last_step_of_an_epoch) {
  const TrainingSetup job = setup();
  TrainingState state(job, everyVariant().front(), kStepsPerEpoch);
  ComputePool pool(1);
  const std::vector<float> sums(static_cast<std::size_t>(job.plan.values), 0.5F);

  state.apply(1, sums, pool);
  BOOST_TEST(!isZero(state.parts().recurrent()));

  state.apply(2, sums, pool);
  BOOST_TEST(isZero(state.parts().recurrent()));
  BOOST_TEST(isZero(state.snapshot(2, /*term=*/1).recurrent));

  state.apply(3, sums, pool);
  BOOST_TEST(!isZero(state.parts().recurrent()));
}

BOOST_AUTO_TEST_CASE(rejects_a_checkpoint_of_another_numerics_number_by_name) {
  const TemporaryFolder folder;
  TrainingSetup job = setup();
  job.checkpoint_folder = folder.path();
  const Kernels kernels = everyVariant().front();
  TrainingState state(job, kernels, kStepsPerEpoch);
  const std::string ours = numericsId(kernels.variant());
  BOOST_TEST(ours == "baseline/" + std::to_string(kNumerics));

  job.newest = state.snapshot(4, /*term=*/1);
  BOOST_TEST(state.resume(4).has_value());

  job.newest->numerics = "baseline/" + std::to_string(kNumerics + 1);
  job.newest->plan_hash = "another";  // as the number stands in the bits hash
  const auto resumed = state.resume(4);
  BOOST_REQUIRE(!resumed.has_value());
  for (const std::string& numerics : {job.newest->numerics, ours})
    BOOST_TEST(resumed.error().message.find(numerics) != std::string::npos, numerics);
}

BOOST_AUTO_TEST_CASE(emulated_updates_change_nothing) {
  const TrainingSetup job = setup();
  TrainingState state(job, everyVariant().front(), kStepsPerEpoch);
  ComputePool pool(1);
  const std::vector<float> sums(static_cast<std::size_t>(job.plan.values), 0.5F);
  state.initialize();
  const std::vector<float> before(state.weights().begin(), state.weights().end());
  state.emulateUpdates(/*seconds=*/0);

  state.apply(1, sums, pool);
  state.beginUpdate(2);
  state.updateRange(0, sums.size(), sums, pool);
  state.endUpdate(2, sums);

  BOOST_TEST((std::ranges::equal(state.weights(), before)));
  BOOST_TEST(isZero(state.parts().recurrent()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::state_test
