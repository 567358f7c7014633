#include "experiment/document/scale_script.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "base/yaml/scalar.h"

namespace sumac::experiment {
namespace {

constexpr int kMostScaleSteps = 1'000;
constexpr int kMostWorkers = 1'000'000;  // the job has a limit of its own
constexpr int kLongestTime = 16;         // characters

/// The seconds of "90s", "1.5m" or "2h"; nothing for anything else.
std::optional<double> secondsIn(std::string_view text) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3'600;
  constexpr double kLongest = 366 * 24 * kHour;
  if (text.empty() || text.find_first_not_of("0123456789.") != text.size() - 1) return std::nullopt;
  double number = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto read = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  if (text.back() == 'm') number *= kMinute;
  if (text.back() == 'h') number *= kHour;
  const bool is_time = text.back() == 's' || text.back() == 'm' || text.back() == 'h';
  return is_time && number <= kLongest ? std::optional(number) : std::nullopt;
}

const job::Pattern kTimePattern = {
    R"(^[0-9]+(\.[0-9]+)?[smh]$)",
    [](std::string_view text) { return secondsIn(text).has_value(); }, "90s",
    "a time in s, m or h"};

}  // namespace

job::Field timeField() {
  return {.name = "at",
          .type = job::Type::kString,
          .text = "Time since the job's first step, such as 0s, 90s, 1.5m.",
          .required = true,
          .pattern = kTimePattern,
          .max_length = kLongestTime};
}

double secondsOf(const yaml::Node& at) {
  return secondsIn(at.text).value_or(0);
}

job::Field scaleField() {
  return {.name = "scale",
          .type = job::Type::kList,
          .text =
              "Changes the number of workers while a job runs: a script of times and numbers. "
              "Members come and go while it trains; where they may not change, it is stopped at a "
              "checkpoint and goes on from there. Sets worker.replicas, minReplicas and "
              "maxReplicas.",
          .max_length = kMostScaleSteps,
          .fields = {{.name = "step",
                      .text = "From a time on, a number of workers.",
                      .fields = {timeField(),
                                 {.name = "workers",
                                  .type = job::Type::kInteger,
                                  .text = "Workers from then on, at most logicalWorkers.",
                                  .required = true,
                                  .minimum = 1,
                                  .maximum = kMostWorkers}}}}};
}

std::vector<ScaleStep> scaleFrom(const yaml::Node& list, const ReportProblem& report) {
  std::vector<ScaleStep> script;
  if (list.items.empty()) report(list.position, "spec.scale", "a script needs at least one step");
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const yaml::Node& at = *list.items[i].find("at");
    const yaml::Node& workers = *list.items[i].find("workers");
    const ScaleStep step{secondsOf(at), static_cast<int>(yaml::integerOf(workers).value_or(1)),
                         workers.position};
    const std::string path = "spec.scale[" + std::to_string(i) + "]";
    if (script.empty() && step.seconds > 0) {
      report(at.position, path + ".at", "a script begins at 0s");
    } else if (!script.empty() && step.seconds <= script.back().seconds) {
      report(at.position, path + ".at", "must be later than the step before");
    }
    if (!script.empty() && step.workers == script.back().workers)
      report(workers.position, path + ".workers", "the step before has as many workers");
    script.push_back(step);
  }
  return script;
}

}  // namespace sumac::experiment
