#include "worker/train/emulated_gradient.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "base/core/quantile.h"
#include "base/core/sha256.h"
#include "exchange/plan/part_tree.h"
#include "worker/train/wait_until.h"

namespace sumac::worker {
namespace {

// A measurement takes half a second, and so many steps: caches and clock rates come to rest.
constexpr double kMeasureSeconds = 0.5;
constexpr int kLeastSteps = 5;
constexpr int kMostSteps = 100;

Duration toDuration(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// Notes when a step's computing comes to what.
class Stopwatch final : public ContributionObserver, public WeightsGate {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock), begun_(clock.now()) {}

  void onFinal(std::size_t index, std::size_t first, std::size_t count) override {
    times_.events.push_back({StepTimes::Kind::kFinal, index, first, count, elapsed()});
  }
  void await(std::size_t first, std::size_t count) override {
    times_.events.push_back({StepTimes::Kind::kAwaits, 0, first, count, elapsed()});
  }
  StepTimes end() {
    times_.seconds = elapsed();
    return std::move(times_);
  }

 private:
  double elapsed() const { return secondsBetween(begun_, clock_.now()); }

  const Clock& clock_;  // outlives us
  const TimePoint begun_;
  StepTimes times_;
};

/// The file of times that belong to these: what is computed, how much of it and with what. Workers
/// with the same name wait for the same times.
std::string timesNameOf(const TrainingSetup& setup, TreeNode parts, KernelVariant kernels) {
  const job::TrainingSpec& training = setup.job.training;
  std::string subject = model::canonicalText(setup.network);
  const auto add = [&subject](const char* what, std::int64_t value) {
    subject += std::string(what) + "=" + std::to_string(value) + "\n";
  };
  const auto batches = setup.batchOptions();
  const auto firstSample = [&](int part) { return part * batches.batch_size / batches.parts; };
  add("samples", firstSample(parts.end) - firstSample(parts.begin));
  for (const TreeNode node : maximalNodes(parts, batches.parts))
    add("parts", node.size());
  add("threads", training.threads);
  add("optimizer", static_cast<int>(training.optimizer.name));
  add("momentum", training.optimizer.momentum > 0 ? 1 : 0);
  add("clips", training.clip_global_norm || training.clip_value ? 1 : 0);
  subject += numericsId(kernels);
  constexpr std::size_t kDigits = 16;
  return "step-" + sha256Hex(asBytes(subject)).substr(0, kDigits) + ".json";
}

}  // namespace

EmulatedGradient::EmulatedGradient(BlockGradient& block, const TrainingSetup& setup,
                                   const Compute& compute, const Surroundings& surroundings)
    : block_(block),
      setup_(setup),
      compute_(compute),
      clock_(surroundings.clock),
      log_(surroundings.log) {}

Result<void> EmulatedGradient::begin(TreeNode parts, Step next, TrainingState& state, float scale) {
  const Inputs inputs{next, state, scale};
  auto held = sharedStepTimes(setup_.emulation.folder,
                              timesNameOf(setup_, parts, compute_.kernels.variant()), [&] {
                                StepTimes measured = measure(inputs);
                                measured.update_seconds = measureUpdate(next);
                                return measured;
                              });
  if (!held) return held.error();
  // Still held: a worker with another share of the mini-batch measures when all this is computed.
  for (const Step step : {next, next + 1})  // one for each set of buffers
    block_.compute(step, state.weights(), state.parts(), scale, {});
  StepTimes& times = held->times;
  log_.info("computing is emulated", {{"gradientSeconds", times.seconds},
                                      {"updateSeconds", times.update_seconds},
                                      {"slowdown", setup_.emulation.slowdown}});
  state.emulateUpdates(times.update_seconds * setup_.emulation.slowdown, compute_.work);
  waitExactly();
  return replay(std::move(times));
}

/// The step in the middle, by its length. Without the update.
StepTimes EmulatedGradient::measure(const Inputs& inputs) {
  std::vector<StepTimes> measured;
  double spent = 0;
  for (int i = 0; i < kLeastSteps || (i < kMostSteps && spent < kMeasureSeconds); ++i) {
    Stopwatch watch(clock_);
    block_.compute(inputs.next + i, inputs.state.weights(), inputs.state.parts(), inputs.scale,
                   {.observer = &watch, .gate = &watch});
    measured.push_back(watch.end());
    spent += measured.back().seconds;
  }
  const auto middle = measured.begin() + std::ssize(measured) / 2;
  std::ranges::nth_element(measured, middle, {}, &StepTimes::seconds);
  return std::move(*middle);
}

/// In seconds; of weights of its own. `step` has been computed.
double EmulatedGradient::measureUpdate(Step step) const {
  TrainingState state(setup_, compute_.kernels, /*steps_per_epoch=*/1);
  state.initialize();
  const std::span<const float> sums = block_.contributions(step).front().values;
  std::vector<double> seconds;
  for (int i = 1; i <= kLeastSteps; ++i) {
    const TimePoint begun = clock_.now();
    state.apply(i, sums, compute_.pool);
    seconds.push_back(secondsBetween(begun, clock_.now()));
  }
  return median(std::move(seconds));
}

Result<void> EmulatedGradient::replay(StepTimes times) {
  const std::size_t contributions = block_.contributions(1).size();
  const auto values = static_cast<std::size_t>(setup_.plan.values);
  const auto parameters = static_cast<std::size_t>(setup_.plan.parameters);
  for (StepTimes::Event& event : times.events) {
    event.seconds *= setup_.emulation.slowdown;
    // What follows the parameters grows with the mini-batch of all workers.
    if (event.first == parameters) event.count = values - parameters;
    if (event.contribution >= contributions || event.first > values ||
        event.count > values - event.first) {
      return Error{ErrorCode::kInvalid, "the times in " + setup_.emulation.folder +
                                            " are of another job; remove the folder"};
    }
  }
  times.seconds *= setup_.emulation.slowdown;
  times_ = std::move(times);
  return {};
}

// What the exchange takes in between, as where it waits for sums, moves what comes after it: so it
// does where a thread computes.
std::span<const Contribution> EmulatedGradient::compute(Step step,
                                                        std::span<const float> /*weights*/,
                                                        const PartStates& /*states*/,
                                                        float /*scale*/, const StepHooks& hooks) {
  SUMAC_CHECK(times_.has_value());
  TimePoint begun = clock_.now();
  for (const StepTimes::Event& event : times_->events) {
    const bool is_final = event.kind == StepTimes::Kind::kFinal;
    if (is_final ? hooks.observer == nullptr : hooks.gate == nullptr) continue;
    waitUntil(begun + toDuration(event.seconds), compute_.work);
    const TimePoint called = clock_.now();
    if (is_final) {
      hooks.observer->onFinal(event.contribution, event.first, event.count);
    } else {
      hooks.gate->await(event.first, event.count);
    }
    begun += clock_.now() - called;
  }
  waitUntil(begun + toDuration(times_->seconds), compute_.work);
  return contributions(step);
}

}  // namespace sumac::worker
