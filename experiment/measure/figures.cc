#include "experiment/measure/figures.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/core/quantile.h"
#include "base/core/rounded.h"
#include "job/progress/job_event.h"

namespace sumac::experiment {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFileVersion = 4;
constexpr std::size_t kMostStepTimes = 1'000'000;  // as many as moments of a run over time

bool isSpan(double seconds) {
  return std::isfinite(seconds) && seconds > 0;
}

/// The next line of `text`, which loses it.
std::string_view takeLine(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// The lines of steps from `first` on that tell a time.
std::vector<Progress> progressIn(std::string_view metrics, Step first) {
  std::vector<Progress> lines;
  while (!metrics.empty()) {
    const auto event = jobEventFromLine(takeLine(metrics));
    const auto* const progress = event ? std::get_if<Progress>(&*event) : nullptr;
    if (progress != nullptr && progress->seconds && progress->step >= first)
      lines.push_back(*progress);
  }
  return lines;
}

/// A number >= 0 of an object.
std::optional<double> amountIn(const nlohmann::json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<StepBytes> bytesIn(const nlohmann::json& json, const char* sent,
                                 const char* received) {
  const auto out = amountIn(json, sent);
  const auto in = amountIn(json, received);
  return out && in ? std::optional(StepBytes{*out, *in}) : std::nullopt;
}

/// Whether steps, their time together and their times one by one fit each other: a time may be the
/// mean of several steps.
bool areConsistent(const RunFigures& figures) {
  // Files have six digits, so that each number is wrong by up to 5e-6, and a sum beside its parts
  // by twice that.
  constexpr double kRounding = 2e-5;
  if (std::ssize(figures.step_seconds) > figures.steps) return false;
  const auto [least, most] = std::ranges::minmax(figures.step_seconds);
  const double mean = figures.seconds / static_cast<double>(figures.steps);
  if (mean < least * (1 - kRounding) || mean > most * (1 + kRounding)) return false;
  if (std::ssize(figures.step_seconds) < figures.steps) return true;
  double sum = 0;
  for (const double seconds : figures.step_seconds)
    sum += seconds;
  return std::abs(sum - figures.seconds) <= kRounding * figures.seconds;
}

/// The nodes of a file of a run; false: they cannot be read.
bool addNodes(RunFigures& figures, const nlohmann::json& json) {
  if (const auto nodes = json.find("nodes"); nodes != json.end() && nodes->is_object()) {
    for (const auto& [member, node] : nodes->items()) {
      if (!node.is_string()) return false;
      figures.nodes[member] = node.get<std::string>();
    }
  }
  for (const auto& each : json.value("nodeFacts", nlohmann::json::array())) {
    auto facts = nodeFactsFrom(each);
    if (!facts) return false;
    figures.node_facts.push_back(*std::move(facts));
  }
  return true;
}

}  // namespace

double RunFigures::medianStepSeconds() const {
  return median(step_seconds);
}

Result<RunFigures> figuresOf(std::string_view metrics, std::int64_t warmup_steps) {
  constexpr std::size_t kLeastLines =
      2;  // of a log that tells few steps nothing else would be left
  std::vector<Progress> lines = progressIn(metrics, warmup_steps);
  if (lines.size() > kLeastLines) lines.pop_back();
  RunFigures figures;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Step steps = lines[i].step - lines[i - 1].step;
    const double seconds = *lines[i].seconds - *lines[i - 1].seconds;
    if (steps < 1 || !std::isfinite(seconds) || seconds < 0)
      return Error{ErrorCode::kInvalid, "metrics.jsonl: steps are not in order"};
    figures.steps += steps;
    figures.seconds += seconds;
    figures.step_seconds.push_back(seconds / static_cast<double>(steps));
  }
  if (!lines.empty()) figures.phases = phasesOf(lines.front(), lines.back());
  if (isSpan(figures.seconds)) return figures;
  return Error{ErrorCode::kInvalid,
               "metrics.jsonl tells no time of steps after the warm-up; "
               "spec.steps may be too few"};
}

void addResult(RunFigures& figures, std::string_view result) {
  const auto json = nlohmann::json::parse(result, nullptr, /*allow_exceptions=*/false);
  if (json.is_object())
    figures.computing = emulatedComputingFrom(json.value("emulatedSeconds", nlohmann::json()));
  if (const auto told = jobResultFromJson(json)) figures.learned = learnedOf(*told);
  const double steps = amountIn(json, "steps").value_or(0);
  if (steps < 1) return;
  figures.bytes = bytesIn(json, "sentBytes", "receivedBytes");
  if (!figures.bytes) return;
  figures.bytes->sent /= steps;
  figures.bytes->received /= steps;
}

Result<RunFigures> figuresOf(ScaleRecord record, std::int64_t warmup_steps) {
  RunFigures figures;
  const ScalePoint* before = nullptr;
  for (const ScalePoint& point : record.points) {
    if (point.step < warmup_steps) continue;
    if (before != nullptr && point.step > before->step) {
      const auto steps = point.step - before->step;
      const double seconds = point.seconds - before->seconds;
      figures.steps += steps;
      figures.seconds += seconds;
      figures.step_seconds.push_back(seconds / static_cast<double>(steps));
    }
    before = &point;
  }
  figures.phases = meanPhases(record);
  figures.scale = std::move(record);
  if (isSpan(figures.seconds)) return figures;
  return Error{ErrorCode::kInvalid,
               "no step was seen after the warm-up; spec.steps may be too few"};
}

Result<RunFigures> figuresOf(SizingRecord record, std::int64_t steps) {
  if (steps < 1 || !isSpan(record.seconds))
    return Error{ErrorCode::kInvalid,
                 "the job told no time of its steps; spec.steps may be too few"};
  RunFigures figures;
  figures.steps = steps;
  figures.seconds = record.seconds;
  figures.step_seconds = {record.seconds / static_cast<double>(steps)};
  figures.sizing = std::move(record);
  return figures;
}

std::string toFile(const RunFigures& figures, const std::string& owner) {
  Json json{{"schemaVersion", kFileVersion},
            {"run", owner},
            {"steps", figures.steps},
            {"seconds", rounded(figures.seconds)},
            {"stepSeconds", Json::array()}};
  for (const double seconds : figures.step_seconds)
    json["stepSeconds"].push_back(rounded(seconds));
  if (figures.phases) json["phases"] = toJson(*figures.phases);
  if (figures.bytes) {
    json["bytes"] = {{"sent", rounded(figures.bytes->sent)},
                     {"received", rounded(figures.bytes->received)}};
  }
  if (figures.computing) json["emulatedSeconds"] = toJson(*figures.computing);
  if (figures.lacking_cores) json["lackingCores"] = rounded(*figures.lacking_cores);
  if (!figures.learned.scores.empty()) json["learned"] = toJson(figures.learned);
  if (figures.scale) json["scale"] = toJson(*figures.scale);
  if (figures.sizing) json["sizing"] = toJson(*figures.sizing);
  if (!figures.nodes.empty()) json["nodes"] = figures.nodes;
  for (const NodeFacts& facts : figures.node_facts)
    json["nodeFacts"].push_back(toJson(facts));
  if (!figures.left_on_volume.empty()) json["leftOnVolume"] = figures.left_on_volume;
  return json.dump() + "\n";
}

Result<RunFigures> figuresFromFile(std::string_view text, const std::string& owner) {
  const Error bad{ErrorCode::kInvalid, "not the file of a run"};
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("schemaVersion", nlohmann::json()) != kFileVersion)
    return bad;
  if (json.value("run", nlohmann::json()) != owner) return bad;
  const auto steps = json.find("steps");
  const auto seconds = json.find("seconds");
  const auto times = json.find("stepSeconds");
  if (steps == json.end() || seconds == json.end() || times == json.end()) return bad;
  if (!steps->is_number_integer() || !seconds->is_number() || !times->is_array()) return bad;
  RunFigures figures{steps->get<std::int64_t>(), seconds->get<double>(), {}, std::nullopt, {}};
  if (figures.steps < 1 || !isSpan(figures.seconds)) return bad;
  if (times->empty() || times->size() > kMostStepTimes) return bad;
  for (const auto& time : *times) {
    if (!time.is_number()) return bad;
    figures.step_seconds.push_back(time.get<double>());
  }
  if (!areConsistent(figures)) return bad;
  figures.phases = stepPhasesFrom(json.value("phases", nlohmann::json()));
  figures.bytes = bytesIn(json.value("bytes", nlohmann::json()), "sent", "received");
  figures.computing = emulatedComputingFrom(json.value("emulatedSeconds", nlohmann::json()));
  figures.lacking_cores = amountIn(json, "lackingCores");
  if (const auto learned = json.find("learned"); learned != json.end()) {
    auto told = learnedFrom(*learned);
    if (!told) return bad;
    figures.learned = *std::move(told);
  }
  if (!addNodes(figures, json)) return bad;
  if (const auto left = json.find("leftOnVolume"); left != json.end()) {
    if (!left->is_string()) return bad;
    figures.left_on_volume = left->get<std::string>();
  }
  if (const auto scale = json.find("scale"); scale != json.end()) {
    figures.scale = scaleRecordFrom(*scale);
    if (!figures.scale) return bad;
  }
  if (const auto sizing = json.find("sizing"); sizing != json.end()) {
    figures.sizing = sizingRecordFrom(*sizing);
    if (!figures.sizing) return bad;
  }
  return figures;
}

}  // namespace sumac::experiment
