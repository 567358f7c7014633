#include "cli/experiment/scale_course.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "base/core/check.h"
#include "base/core/units.h"

namespace sumac::cli {
namespace {

Duration durationOf(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

ScaleCourse::ScaleCourse(std::vector<experiment::ScaleStep> script, Means means)
    : script_(std::move(script)), means_(means), training_(script_.at(0).workers) {}

void ScaleCourse::onEvent(const JobEvent& event, TimePoint now) {
  if (const auto* const progress = std::get_if<Progress>(&event)) onProgress(*progress, now);
  if (const auto* const interim = std::get_if<Interim>(&event)) onProgress(interim->progress, now);
  if (const auto* const written = std::get_if<CheckpointWritten>(&event))
    addUntold(written->step, now);
  if (const auto* const roster = std::get_if<RosterBegan>(&event)) onRoster(*roster, now);
}

/// In place the next number is there with the roster that has so many workers; rosters before it
/// are a part of the change. Of a roster that comes by itself the script says nothing.
void ScaleCourse::onRoster(const RosterBegan& roster, TimePoint now) {
  if (means_ != Means::kInPlace) return;
  const auto workers = static_cast<int>(
      std::ranges::count_if(roster.members, [](Slot slot) { return slot.role == Role::kWorker; }));
  if (workers < 1 || workers == training_) return;
  if (is_asked_ && workers != nextWorkers()) return;
  addUntold(roster.start_step, now);
  if (is_asked_) return moveOn();
  change(workers, begun_ ? secondsAt(now) : 0);
}

/// The steps up to a stop's checkpoint, or a roster, may have no line of their own; the last one
/// ended before.
void ScaleCourse::addUntold(Step step, TimePoint now) {
  if (record_.points.size() == first_point_) return;
  const experiment::ScalePoint& first = record_.points[first_point_];
  const experiment::ScalePoint last = record_.points.back();
  if (step <= last.step) return;
  double seconds = secondsAt(now);
  if (last.step > first.step) {
    const double one = (last.seconds - first.seconds) / static_cast<double>(last.step - first.step);
    seconds = std::min(seconds, last.seconds + one * static_cast<double>(step - last.step));
  }
  add(step, seconds, std::nullopt);
}

void ScaleCourse::onProgress(const Progress& progress, TimePoint now) {
  if (progress.step < 1) return;
  if (!record_.points.empty() && progress.step <= record_.points.back().step) return;
  if (!begun_) begun_ = now;
  const double seconds = secondsAt(now);
  if (change_) {
    change_->cost_seconds = seconds - record_.points.back().seconds;
    record_.changes.push_back(*change_);
    change_.reset();
  }
  add(progress.step, seconds, progress.loss);
  newest_ = progress;
}

/// Of the attempt under way, from its first step on.
void ScaleCourse::addTimes() {
  if (!newest_) return;
  Progress begin;
  begin.step = record_.changes.empty() ? 0 : record_.changes.back().step;
  begin.gradient_seconds = begin.update_seconds = 0;
  begin.sum_wait_seconds = begin.data_wait_seconds = 0;
  if (before_) begin = *before_;  // what a process tells is since its start
  if (const auto phases = experiment::phasesOf(begin, *newest_))
    record_.times.push_back({training_, newest_->step - begin.step, *phases});
  if (means_ == Means::kInPlace) before_ = newest_;
  newest_.reset();
}

void ScaleCourse::add(Step step, double seconds, std::optional<double> loss) {
  experiment::ScalePoint point{seconds, training_, step, std::nullopt, loss};
  if (!record_.points.empty()) {
    const experiment::ScalePoint& before = record_.points.back();
    const double passed = seconds - before.seconds;
    if (passed > 0) point.batches_per_second = static_cast<double>(step - before.step) / passed;
  }
  record_.points.push_back(point);
}

double ScaleCourse::secondsAt(TimePoint time) const {
  return std::chrono::duration<double>(time - *begun_).count();
}

std::optional<TimePoint> ScaleCourse::stopAt() const {
  return means_ == Means::kRestart ? changeAt() : std::nullopt;
}

std::optional<Resize> ScaleCourse::resizeAt() const {
  const auto at = means_ == Means::kInPlace ? changeAt() : std::nullopt;
  if (!at || is_asked_) return std::nullopt;
  return Resize{*at, nextWorkers()};
}

std::optional<TimePoint> ScaleCourse::changeAt() const {
  const bool has_stepped = record_.points.size() > begin_;
  if (!has_stepped || at_ + 1 == script_.size()) return std::nullopt;
  return *begun_ + durationOf(script_[at_ + 1].seconds);
}

void ScaleCourse::onAsked(bool is_certain) {
  SUMAC_CHECK(changeAt().has_value());
  is_asked_ = true;
  if (means_ == Means::kInPlace && is_certain && training_ == nextWorkers()) beginNumber();
}

void ScaleCourse::moveOn() {
  SUMAC_CHECK(changeAt().has_value());
  // A change that is late was asked for when the first step with the number before was there.
  change(nextWorkers(), std::max(script_[at_ + 1].seconds, record_.points[begin_].seconds));
  if (means_ == Means::kRestart) ++record_.restarts;
  beginNumber();
}

/// The next step of the script is in force.
void ScaleCourse::beginNumber() {
  ++at_;
  begin_ = record_.points.size();
  is_asked_ = false;
}

/// So many workers train from now on. What a job founded itself with is no change, and what it
/// went through without a step is a part of one.
void ScaleCourse::change(int workers, double seconds) {
  addTimes();
  if (!change_ && !record_.points.empty())
    change_ = {seconds, record_.points.back().step, training_, workers, 0};
  if (change_) change_->to = workers;
  if (change_ && change_->from == workers) change_.reset();
  training_ = workers;
  first_point_ = record_.points.size();
}

std::string ScaleCourse::missing() const {
  const bool is_there = at_ == 0 || record_.points.size() > begin_;
  if (at_ + 1 == script_.size() && is_there) return {};
  const double ended = record_.points.empty() ? 0 : record_.points.back().seconds;
  const experiment::ScaleStep& next = is_there ? script_[at_ + 1] : script_[at_];
  return "the job was complete " + durationText(ended) +
         " after its first step, before spec.scale has " + std::to_string(next.workers) +
         " workers at " + durationText(next.seconds) + "; raise spec.steps";
}

experiment::ScaleRecord ScaleCourse::take(std::string parameters_sha256) {
  addTimes();
  // Where an attempt's first line is of a later step than its first, those between are no change.
  const auto phases = experiment::phasesOf(record_);
  for (std::size_t i = 0; i < record_.changes.size() && i + 1 < phases.size(); ++i) {
    experiment::ScaleChange& change = record_.changes[i];
    const experiment::ScalePhase& after = phases[i + 1];
    const auto more = static_cast<double>(after.first_step - change.step - 1);
    if (after.batches_per_second)
      change.cost_seconds = std::max(0.0, change.cost_seconds - more / *after.batches_per_second);
  }
  record_.parameters_sha256 = std::move(parameters_sha256);
  return std::move(record_);
}

}  // namespace sumac::cli
