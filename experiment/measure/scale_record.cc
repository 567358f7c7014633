#include "experiment/measure/scale_record.h"

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"

namespace sumac::experiment {
namespace {

constexpr std::size_t kMostPoints = 1'000'000;

std::optional<double> numberIn(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::optional<std::int64_t> integerIn(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<ScalePoint> pointFrom(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto seconds = numberIn(json, "seconds");
  const auto workers = integerIn(json, "workers");
  const auto step = integerIn(json, "step");
  if (!seconds || !workers || !step) return std::nullopt;
  return ScalePoint{*seconds, static_cast<int>(*workers), *step, numberIn(json, "batchesPerSecond"),
                    numberIn(json, "loss")};
}

std::optional<ScaleChange> changeFrom(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto seconds = numberIn(json, "seconds");
  const auto step = integerIn(json, "step");
  const auto from = integerIn(json, "from");
  const auto to = integerIn(json, "to");
  const auto cost = numberIn(json, "costSeconds");
  if (!seconds || !step || !from || !to || !cost) return std::nullopt;
  return ScaleChange{*seconds, *step, static_cast<int>(*from), static_cast<int>(*to), *cost};
}

std::optional<ScaleTimes> timesFrom(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto workers = integerIn(json, "workers");
  const auto steps = integerIn(json, "steps");
  const auto phases = stepPhasesFrom(json.value("phases", nlohmann::json()));
  if (!workers || !steps || *steps < 1 || !phases) return std::nullopt;
  return ScaleTimes{static_cast<int>(*workers), *steps, *phases};
}

/// Every item of the list `name`; nothing if one of them cannot be read.
template <typename Item>
std::optional<std::vector<Item>> listFrom(const nlohmann::json& object, const char* name,
                                          std::optional<Item> (*read)(const nlohmann::json&)) {
  const auto list = object.find(name);
  if (list == object.end() || !list->is_array() || list->size() > kMostPoints) return std::nullopt;
  std::vector<Item> items;
  for (const nlohmann::json& each : *list) {
    const auto item = read(each);
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  return items;
}

}  // namespace

std::vector<ScalePhase> phasesOf(const ScaleRecord& record) {
  std::vector<ScalePhase> phases;
  for (const ScalePoint& point : record.points) {
    if (phases.empty() || phases.back().workers != point.workers) {
      phases.push_back(
          {point.workers, point.seconds, point.seconds, point.step, point.step, std::nullopt});
    }
    ScalePhase& phase = phases.back();
    phase.end_seconds = point.seconds;
    phase.last_step = point.step;
    const double seconds = phase.end_seconds - phase.begin_seconds;
    if (seconds > 0)
      phase.batches_per_second = static_cast<double>(phase.last_step - phase.first_step) / seconds;
  }
  return phases;
}

std::optional<StepPhases> meanPhases(const ScaleRecord& record) {
  StepPhases mean;
  double steps = 0;
  for (const ScaleTimes& times : record.times)
    steps += static_cast<double>(times.steps);
  if (steps == 0) return std::nullopt;
  for (const ScaleTimes& times : record.times) {
    const double share = static_cast<double>(times.steps) / steps;
    mean.gradient_seconds += share * times.phases.gradient_seconds;
    mean.update_seconds += share * times.phases.update_seconds;
    mean.sum_wait_seconds += share * times.phases.sum_wait_seconds;
    mean.data_wait_seconds += share * times.phases.data_wait_seconds;
  }
  return mean;
}

nlohmann::ordered_json toJson(const ScaleRecord& record) {
  nlohmann::ordered_json json{{"parametersSha256", record.parameters_sha256},
                              {"changes", nlohmann::json::array()},
                              {"restarts", record.restarts},
                              {"points", nlohmann::json::array()}};
  for (const ScaleChange& change : record.changes) {
    json["changes"].push_back({{"seconds", rounded(change.seconds)},
                               {"step", change.step},
                               {"from", change.from},
                               {"to", change.to},
                               {"costSeconds", rounded(change.cost_seconds)}});
  }
  for (const ScaleTimes& times : record.times) {
    json["times"].push_back(
        {{"workers", times.workers}, {"steps", times.steps}, {"phases", toJson(times.phases)}});
  }
  for (const ScalePoint& point : record.points) {
    nlohmann::ordered_json one{
        {"seconds", rounded(point.seconds)}, {"workers", point.workers}, {"step", point.step}};
    if (point.batches_per_second) one["batchesPerSecond"] = rounded(*point.batches_per_second);
    if (point.loss) one["loss"] = rounded(*point.loss);
    json["points"].push_back(std::move(one));
  }
  return json;
}

std::optional<ScaleRecord> scaleRecordFrom(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto sha = json.find("parametersSha256");
  auto points = listFrom(json, "points", pointFrom);
  // An earlier version, whose folder may be resumed, had the changes there: all were restarts.
  const bool is_old = !json.contains("changes");
  auto changes = listFrom(json, is_old ? "restarts" : "changes", changeFrom);
  const auto restarts = is_old && changes ? std::optional<std::int64_t>(std::ssize(*changes))
                                          : integerIn(json, "restarts");
  auto times = json.contains("times") ? listFrom(json, "times", timesFrom)
                                      : std::optional<std::vector<ScaleTimes>>(std::in_place);
  if (sha == json.end() || !sha->is_string() || !points || !changes || !times || !restarts)
    return std::nullopt;
  return ScaleRecord{*std::move(points), *std::move(changes), sha->get<std::string>(),
                     *std::move(times), static_cast<int>(*restarts)};
}

}  // namespace sumac::experiment
