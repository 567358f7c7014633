#include "experiment/document/sizing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/core/check.h"
#include "base/core/units.h"
#include "base/yaml/scalar.h"
#include "job/document/edit.h"
#include "job/document/rule_tools.h"
#include "job/document/unquoted.h"

namespace sumac::experiment {
namespace {

using job::Field;
using job::Type;
using yaml::Node;

constexpr const char* kOfJob = "spec.autoscaling";
constexpr std::array kKinds = {"policy", "fixed", "hpa"};
constexpr std::array kOfPolicies = {"targetEfficiency", "deadlineSeconds", "cost",
                                    "stabilizationSeconds"};
constexpr int kMostFixed = 1'000'000;  // the job has a limit of its own
constexpr int kPercent = 100;

Field hpaField() {
  constexpr int kMostTarget = 1'000;
  constexpr int kLongest = 86'400;
  return {.name = "hpa",
          .text =
              "In place of a policy, a HorizontalPodAutoscaler on the workers' processor time, "
              "by the formula that Kubernetes documents. It stays within worker.minReplicas "
              "and maxReplicas, and begins with the former. Jobs on one machine have none.",
          .fields = {{.name = "targetUtilization",
                      .type = Type::kInteger,
                      .text = "Processor time of the workers, in percent of their request.",
                      .minimum = 1,
                      .maximum = kMostTarget,
                      .resolver_default = "80"},
                     {.name = "cpuRequest",
                      .type = Type::kDecimal,
                      .text = "Cores that a worker's pod requests; as many as it has threads "
                              "without it.",
                      .range = {.above = "0", .below = "1e4"}},
                     {.name = "periodSeconds",
                      .type = Type::kInteger,
                      .text = "Between two looks.",
                      .minimum = 1,
                      .maximum = kLongest,
                      .resolver_default = "15"},
                     {.name = "tolerance",
                      .type = Type::kDecimal,
                      .text = "A utilization that is off its target by no more changes nothing.",
                      .range = {.at_least = "0", .below = "1"},
                      .resolver_default = "\"0.1\""},
                     {.name = "downStabilizationSeconds",
                      .type = Type::kInteger,
                      .text = "No fewer workers than at any time so long before.",
                      .minimum = 0,
                      .maximum = kLongest,
                      .resolver_default = "300"}}};
}

/// How many of these fields there are.
std::int64_t countOf(const Node& self, std::span<const char* const> names) {
  return std::ranges::count_if(names, [&self](const char* name) { return job::has(self, name); });
}

double decimalIn(const Node& map, std::string_view name, double otherwise) {
  const Node* const node = map.find(name);
  if (node != nullptr)
    std::from_chars(node->text.data(), node->text.data() + node->text.size(), otherwise);
  return otherwise;
}

/// By what makes most of them differ.
std::string nameOf(const Node& value) {
  if (value.kind != yaml::Kind::kMap) return "none";
  if (const Node* const fixed = value.find("fixed"))
    return counted(yaml::integerOf(*fixed).value_or(0), "worker");
  if (const auto hpa = hpaOf(value))
    return "hpa " + std::to_string(std::lround(kPercent * hpa->target)) + " %";
  std::string name = value.find("policy")->text;
  if (const Node* const target = value.find("targetEfficiency")) name += " " + target->text;
  if (const Node* const deadline = value.find("deadlineSeconds"))
    name += " " + deadline->text + " s";
  const Node* const cost = value.find("cost");
  if (const Node* const budget = cost == nullptr ? nullptr : cost->find("budget"))
    name += " " + budget->text;
  return name;
}

using Settings = std::map<std::string, std::string>;

/// All that a value sets, by path: of an hpa "tolerance", of a policy "cost.workerHour".
void addSettings(const Node& map, const std::string& prefix, Settings& settings) {
  for (const auto& [key, value] : map.fields) {
    if (value.kind == yaml::Kind::kMap)
      addSettings(value, key == "hpa" ? "" : prefix + key + ".", settings);
    else
      settings[prefix + key] = value.text;
  }
}

/// Those of one value that not all of `indices` have: "stabilizationSeconds 3, cost.workerHour 2".
std::string ownSettings(std::size_t index, const std::vector<std::size_t>& indices,
                        const std::vector<Settings>& settings) {
  std::string text;
  for (const auto& setting : settings[index]) {
    const bool is_common = std::ranges::all_of(indices, [&](std::size_t other) {
      const auto found = settings[other].find(setting.first);
      return found != settings[other].end() && found->second == setting.second;
    });
    if (!is_common) text += (text.empty() ? "" : ", ") + setting.first + " " + setting.second;
  }
  return text;
}

}  // namespace

Field autoscalingField() {
  const Field* const of_job = job::fieldAt(kOfJob);
  SUMAC_CHECK(of_job != nullptr);
  Field field = *of_job;
  field.text =
      "How the jobs choose their number of workers: as their own spec.autoscaling, or what that is "
      "compared with, a fixed size or a HorizontalPodAutoscaler. An axis may vary it.";
  for (Field& child : field.fields) {
    if (child.name == "policy") child.required = false;
    // The job sets it, too, and other kinds have none.
    if (!child.schema_default.empty())
      child.resolver_default = std::exchange(child.schema_default, {});
  }
  field.fields.push_back({.name = "fixed",
                          .type = Type::kInteger,
                          .text = "In place of a policy, so many workers from beginning to end.",
                          .minimum = 1,
                          .maximum = kMostFixed});
  field.fields.push_back(hpaField());
  const std::vector<job::Rule> kinds{
      {"", "exactly one of policy, fixed and hpa is needed",
       [](const Node& self) { return countOf(self, kKinds) == 1; }},
      {"", "nothing stands beside fixed or hpa: other fields are a policy's", [](const Node& self) {
         return job::has(self, "policy") || countOf(self, kKinds) == 0 ||
                countOf(self, kOfPolicies) == 0;
       }}};
  field.rules.insert(field.rules.begin(), kinds.begin(), kinds.end());
  return field;
}

std::vector<Setting> sizingSettings(Node value) {
  job::quoteDecimals(autoscalingField(), value);
  std::vector<Setting> settings{{"autoscaling", value}};
  const bool is_policy = job::has(value, "policy");
  Node none;
  none.position = value.position;
  settings.push_back({kOfJob, is_policy ? value : none});
  if (const Node* const fixed = value.find("fixed"))
    settings.push_back({"spec.worker.replicas", *fixed});
  return settings;
}

std::optional<HpaRule> hpaOf(const Node& value) {
  const Node* const hpa = value.find("hpa");
  if (hpa == nullptr) return std::nullopt;
  const auto integer = [hpa](std::string_view name, double otherwise) {
    const Node* const node = hpa->find(name);
    const auto number = node == nullptr ? std::nullopt : yaml::integerOf(*node);
    return number ? static_cast<double>(*number) : otherwise;
  };
  HpaRule rule;
  rule.target = integer("targetUtilization", kPercent * rule.target) / kPercent;
  rule.cpu_request = decimalIn(*hpa, "cpuRequest", 0);
  rule.period_seconds = integer("periodSeconds", rule.period_seconds);
  rule.tolerance = decimalIn(*hpa, "tolerance", rule.tolerance);
  rule.down_stabilization_seconds =
      integer("downStabilizationSeconds", rule.down_stabilization_seconds);
  return rule;
}

namespace {

/// Whether jobs with these settings size themselves; nothing where they do not say, or set a size.
std::optional<bool> sizeThemselves(const std::vector<Setting>& settings) {
  std::optional<bool> found;
  for (const Setting& setting : settings) {
    const bool is_whole = setting.path == "autoscaling" || setting.path == kOfJob;
    if (!is_whole && !setting.path.starts_with(std::string(kOfJob) + ".")) continue;
    if (job::has(setting.value, "fixed")) return std::nullopt;
    found = found.value_or(false) || setting.value.kind != yaml::Kind::kNull;
  }
  return found;
}

/// What sizes jobs with this value of an axis; empty: nothing does.
std::string sizedBy(const Experiment& experiment, std::size_t axis, const AxisValue& value) {
  if (const auto own = sizeThemselves(value.settings)) return *own ? "the same value" : "";
  bool is_varied = false;
  for (std::size_t i = 0; i < experiment.axes.size(); ++i) {
    for (const AxisValue& other : experiment.axes[i].values) {
      const auto does = i == axis ? std::nullopt : sizeThemselves(other.settings);
      if (does.value_or(false)) return "spec.axes[" + std::to_string(i) + "]";
      is_varied = is_varied || does.has_value();
    }
  }
  if (is_varied) return {};
  if (!experiment.sizing.empty()) return kOfJob;
  const Node* const of_job = job::nodeAt(experiment.base.document, kOfJob);
  return of_job != nullptr && of_job->kind == yaml::Kind::kMap ? "the job's spec.autoscaling" : "";
}

bool setsWorkers(const AxisValue& value) {
  const bool is_fixed_size = std::ranges::any_of(value.settings, [](const Setting& setting) {
    return setting.path == "autoscaling" && job::has(setting.value, "fixed");
  });
  return !is_fixed_size &&
         std::ranges::count(value.settings, "spec.worker.replicas", &Setting::path) > 0;
}

}  // namespace

std::vector<WithoutEffect> axesWithoutEffect(const Experiment& experiment) {
  std::vector<WithoutEffect> found;
  for (std::size_t i = 0; i < experiment.axes.size(); ++i) {
    for (const AxisValue& value : experiment.axes[i].values) {
      if (!setsWorkers(value)) continue;
      std::string by = sizedBy(experiment, i, value);
      if (by.empty()) continue;
      found.push_back({i, value.position, std::move(by)});
      break;
    }
  }
  return found;
}

std::vector<std::string> sizingNames(const std::vector<Node>& values) {
  std::vector<Settings> settings;
  std::map<std::string, std::vector<std::size_t>> same;
  for (const Node& value : values) {
    same[nameOf(value)].push_back(settings.size());
    addSettings(value, "", settings.emplace_back());
  }
  std::vector<std::string> names(values.size());
  for (const auto& [name, indices] : same) {
    for (const std::size_t index : indices) {
      const std::string own = ownSettings(index, indices, settings);
      names[index] = name + (own.empty() ? "" : " (" + own + ")");
    }
  }
  return names;
}

}  // namespace sumac::experiment
