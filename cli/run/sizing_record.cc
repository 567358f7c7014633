#include "cli/run/sizing_record.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "base/core/rounded.h"
#include "base/core/units.h"
#include "planner/report/autoscaling_words.h"

namespace sumac::cli {
namespace {

using autoscaling::Observation;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uint64_t kMostResultBytes = 1'000'000;
constexpr double kMostSeconds = 1e12;
constexpr int kMostWorkers = 1'000'000;

bool hasDeadline(const SizingRecord& record) {
  return record.policy.goal == autoscaling::Goal::kDeadline;
}

bool hasBudget(const SizingRecord& record) {
  return record.policy.goal == autoscaling::Goal::kCost;
}

ordered_json changesJson(const SizingRecord& record) {
  ordered_json changes = ordered_json::array();
  for (const SizingRecord::Change& change : record.changes) {
    changes.push_back({{"step", change.step},
                       {"seconds", rounded(change.seconds)},
                       {"from", change.from},
                       {"to", change.to},
                       {"reason", planner::reasonName(change.reason)},
                       {"text", change.text}});
  }
  return changes;
}

ordered_json observationsJson(const SizingRecord& record) {
  ordered_json observations = ordered_json::array();
  for (const Observation& one : record.course.memory.observations) {
    observations.push_back({{"workers", one.workers},
                            {"steps", rounded(one.steps)},
                            {"stepSeconds", rounded(one.step_seconds)},
                            {"computeSeconds", rounded(one.compute_seconds)},
                            {"seconds", rounded(one.at)}});
  }
  return observations;
}

ordered_json toJson(const SizingRecord& record, bool is_complete) {
  const autoscaling::SizingCourse& course = record.course;
  const autoscaling::Policy& policy = record.policy;
  ordered_json object{{"policy", planner::goalText(policy.goal)},
                      {"startTime", toRfc3339(record.started)},
                      {"seconds", rounded(course.now)},
                      {"workers", course.wanted},
                      {"changes", changesJson(record)},
                      {"workerSeconds", rounded(course.worker_seconds)},
                      {"serverSeconds", rounded(course.server_seconds)}};
  if (policy.prices != autoscaling::Prices{}) object["cost"] = rounded(record.cost());
  if (hasDeadline(record)) object["deadlineSeconds"] = rounded(policy.deadline_seconds);
  if (hasDeadline(record) && is_complete)
    object["deadlineKept"] = course.now <= policy.deadline_seconds;
  if (hasBudget(record)) object["budget"] = rounded(policy.budget);
  if (hasBudget(record) && is_complete) object["budgetKept"] = record.cost() <= policy.budget;
  object["observations"] = observationsJson(record);
  return object;
}

/// A number from 0 to `most`; 0 where there is none.
double amountIn(const json& object, const char* name, double most = kMostSeconds) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return 0;
  const double value = found->get<double>();
  return value >= 0 && value <= most ? value : 0;
}

std::string textIn(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int workersIn(const json& object, const char* name) {
  return std::max(1, static_cast<int>(amountIn(object, name, kMostWorkers)));
}

/// The objects in a list of this name.
std::vector<json> objectsIn(const json& object, const char* name) {
  std::vector<json> objects;
  const json list = object.value(name, json::array());
  if (!list.is_array()) return objects;
  for (const json& one : list)
    if (one.is_object()) objects.push_back(one);
  return objects;
}

SizingRecord::Change changeFrom(const json& object) {
  return {
      .step = static_cast<Step>(amountIn(object, "step")),
      .seconds = amountIn(object, "seconds"),
      .from = workersIn(object, "from"),
      .to = workersIn(object, "to"),
      .reason =
          planner::reasonNamed(textIn(object, "reason")).value_or(autoscaling::Reason::kMeasuring),
      .text = textIn(object, "text")};
}

Observation observationFrom(const json& object) {
  return {.workers = workersIn(object, "workers"),
          .steps = amountIn(object, "steps"),
          .step_seconds = amountIn(object, "stepSeconds"),
          .compute_seconds = amountIn(object, "computeSeconds"),
          .at = amountIn(object, "seconds")};
}

Result<ordered_json> objectIn(const std::filesystem::path& file) {
  const auto text = readTextFile(file, kMostResultBytes);
  if (!text) return text.error();
  auto object = ordered_json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (object.is_object()) return object;
  return Error{ErrorCode::kInvalid, file.string() + " is not a JSON object"};
}

std::string deadlineText(const SizingRecord& record, bool is_complete) {
  const double deadline = record.policy.deadline_seconds;
  const double left = deadline - record.course.now;
  const std::string text = "; deadline of " + durationText(deadline);
  if (left < 0) return text + " missed by " + durationText(-left);
  return text + (is_complete ? " kept, " : ", ") + durationText(left) + " before it";
}

std::string budgetText(const SizingRecord& record, bool is_complete) {
  const double budget = record.policy.budget;
  const double left = budget - record.cost();
  const std::string text = "; budget of " + shortText(budget);
  if (left < 0) return text + " exceeded by " + shortText(-left);
  return text + (is_complete ? " kept, " : ", ") + shortText(left) + " of it left";
}

}  // namespace

double SizingRecord::cost() const {
  return policy.prices.of(course.worker_seconds, course.server_seconds);
}

std::string sizingText(const SizingRecord& record, bool is_complete) {
  const autoscaling::SizingCourse& course = record.course;
  const int first = record.changes.empty() ? course.wanted : record.changes.front().from;
  std::string text =
      std::string(planner::goalText(record.policy.goal)) + ": workers " + std::to_string(first);
  for (const SizingRecord::Change& change : record.changes)
    text += " -> " + std::to_string(change.to);
  text += ", " + fixedText(course.worker_seconds, 1) + " worker-seconds";
  if (course.server_seconds > 0)
    text += ", " + fixedText(course.server_seconds, 1) + " server-seconds";
  if (record.policy.prices != autoscaling::Prices{}) text += "; cost " + shortText(record.cost());
  if (hasDeadline(record)) text += deadlineText(record, is_complete);
  if (hasBudget(record)) text += budgetText(record, is_complete);
  return text;
}

Result<void> addToResult(const std::filesystem::path& result, const SizingRecord& record,
                         bool is_complete) {
  auto object = objectIn(result);
  if (!object) return object.error();
  (*object)["autoscaling"] = toJson(record, is_complete);
  const std::string whole =
      object->dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return replaceFile(result, asBytes(whole));
}

std::optional<SizingRecord> readSizing(const std::filesystem::path& result) {
  const auto object = objectIn(result);
  if (!object) return std::nullopt;
  const json kept = object->value("autoscaling", ordered_json());
  if (!kept.is_object()) return std::nullopt;
  const auto started = parseRfc3339(textIn(kept, "startTime"));
  if (!started) return std::nullopt;
  SizingRecord record{.started = *started};
  for (const json& change : objectsIn(kept, "changes"))
    record.changes.push_back(changeFrom(change));
  autoscaling::SizingCourse& course = record.course;
  course.now = amountIn(kept, "seconds");
  course.workers = course.wanted = workersIn(kept, "workers");
  course.worker_seconds = amountIn(kept, "workerSeconds");
  course.server_seconds = amountIn(kept, "serverSeconds");
  for (const json& one : objectsIn(kept, "observations")) {
    const Observation observation = observationFrom(one);
    auto& all = course.memory.observations;
    const bool is_new = course.memory.find(observation.workers) == nullptr;
    if (isPossible(observation) && is_new && all.size() < autoscaling::kMostObservations)
      all.push_back(observation);
  }
  return record;
}

}  // namespace sumac::cli
