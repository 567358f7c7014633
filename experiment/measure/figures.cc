#include "experiment/measure/figures.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include <nlohmann/json.hpp>

#include "common/base/check.h"
#include "common/base/rounded.h"
#include "common/progress/job_event.h"

namespace sumac::experiment {
namespace {

constexpr std::size_t kMostStepTimes = 100'000;

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

}  // namespace

double RunFigures::medianStepSeconds() const {
  SUMAC_CHECK(!step_seconds.empty());
  std::vector<double> sorted = step_seconds;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

Result<RunFigures> figuresOf(std::string_view metrics, std::int64_t warmup_steps) {
  RunFigures figures;
  std::optional<Progress> before;
  while (!metrics.empty()) {
    const auto event = jobEventFromLine(takeLine(metrics));
    const auto* const progress = event ? std::get_if<Progress>(&*event) : nullptr;
    if (progress == nullptr || !progress->seconds || progress->step < warmup_steps) continue;
    if (before) {
      const Step steps = progress->step - before->step;
      const double seconds = *progress->seconds - *before->seconds;
      if (steps < 1 || !std::isfinite(seconds) || seconds < 0)
        return Error{ErrorCode::kInvalid, "metrics.jsonl: steps are not in order"};
      figures.steps += steps;
      figures.seconds += seconds;
      figures.step_seconds.push_back(seconds / static_cast<double>(steps));
    }
    before = *progress;
  }
  if (isSpan(figures.seconds)) return figures;
  return Error{ErrorCode::kInvalid,
               "metrics.jsonl tells no time of steps after the warm-up; "
               "spec.steps may be too few"};
}

std::string toFile(const RunFigures& figures) {
  nlohmann::ordered_json json{{"schemaVersion", 1},
                              {"steps", figures.steps},
                              {"seconds", rounded(figures.seconds)},
                              {"stepSeconds", nlohmann::ordered_json::array()}};
  for (const double seconds : figures.step_seconds)
    json["stepSeconds"].push_back(rounded(seconds));
  return json.dump() + "\n";
}

Result<RunFigures> figuresFromFile(std::string_view text) {
  const Error bad{ErrorCode::kInvalid, "not the file of a run"};
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("schemaVersion", nlohmann::json()) != 1) return bad;
  const auto steps = json.find("steps");
  const auto seconds = json.find("seconds");
  const auto times = json.find("stepSeconds");
  if (steps == json.end() || seconds == json.end() || times == json.end()) return bad;
  if (!steps->is_number_integer() || !seconds->is_number() || !times->is_array()) return bad;
  RunFigures figures{steps->get<std::int64_t>(), seconds->get<double>(), {}};
  if (figures.steps < 1 || !isSpan(figures.seconds)) return bad;
  if (times->empty() || times->size() > kMostStepTimes) return bad;
  for (const auto& time : *times) {
    if (!time.is_number()) return bad;
    figures.step_seconds.push_back(time.get<double>());
  }
  return figures;
}

}  // namespace sumac::experiment
