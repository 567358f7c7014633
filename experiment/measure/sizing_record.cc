#include "experiment/measure/sizing_record.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"
#include "planner/report/autoscaling_words.h"

namespace sumac::experiment {
namespace {

using autoscaling::SizeChange;
using nlohmann::json;

constexpr std::size_t kMostSizings = 100'000;

std::optional<double> timeIn(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const auto seconds = found->get<double>();
  return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

std::optional<int> workersIn(const json& object, const char* name) {
  constexpr std::int64_t kMost = 1'000'000;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  const auto workers = found->get<std::int64_t>();
  return workers >= 1 && workers <= kMost ? std::optional(static_cast<int>(workers)) : std::nullopt;
}

std::optional<SizeChange> sizeChangeFrom(const json& object) {
  const auto name = object.find("reason");
  if (name == object.end() || !name->is_string()) return std::nullopt;
  const auto reason = planner::reasonNamed(name->get_ref<const std::string&>());
  const auto at = timeIn(object, "seconds");
  const auto from = workersIn(object, "from");
  const auto to = workersIn(object, "to");
  const auto why = object.find("why");
  if (!reason || !at || !from || !to || why == object.end() || !why->is_string())
    return std::nullopt;
  SizeChange change{.at = *at, .from = *from, .told = why->get<std::string>()};
  change.decision.workers = *to;
  change.decision.reason = *reason;
  return change;
}

/// A list of objects; nothing where it is none, or too long.
const json* listIn(const json& object, const char* name) {
  const auto list = object.find(name);
  if (list == object.end() || !list->is_array() || list->size() > kMostSizings) return nullptr;
  for (const json& each : *list)
    if (!each.is_object()) return nullptr;
  return &*list;
}

std::optional<std::vector<SizeChange>> changesIn(const json& object, const char* name) {
  const json* const list = listIn(object, name);
  if (list == nullptr) return std::nullopt;
  std::vector<SizeChange> changes;
  for (const json& each : *list) {
    const auto change = sizeChangeFrom(each);
    if (!change) return std::nullopt;
    changes.push_back(*change);
  }
  return changes;
}

nlohmann::ordered_json listOf(const std::vector<SizeChange>& changes) {
  auto list = nlohmann::ordered_json::array();
  for (const SizeChange& change : changes) {
    list.push_back({{"seconds", rounded(change.at)},
                    {"from", change.from},
                    {"to", change.decision.workers},
                    {"reason", planner::reasonName(change.decision.reason)},
                    {"why", change.told}});
  }
  return list;
}

/// They begin one after the other, from 0 to the end.
bool addPhases(const json& list, SizingRecord& record) {
  double before = 0;
  for (const json& each : list) {
    const auto begin = timeIn(each, "seconds");
    const auto workers = workersIn(each, "workers");
    if (!begin || !workers || *begin < before || *begin > record.seconds) return false;
    before = *begin;
    record.phases.push_back({*begin, *workers});
  }
  return !record.phases.empty() && record.phases.front().begin == 0;
}

}  // namespace

autoscaling::SimulatedRun spentBy(const SizingRecord& record, int servers,
                                  const autoscaling::Prices& prices) {
  autoscaling::SimulatedRun run;
  run.seconds = record.seconds;
  run.changing_seconds = record.changing_seconds;
  run.changes = record.changes;
  run.stays = record.stays;
  for (std::size_t i = 0; i < record.phases.size(); ++i) {
    const SizingPhase& phase = record.phases[i];
    run.phases.push_back({phase.begin, phase.workers, run.worker_seconds, run.cost});
    const bool is_last = i + 1 == record.phases.size();
    const double seconds = (is_last ? record.seconds : record.phases[i + 1].begin) - phase.begin;
    run.worker_seconds += seconds * phase.workers;
    run.server_seconds += seconds * servers;
    run.cost = prices.of(run.worker_seconds, run.server_seconds);
  }
  return run;
}

double meanWorkers(const SizingRecord& record) {
  return spentBy(record, /*servers=*/0, {}).worker_seconds / record.seconds;
}

nlohmann::ordered_json toJson(const SizingRecord& record) {
  nlohmann::ordered_json json{{"seconds", rounded(record.seconds)},
                              {"changingSeconds", rounded(record.changing_seconds)},
                              {"parametersSha256", record.parameters_sha256},
                              {"changes", listOf(record.changes)},
                              {"stays", listOf(record.stays)},
                              {"phases", nlohmann::json::array()}};
  for (const SizingPhase& phase : record.phases)
    json["phases"].push_back({{"seconds", rounded(phase.begin)}, {"workers", phase.workers}});
  return json;
}

std::optional<SizingRecord> sizingRecordFrom(const json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto seconds = timeIn(json, "seconds");
  const auto changing = timeIn(json, "changingSeconds");
  const auto sha = json.find("parametersSha256");
  auto changes = changesIn(json, "changes");
  auto stays = changesIn(json, "stays");
  const auto* const phases = listIn(json, "phases");
  if (!seconds || *seconds <= 0 || !changing || *changing < 0 || sha == json.end() ||
      !sha->is_string() || !changes || !stays || phases == nullptr)
    return std::nullopt;
  SizingRecord record{*seconds,          *changing, *std::move(changes),
                      *std::move(stays), {},        sha->get<std::string>()};
  if (!addPhases(*phases, record)) return std::nullopt;
  return record;
}

}  // namespace sumac::experiment
