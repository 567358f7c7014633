#include "experiment/report/labels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

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

/// A field of the job with values, rather than a name with variants: its name is that of the field.
bool isField(const Axis& axis) {
  return std::ranges::all_of(axis.values, [&axis](const AxisValue& value) {
    return value.settings.size() == 1 && value.settings.front().path == "spec." + axis.name;
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

std::string valueText(const Axis& axis, const std::string& value) {
  if (counts(axis, value, kWorkers)) return value == "1" ? "1 worker" : value + " workers";
  if (counts(axis, value, kServers)) return value == "1" ? "1 server" : value + " servers";
  if (!isField(axis)) return isBare(value) ? axis.name + "=" + value : value;
  return speaksForItself(value) ? value : axis.name + "=" + value;
}

std::string cellText(const std::vector<Axis>& axes, const Cell& cell,
                     const std::vector<std::size_t>& left_out) {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (std::ranges::find(left_out, i) != left_out.end()) continue;
    text += (text.empty() ? "" : ", ") + valueText(axes[i], cell.values[i]);
  }
  return text.empty() ? "the job" : text;
}

std::string halfWidthText(double share) {
  return share < 1 ? "± " + fixedText(100 * share, 1) + " %" : "± ?";
}

std::vector<std::string> footnotes(const std::vector<CellSummary>& summaries) {
  std::vector<std::string> notes;
  if (std::ranges::any_of(summaries, &CellSummary::has_idle_base)) {
    notes.push_back(std::string(kIdleBaseMark) +
                    " over one worker that exchanges nothing: beside other cells compare the "
                    "samples a second");
  }
  const auto is_open = [](const CellSummary& summary) {
    const auto& speed = summary.samples_per_second;
    const bool is_wide = speed && speed->relativeHalfWidth().value_or(0) >= 1;
    return is_wide ||
           (summary.speedup && summary.speedup_half_width.value_or(0) >= *summary.speedup);
  };
  if (std::ranges::any_of(summaries, is_open))
    notes.emplace_back("± ? the interval reaches below zero: too little is known");
  return notes;
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

std::string cellsText(const std::vector<int>& numbers) {
  std::string text = numbers.size() == 1 ? "cell " : "cells ";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i + 1 == numbers.size() ? " and " : ", ";
    text += std::to_string(numbers[i]);
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
