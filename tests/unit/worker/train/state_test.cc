#include "worker/train/state.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <tuple>
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

std::vector<float> sumsOf(const TrainingSetup& job, Step step) {
  std::vector<float> sums(static_cast<std::size_t>(job.plan.values));
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(step) * 5) % 11) / 8 - 0.5F;
  return sums;
}

void copyInto(const StateRoom& room, const StateView& view, std::size_t pieces) {
  BOOST_TEST(room.step == view.step);
  BOOST_TEST_REQUIRE(view.pieces.size() == pieces);
  BOOST_TEST_REQUIRE(room.pieces.size() == pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    BOOST_TEST_REQUIRE(room.pieces[i].size() == view.pieces[i].size());
    std::ranges::copy(view.pieces[i], room.pieces[i].begin());
  }
}

void checkEqual(const checkpoint::State& found, const checkpoint::State& wanted) {
  BOOST_TEST((found.weights == wanted.weights));
  BOOST_TEST((found.optimizer == wanted.optimizer));
  BOOST_TEST((found.recurrent == wanted.recurrent));
  BOOST_TEST((found.statistics == wanted.statistics));
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

  job.newest_state = state.snapshot(4, /*term=*/1);
  BOOST_TEST(state.resume(4).has_value());

  job.newest_state->numerics = "baseline/" + std::to_string(kNumerics + 1);
  job.newest_state->plan_hash = "another";  // as the number stands in the bits hash
  const auto resumed = state.resume(4);
  BOOST_REQUIRE(!resumed.has_value());
  for (const std::string& numerics : {job.newest_state->numerics, ours})
    BOOST_TEST(resumed.error().message.find(numerics) != std::string::npos, numerics);
}

BOOST_AUTO_TEST_CASE(what_came_from_another_worker_is_the_same_as_from_a_checkpoint) {
  for (const auto& [name, momentum, pieces] : {std::tuple(job::OptimizerName::kSgd, 0.0, 2U),
                                               {job::OptimizerName::kSgd, 0.9, 3U},
                                               {job::OptimizerName::kAdam, 0.0, 4U}}) {
    TrainingSetup job = setup();
    job.job.training.optimizer = {.name = name, .learning_rate = 0.1, .momentum = momentum};
    const Kernels kernels = everyVariant().front();
    ComputePool pool(1);
    TrainingState source(job, kernels, kStepsPerEpoch);
    TrainingState receiver(job, kernels, kStepsPerEpoch);
    TrainingState resumed(job, kernels, kStepsPerEpoch);
    source.initialize();
    receiver.initialize();
    for (const Step step : {1, 2, 3})
      source.apply(step, sumsOf(job, step), pool);
    receiver.apply(1, sumsOf(job, 7), pool);
    job.newest_state = source.snapshot(3, /*term=*/1);
    BOOST_TEST_REQUIRE(resumed.resume(3).has_value());

    const checkpoint::State before = receiver.snapshot(1, /*term=*/1);
    copyInto(receiver.room(3), source.view(3), pieces);
    checkEqual(receiver.snapshot(1, 1), before);  // until it is adopted
    BOOST_TEST_REQUIRE(receiver.adopt().has_value());
    checkEqual(receiver.snapshot(3, 1), *job.newest_state);
    for (const Step step : {4, 5}) {
      for (TrainingState* const state : {&source, &receiver, &resumed})
        state->apply(step, sumsOf(job, step), pool);
      checkEqual(receiver.snapshot(step, 1), source.snapshot(step, 1));
      checkEqual(receiver.snapshot(step, 1), resumed.snapshot(step, 1));
    }
  }
}

BOOST_AUTO_TEST_CASE(weights_that_are_no_numbers_are_not_adopted) {
  const TrainingSetup job = setup();
  TrainingState state(job, everyVariant().front(), kStepsPerEpoch);
  state.initialize();
  const checkpoint::State before = state.snapshot(1, /*term=*/1);
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    const StateRoom room = state.room(1);
    const auto weights = std::as_bytes(state.weights());
    std::ranges::copy(weights, room.pieces[0].begin());
    std::memcpy(&room.pieces[0].back() + 1 - sizeof(value), &value, sizeof(value));
    const auto adopted = state.adopt();
    BOOST_TEST_REQUIRE(!adopted.has_value());
    BOOST_TEST((adopted.error().code == ErrorCode::kInvalid));
    checkEqual(state.snapshot(1, 1), before);
  }
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
