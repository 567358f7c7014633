#include "cli/experiment/sizing_recorder.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace sumac::cli {

void SizingRecorder::onEvent(const JobEvent& event, TimePoint now) {
  if (const auto* roster = std::get_if<RosterBegan>(&event)) onRoster(*roster, now);
  if (const auto* change = std::get_if<MembersChanged>(&event); change != nullptr && begun_)
    record_.changing_seconds += change->pause_seconds;
  if (const auto* progress = std::get_if<Progress>(&event)) onProgress(*progress, now);
  if (const auto* interim = std::get_if<Interim>(&event)) onProgress(interim->progress, now);
}

void SizingRecorder::onRoster(const RosterBegan& roster, TimePoint now) {
  training_ = static_cast<int>(
      std::ranges::count_if(roster.members, [](Slot slot) { return slot.role == Role::kWorker; }));
  if (begun_) addPhase(secondsAt(now));
}

/// Only the end of the newest step counts: steps that are done again are part of the time.
void SizingRecorder::onProgress(const Progress& progress, TimePoint now) {
  if (progress.step <= newest_) return;
  if (!begun_) {
    begun_ = now;
    first_ = progress.step;
    addPhase(0);
  }
  newest_ = progress.step;
  record_.seconds = secondsAt(now);
}

void SizingRecorder::addPhase(double begin) {
  if (training_ < 1) return;
  if (record_.phases.empty() || record_.phases.back().workers != training_)
    record_.phases.push_back({begin, training_});
}

void SizingRecorder::onDecision(TimePoint at, int from, int to, autoscaling::Reason reason,
                                std::string why) {
  autoscaling::SizeChange decided{
      .at = begun_ ? std::max(0.0, secondsAt(at)) : 0, .from = from, .told = std::move(why)};
  decided.decision.workers = to;
  decided.decision.reason = reason;
  (to == from ? record_.stays : record_.changes).push_back(std::move(decided));
}

experiment::SizingRecord SizingRecorder::take(std::string parameters_sha256) {
  record_.parameters_sha256 = std::move(parameters_sha256);
  std::erase_if(record_.phases, [this](const experiment::SizingPhase& phase) {
    return phase.begin > record_.seconds;  // no step was done with these
  });
  return std::move(record_);
}

}  // namespace sumac::cli
