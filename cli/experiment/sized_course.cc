#include "cli/experiment/sized_course.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/core/file.h"
#include "base/process/member_flags.h"

namespace sumac::cli {
namespace {

using experiment::ScriptedEvent;

Duration spanOf(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

std::filesystem::path slowFileOf(const std::filesystem::path& run_folder, int worker) {
  return run_folder / (member_flags::kSlowFile + std::to_string(worker));
}

SizedCourse::SizedCourse(const experiment::Cell& cell, std::vector<ScriptedEvent> events,
                         Begin begin)
    : events_(std::move(events)),
      begin_(std::move(begin)),
      wanted_(begin_.workers),
      room_(begin_.room),
      asked_(begin_.workers),
      seen_(begin_.now) {
  if (cell.job.autoscaling) autoscaler_.emplace(cell.job, room_, begin_.now);
}

int SizedCourse::target() const {
  return std::min(wanted_, room_);
}

void SizedCourse::onEvent(const JobEvent& event, TimePoint now) {
  seen_ = now;
  if (autoscaler_) {
    autoscaler_->onEvent(event, now);
    if (const auto resize = autoscaler_->resizeAt()) {
      wanted_ = resize->workers;
      autoscaler_->onResize();
    }
  }
  recorder_.onEvent(event, now);
}

std::optional<TimePoint> SizedCourse::stopAt() const {
  return problem_.empty() ? std::nullopt : std::optional(seen_);
}

std::optional<Resize> SizedCourse::resizeAt() const {
  if (target() == asked_) return std::nullopt;
  return Resize{seen_, target()};
}

std::optional<TimePoint> SizedCourse::wakeAt() const {
  const auto begun = recorder_.begun();
  if (!begun || next_event_ == events_.size()) return std::nullopt;
  return *begun + spanOf(events_[next_event_].seconds);
}

/// One: who is killed is asked for before the next.
void SizedCourse::onTime(TimePoint now) {
  const auto due = wakeAt();
  if (due && now >= *due) happen(events_[next_event_++]);
}

void SizedCourse::happen(const ScriptedEvent& event) {
  switch (event.kind) {
    case ScriptedEvent::Kind::kRoom:
      room_ = std::min(event.workers, begin_.room);
      if (autoscaler_) autoscaler_->setRoom(room_);
      break;
    case ScriptedEvent::Kind::kSlow: {
      const std::string factor = std::to_string(event.factor) + "\n";
      const auto written = replaceFile(slowFileOf(begin_.folder, event.worker), asBytes(factor));
      if (!written) problem_ = written.error().message;
      break;
    }
    case ScriptedEvent::Kind::kKill:
      if (event.worker < asked_) victim_ = Slot{Role::kWorker, event.worker};
      break;
  }
}

std::optional<Slot> SizedCourse::takeVictim() {
  return std::exchange(victim_, std::nullopt);
}

experiment::SizingRecord SizedCourse::take(std::string parameters_sha256) {
  if (!autoscaler_) return recorder_.take(std::move(parameters_sha256));
  for (const SizingRecord::Change& made : autoscaler_->decisions())
    recorder_.onDecision(begin_.now + spanOf(made.seconds), made.from, made.to, made.reason,
                         made.text);
  return recorder_.take(std::move(parameters_sha256));
}

}  // namespace sumac::cli
