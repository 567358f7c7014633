#include "exchange/course/reporter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace sumac::worker {
namespace {

constexpr Step kMostReports = 400;  // enough for a curve, few enough to keep
constexpr std::chrono::seconds kInterimEvery{1};
// A process that stood still for less was not taken for lost meanwhile.
constexpr std::chrono::seconds kSilence{1};

}  // namespace

Reporter::Reporter(JobExchange& exchange, const StepTimer& timer, const Clock& clock,
                   const Log& log, const Options& options)
    : exchange_(exchange),
      timer_(timer),
      clock_(clock),
      log_(log),
      options_(options),
      every_(std::max<Step>(1, (options.total_steps + kMostReports - 1) / kMostReports)),
      started_(clock.now()),
      next_interim_(started_) {}

double Reporter::secondsSinceStart() const {
  return std::chrono::duration<double>(clock_.now() - started_).count();
}

void Reporter::onStep(const StepOutcome& outcome, const WorkerTimes& times) {
  loss_sum_ += outcome.loss;
  ++steps_;
  const bool is_due = outcome.step % every_ == 0 || outcome.step == options_.total_steps;
  const TimePoint now = clock_.now();
  if (!is_due && now < next_interim_) return;
  next_interim_ = now + kInterimEvery;
  const double batches_per_second = timer_.stepsPerSecond();
  Progress progress;
  progress.step = outcome.step;
  progress.total_steps = options_.total_steps;
  progress.epoch = (outcome.step - 1) / options_.steps_per_epoch + 1;
  progress.loss = loss_sum_ / static_cast<double>(steps_);
  if (options_.is_text) progress.perplexity = std::exp(*progress.loss);
  progress.learning_rate = outcome.learning_rate;
  progress.gradient_norm = outcome.gradient_norm;
  progress.noise_scale = outcome.noise_scale;
  progress.samples_per_second = batches_per_second * static_cast<double>(options_.batch_size);
  progress.batches_per_second = batches_per_second;
  progress.gradient_seconds = times.gradients;
  progress.update_seconds = times.updates;
  progress.sum_wait_seconds = times.sum_wait;
  progress.data_wait_seconds = times.data_wait;
  progress.seconds = times.seconds;
  exchange_.reportProgress(progress, /*is_interim=*/!is_due);
  if (!is_due) return;
  write(ProgressLine(progress).text(), progress.step, tensorboard::Scalars::of(progress));
  loss_sum_ = 0;
  steps_ = 0;
}

void Reporter::onEvaluation(const Evaluated& evaluation) {
  exchange_.reportEvaluation(evaluation);
  write(toLine(evaluation), evaluation.step, tensorboard::Scalars::of(evaluation));
}

void Reporter::onCheckpoint(Step step) {
  exchange_.checkpointed(step);
  write(toLine(CheckpointWritten{step}));
}

Result<void> Reporter::writeTo(const OutputFolder& folder, bool from_the_beginning, MayWrite may) {
  folder_ = folder;
  may_ = std::move(may);
  written_at_ = clock_.now();
  is_fresh_ = from_the_beginning;
  auto opened = openMetrics();
  if (opened || opened.error().code != ErrorCode::kUnavailable) return opened;
  complain(opened);
  return {};
}

Result<void> Reporter::openMetrics() {
  auto opened = MetricsFile::open(*folder_, is_fresh_);
  if (!opened) return opened.error();
  metrics_ = *std::move(opened);
  return {};
}

// A line more or less does not end a training; a disk that stays full ends it with the model file.
void Reporter::write(std::string_view line, Step step, const tensorboard::Scalars& scalars) {
  if (!folder_ || superseded_) return;
  Result<void> written = mayWrite();
  if (written && !metrics_) written = openMetrics();
  if (written) written = metrics_->append(line);
  if (written && tensorboard_ && !scalars.all().empty())
    written = tensorboard_->append(step, scalars.all());
  complain(written);
}

Result<void> Reporter::mayWrite() {
  const TimePoint now = clock_.now();
  if (now - written_at_ >= kSilence) {
    auto may = may_();
    if (!may && may.error().code == ErrorCode::kStale) superseded_ = may.error();
    if (!may) return may;
  }
  written_at_ = now;
  return {};
}

void Reporter::complain(const Result<void>& written) {
  if (!written && !has_complained_) {
    log_.warn("line of progress not written", {{"error", written.error().message}});
  }
  has_complained_ = !written;
}

}  // namespace sumac::worker
