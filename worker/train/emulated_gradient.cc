#include "worker/train/emulated_gradient.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "base/core/file.h"
#include "base/core/quantile.h"
#include "base/core/sha256.h"
#include "base/process/core_wait.h"
#include "base/process/member_flags.h"
#include "exchange/plan/part_tree.h"
#include "job/profile/profile_json.h"
#include "job/profile/profile_use.h"
#include "job/profile/subject.h"
#include "worker/train/profiled_times.h"
#include "worker/train/wait_until.h"

namespace sumac::worker {
namespace {

// A measurement takes half a second, and so many steps: caches and clock rates come to rest.
constexpr double kMeasureSeconds = 0.5;
constexpr double kQuietSeconds = 1;  // of measuring until nothing disturbs
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

/// What a worker with these parts has of a mini-batch.
Share shareOf(const TrainingSetup& setup, TreeNode parts) {
  const auto batches = setup.batchOptions();
  const auto firstSample = [&](int part) { return part * batches.batch_size / batches.parts; };
  return {.samples = firstSample(parts.end) - firstSample(parts.begin),
          .parts = parts.size(),
          .threads = setup.job.training.threads};
}

/// The file of times that belong to these: what is computed, how much of it and with what. Workers
/// with the same name wait for the same times.
std::string timesNameOf(const TrainingSetup& setup, TreeNode parts, KernelVariant kernels) {
  const job::TrainingSpec& training = setup.job.training;
  std::string subject = model::canonicalText(setup.network);
  const auto add = [&subject](const char* what, std::int64_t value) {
    subject += std::string(what) + "=" + std::to_string(value) + "\n";
  };
  add("samples", shareOf(setup, parts).samples);
  for (const TreeNode node : maximalNodes(parts, setup.batchOptions().parts))
    add("parts", node.size());
  add("threads", training.threads);
  add("optimizer", static_cast<int>(training.optimizer.name));
  add("momentum", training.optimizer.momentum > 0 ? 1 : 0);
  add("clips", training.clip_global_norm || training.clip_value ? 1 : 0);
  subject += numericsId(kernels);
  constexpr std::size_t kDigits = 16;
  return "step-" + sha256Hex(asBytes(subject)).substr(0, kDigits) + ".json";
}

/// What the file says; 1 where it says nothing.
double slowFactorIn(const std::filesystem::path& file) {
  constexpr std::uint64_t kMostBytes = 64;
  const auto text = readTextFile(file, kMostBytes);
  double factor = 1;
  if (text) std::from_chars(text->data(), text->data() + text->size(), factor);
  return std::isfinite(factor) && factor > 0 ? factor : 1;
}

}  // namespace

EmulatedGradient::EmulatedGradient(BlockGradient& block, const TrainingSetup& setup,
                                   const Compute& compute, const Surroundings& surroundings)
    : block_(block),
      setup_(setup),
      compute_(compute),
      clock_(surroundings.clock),
      log_(surroundings.log) {
  const std::string& folder = setup.emulation.slow_folder;
  if (folder.empty()) return;
  slow_file_ =
      std::filesystem::path(folder) / (member_flags::kSlowFile + std::to_string(setup.index));
}

Result<void> EmulatedGradient::begin(TreeNode parts, Step next, TrainingState& state, float scale) {
  const Inputs inputs{next, state, scale};
  auto held = setup_.emulation.profile.empty() ? measured(parts, inputs) : profiled(parts, inputs);
  if (!held) return held.error();
  // Still held: a worker with another share of the mini-batch measures when all this is computed.
  for (const Step step : {next, next + 1})  // one for each set of buffers
    block_.compute(step, state.weights(), state.parts(), scale, {});
  StepTimes& times = held->times;
  log_.info("computing is emulated", {{"gradientSeconds", times.seconds},
                                      {"updateSeconds", times.update_seconds},
                                      {"slowdown", setup_.emulation.slowdown}});
  state_ = &state;
  state.emulateUpdates(times.update_seconds * setup_.emulation.slowdown, compute_.work);
  waitExactly();
  return replay(std::move(times));
}

/// The order of events is that of a step; the times are the profile's.
Result<HeldStepTimes> EmulatedGradient::profiled(TreeNode parts, const Inputs& inputs) {
  const std::string& file = setup_.emulation.profile;
  const auto text = readTextFile(file, kMaxProfileBytes);
  if (!text) return text.error();
  const auto profile = profileFromJson(*text);
  if (!profile) return Error{profile.error().code, file + ": " + profile.error().message};
  ProfileNeed need;
  need.subject = subjectOf(setup_.job, setup_.network);
  if (std::string why = whyNot(*profile, need); !why.empty())
    return Error{ErrorCode::kInvalid, file + ": " + why};
  const auto batch = batchFor(*profile, shareOf(setup_, parts));
  if (!batch) return Error{batch.error().code, file + ": " + batch.error().message};
  ProfiledBlock block;
  block.parameters = static_cast<std::size_t>(setup_.plan.parameters);
  for (const TreeNode node : maximalNodes(parts, setup_.plan.parts))
    block.parts.push_back(node.size());
  StepTimes times = profiledTimes(oneStep(inputs, inputs.next), *batch, block);
  const double seconds = times.seconds + times.update_seconds;
  times.computing = {.median = seconds, .lower = seconds, .upper = seconds};
  return HeldStepTimes{std::move(times), {}};
}

Result<HeldStepTimes> EmulatedGradient::measured(TreeNode parts, const Inputs& inputs) {
  return sharedStepTimes(setup_.emulation.folder,
                         timesNameOf(setup_, parts, compute_.kernels.variant()), [this, &inputs] {
                           return quietest(clock_, kQuietSeconds,
                                           [this, &inputs] { return measure(inputs); });
                         });
}

StepTimes EmulatedGradient::oneStep(const Inputs& inputs, Step step) {
  Stopwatch watch(clock_);
  block_.compute(step, inputs.state.weights(), inputs.state.parts(), inputs.scale,
                 {.observer = &watch, .gate = &watch});
  return watch.end();
}

/// The step in the middle, by its length.
StepTimes EmulatedGradient::measure(const Inputs& inputs) {
  std::vector<StepTimes> steps;
  std::vector<double> seconds;
  double spent = 0;
  const double waited = secondsWithoutCore();
  for (int i = 0; i < kLeastSteps || (i < kMostSteps && spent < kMeasureSeconds); ++i) {
    steps.push_back(oneStep(inputs, inputs.next + i));
    seconds.push_back(steps.back().seconds);
    spent += seconds.back();
  }
  const double waited_share = std::clamp((secondsWithoutCore() - waited) / spent, 0.0, 1.0);
  const auto middle = steps.begin() + std::ssize(steps) / 2;
  std::ranges::nth_element(steps, middle, {}, &StepTimes::seconds);
  StepTimes times = std::move(*middle);
  times.update_seconds = measureUpdate(inputs.next);
  const Timing timing = timingOf(std::move(seconds));
  times.computing = {.median = timing.median + times.update_seconds,
                     .lower = timing.lower + times.update_seconds,
                     .upper = timing.upper + times.update_seconds,
                     .waited = waited_share};
  return times;
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
  const Emulation& emulation = setup_.emulation;
  const bool has_profile = !emulation.profile.empty();
  for (StepTimes::Event& event : times.events) {
    event.seconds *= emulation.slowdown;
    // What follows the parameters grows with the mini-batch of all workers.
    if (event.first == parameters) event.count = values - parameters;
    if (event.contribution >= contributions || event.first > values ||
        event.count > values - event.first) {
      return Error{
          ErrorCode::kInvalid,
          has_profile
              ? emulation.profile + " is of another job; give a profile of this one"
              : "the times in " + emulation.folder + " are of another job; remove the folder"};
    }
  }
  times.seconds *= setup_.emulation.slowdown;
  times_ = std::move(times);
  return {};
}

void EmulatedGradient::followSlowFile() {
  if (slow_file_.empty()) return;
  const double factor = slowFactorIn(slow_file_);
  if (factor == factor_) return;
  log_.info("computing takes longer, or as long as before", {{"factor", factor}});
  factor_ = factor;
  state_->emulateUpdates(factor * times_->update_seconds * setup_.emulation.slowdown,
                         compute_.work);
}

// What the exchange takes in between, as where it waits for sums, moves what comes after it: so it
// does where a thread computes.
std::span<const Contribution> EmulatedGradient::compute(Step step,
                                                        std::span<const float> /*weights*/,
                                                        const PartStates& /*states*/,
                                                        float /*scale*/, const StepHooks& hooks) {
  SUMAC_CHECK(times_.has_value());
  followSlowFile();
  TimePoint begun = clock_.now();
  for (const StepTimes::Event& event : times_->events) {
    const bool is_final = event.kind == StepTimes::Kind::kFinal;
    if (is_final ? hooks.observer == nullptr : hooks.gate == nullptr) continue;
    waitUntil(begun + toDuration(factor_ * event.seconds), compute_.work);
    const TimePoint called = clock_.now();
    if (is_final) {
      hooks.observer->onFinal(event.contribution, event.first, event.count);
    } else {
      hooks.gate->await(event.first, event.count);
    }
    begun += clock_.now() - called;
  }
  waitUntil(begun + toDuration(factor_ * times_->seconds), compute_.work);
  return contributions(step);
}

}  // namespace sumac::worker
