#include "cli/run/autoscaler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "base/core/rounded.h"
#include "base/core/units.h"
#include "planner/report/autoscaling_words.h"
#include "planner/report/size_words.h"

namespace sumac::cli {
namespace {

using nlohmann::ordered_json;

constexpr double kForever = std::numeric_limits<double>::infinity();
// Before a change was measured: on one machine it stops the job for some hundredths of a second
// (docs/performance.md), and processes share its cores while one starts.
constexpr double kChangeHereSeconds = 0.5;

autoscaling::SizedJob sizedHere(const job::TrainingJob& job) {
  autoscaling::SizedJob sized = autoscaling::sizedJobOf(job);
  sized.change_seconds = kChangeHereSeconds;
  return sized;
}

ordered_json toJson(const SizingRecord& record) {
  ordered_json changes = ordered_json::array();
  for (const SizingRecord::Change& change : record.changes) {
    changes.push_back({{"step", change.step},
                       {"seconds", rounded(change.seconds)},
                       {"from", change.from},
                       {"to", change.to},
                       {"reason", planner::reasonName(change.reason)},
                       {"text", change.text}});
  }
  ordered_json json{{"policy", planner::goalText(record.policy.goal)},
                    {"changes", std::move(changes)},
                    {"workerSeconds", rounded(record.worker_seconds)},
                    {"serverSeconds", rounded(record.server_seconds)}};
  if (record.policy.prices != autoscaling::Prices{}) json["cost"] = rounded(record.cost);
  return json;
}

}  // namespace

int roomFor(const job::TrainingJob& job, const worker::Processors& processors) {
  const double cores = processors.cores;
  const double whole = std::floor(std::min(cores, processors.quota.value_or(cores)));
  const int room = static_cast<int>(whole) / std::max(1, job.training.threads);
  const int least = job.worker.min_replicas.value_or(1);
  return std::clamp(room, least, std::max(least, job.worker.max_replicas.value_or(least)));
}

std::string sizingBegin(const job::TrainingJob& job, int room) {
  const int least = job.worker.min_replicas.value_or(1);
  const int most = job.worker.max_replicas.value_or(least);
  std::string text = "autoscaling: " + std::string(job::toString(job.autoscaling->policy)) +
                     " chooses from " + std::to_string(least) + " to " + counted(most, "worker");
  if (room < most)
    text += "; here at most " + std::to_string(room) +
            ", by this machine's cores and spec.training.threads";
  text += '\n';
  const std::string sizes = planner::sizesText(
      {.parts = job.training.logical_workers, .workers = room, .least = least, .most = room});
  if (!sizes.empty()) text += "note: " + sizes + '\n';
  return text;
}

std::string sizingText(const SizingRecord& record, int first_workers) {
  std::string text = std::string(planner::goalText(record.policy.goal)) + ": workers " +
                     std::to_string(first_workers);
  for (const SizingRecord::Change& change : record.changes)
    text += " -> " + std::to_string(change.to);
  text += ", " + fixedText(record.worker_seconds, 1) + " worker-seconds";
  if (record.server_seconds > 0)
    text += ", " + fixedText(record.server_seconds, 1) + " server-seconds";
  if (record.policy.prices != autoscaling::Prices{}) {
    text += "; cost " + shortText(record.cost);
    if (record.policy.budget > 0) text += " of " + shortText(record.policy.budget);
  }
  return text;
}

Result<void> addToResult(const std::filesystem::path& result, const SizingRecord& record) {
  constexpr std::uint64_t kMostBytes = 1'000'000;
  const auto text = readTextFile(result, kMostBytes);
  if (!text) return text.error();
  auto object = ordered_json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return Error{ErrorCode::kInvalid, result.string() + " is not a JSON object"};
  object["autoscaling"] = toJson(record);
  const std::string whole =
      object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return replaceFile(result, asBytes(whole));
}

Autoscaler::Autoscaler(const job::TrainingJob& job, int room, TimePoint now, JobObserver* other)
    : begun_(now), other_(other), sizer_(sizedHere(job), job.worker.min_replicas.value_or(1)) {
  sizer_.setRoom(autoscaling::Room{.most = room, .until = kForever});
}

double Autoscaler::secondsAt(TimePoint time) const {
  return secondsBetween(begun_, time);
}

void Autoscaler::onEvent(const JobEvent& event, TimePoint now) {
  sizer_.advance(secondsAt(now));
  if (const auto* roster = std::get_if<RosterBegan>(&event)) {
    onRoster(*roster, now);
  } else if (const auto* change = std::get_if<MembersChanged>(&event)) {
    onChange(*change);
  } else if (const auto* progress = std::get_if<Progress>(&event)) {
    onProgress(*progress, now);
  } else if (const auto* interim = std::get_if<Interim>(&event)) {
    onProgress(interim->progress, now);
  }
  if (other_ != nullptr) other_->onEvent(event, now);
}

std::optional<TimePoint> Autoscaler::stopAt() const {
  return other_ == nullptr ? std::nullopt : other_->stopAt();
}

void Autoscaler::onRoster(const RosterBegan& roster, TimePoint now) {
  const auto workers =
      std::ranges::count_if(roster.members, [](Slot slot) { return slot.role == Role::kWorker; });
  sizer_.trains(static_cast<int>(workers), secondsAt(now));
}

/// A loss stops the job for longer than what we ask for.
void Autoscaler::onChange(const MembersChanged& change) {
  if (!is_pause_awaited_ || change.workers != sizer_.course().wanted) return;
  is_pause_awaited_ = false;
  sizer_.paused(change.pause_seconds);
}

void Autoscaler::onProgress(const Progress& progress, TimePoint now) {
  const int before = sizer_.course().wanted;
  sizer_.progressed(progress, secondsAt(now));
  const autoscaling::Decision decision = sizer_.decide(secondsAt(now));
  if (decision.workers == before) return;
  const planner::SizeDecision made{sizer_.job().policy, before, decision};
  std::string text = planner::sizeChangeText(made, progress.step);
  changes_.push_back({progress.step, secondsAt(now), before, decision.workers, decision.reason,
                      planner::reasonText(made)});
  resize_ = Resize{now, decision.workers, std::move(text)};
  is_pause_awaited_ = true;
}

SizingRecord Autoscaler::record() const {
  const autoscaling::SizingCourse& course = sizer_.course();
  return {sizer_.job().policy, changes_, course.worker_seconds, course.server_seconds,
          sizer_.cost()};
}

}  // namespace sumac::cli
