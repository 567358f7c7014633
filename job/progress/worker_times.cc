#include "job/progress/worker_times.h"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/core/slot.h"
#include "job/progress/json_fields.h"

namespace sumac {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kWorker = "worker";
constexpr const char* kOtherSeconds = "otherSeconds";

std::optional<WorkerTimes> timesIn(const json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto worker = internal::wholeIn(object, kWorker);
  if (!worker || *worker > kLargestIndex) return std::nullopt;
  WorkerTimes times{.worker = static_cast<int>(*worker)};
  const auto read = [&object](const char* name, double& into) {
    into = internal::decimalIn(object, name).value_or(-1);
    return into >= 0;
  };
  const bool is_whole = read(internal::names::kSeconds, times.seconds) &&
                        read(internal::names::kGradientSeconds, times.gradients) &&
                        read(internal::names::kSumWaitSeconds, times.sum_wait) &&
                        read(internal::names::kDataWaitSeconds, times.data_wait) &&
                        read(internal::names::kUpdateSeconds, times.updates);
  return is_whole ? std::optional(times) : std::nullopt;
}

}  // namespace

double WorkerTimes::other() const {
  return std::max(0.0, seconds - gradients - sum_wait - data_wait - updates);
}

ordered_json toJson(std::span<const WorkerTimes> times) {
  ordered_json array = ordered_json::array();
  for (const WorkerTimes& one : times.first(std::min(times.size(), kMostWorkerTimes))) {
    ordered_json object{{kWorker, one.worker}};
    internal::putNumber(object, internal::names::kSeconds, one.seconds);
    internal::putNumber(object, internal::names::kGradientSeconds, one.gradients);
    internal::putNumber(object, internal::names::kSumWaitSeconds, one.sum_wait);
    internal::putNumber(object, internal::names::kDataWaitSeconds, one.data_wait);
    internal::putNumber(object, internal::names::kUpdateSeconds, one.updates);
    internal::putNumber(object, kOtherSeconds, one.other());
    array.push_back(std::move(object));
  }
  return array;
}

std::string toText(std::span<const WorkerTimes> times) {
  return internal::dumped(toJson(times));
}

std::vector<WorkerTimes> workerTimesFrom(const json& array) {
  std::vector<WorkerTimes> found;
  if (!array.is_array()) return found;
  for (const json& object : array) {
    if (found.size() == kMostWorkerTimes) break;
    if (const auto times = timesIn(object)) found.push_back(*times);
  }
  return found;
}

std::vector<WorkerTimes> workerTimesFromText(std::string_view text) {
  return workerTimesFrom(json::parse(text, nullptr, /*allow_exceptions=*/false));
}

}  // namespace sumac
