#include "worker/train/reporter.h"

#include <algorithm>
#include <chrono>

#include "worker/train/run_result.h"

namespace sumac::worker {
namespace {

constexpr Step kMostReports = 400;  // enough for a curve, few enough to keep
constexpr std::chrono::seconds kInterimEvery{1};

}  // namespace

Reporter::Reporter(ExchangeClient& exchange, const StepTimer& timer, const Clock& clock,
                   const Options& options)
    : exchange_(exchange),
      timer_(timer),
      clock_(clock),
      options_(options),
      every_(std::max<Step>(1, (options.total_steps + kMostReports - 1) / kMostReports)),
      started_(clock.now()),
      next_interim_(started_) {}

double Reporter::secondsSinceStart() const {
  return std::chrono::duration<double>(clock_.now() - started_).count();
}

void Reporter::onStep(const StepOutcome& outcome) {
  loss_sum_ += outcome.loss;
  ++steps_;
  const bool is_due = outcome.step % every_ == 0 || outcome.step == options_.total_steps;
  const TimePoint now = clock_.now();
  if (!is_due && now < next_interim_) return;
  next_interim_ = now + kInterimEvery;
  ProgressReport line;
  line.is_interim = !is_due;
  line.step = outcome.step;
  line.total_steps = options_.total_steps;
  line.epoch = (outcome.step - 1) / options_.steps_per_epoch + 1;
  line.is_text = options_.is_text;
  line.loss = loss_sum_ / static_cast<double>(steps_);
  line.learning_rate = outcome.update.learning_rate;
  line.gradient_norm = outcome.update.gradient_norm;
  line.samples_per_second = timer_.stepsPerSecond() * static_cast<double>(options_.batch_size);
  line.data_wait_seconds = outcome.data_wait_seconds;
  line.seconds = secondsSinceStart();
  exchange_.reportProgress(line);
  if (!is_due) return;
  loss_sum_ = 0;
  steps_ = 0;
}

void Reporter::onEvaluation(Step step, const Scores& scores) {
  exchange_.reportEvaluation(
      toJson(EvaluationReport{step, step / options_.steps_per_epoch, options_.is_text, scores}));
}

}  // namespace sumac::worker
