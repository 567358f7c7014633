#include "experiment/report/labels.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "base/core/units.h"

namespace sumac::experiment {
namespace {

constexpr const char* kWorkers = "spec.worker.replicas";
constexpr const char* kServers = "spec.server.replicas";

bool setsWorkers(const AxisValue& value) {
  return std::ranges::any_of(value.settings,
                             [](const Setting& setting) { return setting.path == kWorkers; });
}

bool isNumber(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether people know what a value is of: "ring", and not "0.5" or "true".
bool speaksForItself(const std::string& value) {
  const bool has_letter_first =
      !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) != 0;
  return has_letter_first && value != "true" && value != "false" && value != "null";
}

/// Whether a value has nothing but digits and signs, so that nobody knows what it counts.
bool isBare(const std::string& value) {
  return std::ranges::none_of(value,
                              [](unsigned char c) { return c >= 0x80 || std::isalpha(c) != 0; });
}

/// Whether a value of an axis is named after the number of replicas that it sets.
bool counts(const Axis& axis, const std::string& name, const char* replicas) {
  const auto value = std::ranges::find(axis.values, name, &AxisValue::name);
  if (!isNumber(name) || value == axis.values.end()) return false;
  const auto setting = std::ranges::find(value->settings, replicas, &Setting::path);
  return setting != value->settings.end() && setting->value.text == name;
}

/// A field with values, rather than a name with variants: its name is that of the field.
bool isField(const Axis& axis) {
  return std::ranges::all_of(axis.values, [&axis](const AxisValue& value) {
    return value.settings.size() == 1 && (value.settings.front().path == "spec." + axis.name ||
                                          value.settings.front().path == axis.name);
  });
}

/// Whether no other axis may be called like this.
bool isFree(const std::vector<Axis>& axes, std::size_t axis, const std::string& name) {
  return std::ranges::none_of(axes, [&](const Axis& other) {
    return &other != &axes[axis] && (other.name == name || other.name.ends_with("." + name));
  });
}

}  // namespace

std::optional<std::size_t> workerAxis(const std::vector<Axis>& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].values.size() > 1 && std::ranges::all_of(axes[i].values, setsWorkers)) return i;
  }
  return std::nullopt;
}

std::optional<int> serversNamed(const Axis& axis, const std::string& value) {
  constexpr std::size_t kMostDigits = 9;
  if (value.size() > kMostDigits || !counts(axis, value, kServers)) return std::nullopt;
  return std::stoi(value);
}

std::string axisText(const std::vector<Axis>& axes, std::size_t axis) {
  const std::string& name = axes[axis].name;
  if (!isField(axes[axis])) return name;
  for (const auto& [field, text] : {std::pair(kWorkers, "workers"), {kServers, "servers"}}) {
    if (name == std::string_view(field).substr(sizeof "spec." - 1) && isFree(axes, axis, text))
      return text;
  }
  for (std::size_t at = name.rfind('.'); at != name.npos && at > 0; at = name.rfind('.', at - 1)) {
    if (isFree(axes, axis, name.substr(at + 1))) return name.substr(at + 1);
  }
  return name;
}

std::string valueText(const std::vector<Axis>& axes, std::size_t axis, const std::string& value) {
  if (counts(axes[axis], value, kWorkers)) return value == "1" ? "1 worker" : value + " workers";
  if (counts(axes[axis], value, kServers)) return value == "1" ? "1 server" : value + " servers";
  const bool is_clear = isField(axes[axis]) ? speaksForItself(value) : !isBare(value);
  return is_clear ? value : axisText(axes, axis) + "=" + value;
}

std::string cellText(const std::vector<Axis>& axes, const Cell& cell,
                     const std::vector<std::size_t>& left_out) {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].values.size() < 2 || std::ranges::find(left_out, i) != left_out.end()) continue;
    text += (text.empty() ? "" : ", ") + valueText(axes, i, cell.values[i]);
  }
  return text.empty() ? "the job" : text;
}

std::vector<std::string> cellTexts(const std::vector<Axis>& axes, const std::vector<Cell>& cells,
                                   const std::vector<std::size_t>& left_out) {
  std::map<std::vector<std::string>, std::string> texts;  // by the values that count
  std::set<std::string> taken;
  std::vector<std::string> all;
  for (const Cell& cell : cells) {
    auto values = cell.values;
    for (const std::size_t axis : left_out)
      values[axis].clear();
    const auto [text, is_new] = texts.try_emplace(values, cellText(axes, cell, left_out));
    // "a, b" and "c" reads like "a" and "b, c".
    if (is_new && !taken.insert(text->second).second)
      text->second += " (cell " + std::to_string(cell.number) + ")";
    all.push_back(text->second);
  }
  return all;
}

std::int64_t variedAxes(const std::vector<Axis>& axes) {
  return std::ranges::count_if(axes, [](const Axis& axis) { return axis.values.size() > 1; });
}

std::string halfWidthText(double share) {
  return share < 1 ? "± " + percentText(share, 1) : "± ?";
}

std::string workersText(const Experiment& experiment, const Cell& cell) {
  if (experiment.scale.empty()) return std::to_string(cell.job.worker.replicas);
  const auto [least, most] = std::ranges::minmax(experiment.scale, {}, &ScaleStep::workers);
  const std::string low = std::to_string(least.workers);
  return least.workers == most.workers ? low : low + " to " + std::to_string(most.workers);
}

int serversOf(const Cell& cell) {
  return cell.job.strategy.hasServers() ? cell.job.server.replicas : 0;
}

std::string scriptText(const std::vector<ScaleStep>& script) {
  std::string text;
  for (const ScaleStep& step : script) {
    text += (text.empty() ? "" : ", ") + counted(step.workers, "worker") + " at " +
            shortText(step.seconds) + " s";
  }
  return text;
}

std::string linkText(const Conditions& conditions) {
  const auto& rate = conditions.link_bits_per_second;
  return rate ? bitRateText(static_cast<double>(*rate)) : "loopback";
}

std::string computingText(const Conditions& conditions) {
  if (!conditions.is_emulated) return "real";
  return conditions.slowdown == 1 ? "emulated" : "emulated x " + shortText(conditions.slowdown);
}

bool isVaried(const std::vector<Axis>& axes, std::string_view field) {
  return std::ranges::any_of(axes, [field](const Axis& axis) {
    return std::ranges::any_of(axis.values, [field](const AxisValue& value) {
      return std::ranges::find(value.settings, field, &Setting::path) != value.settings.end();
    });
  });
}

}  // namespace sumac::experiment
