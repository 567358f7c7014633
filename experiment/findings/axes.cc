#include "experiment/findings/axes.h"

#include <algorithm>

namespace sumac::experiment {
namespace {

bool setsWorkers(const AxisValue& value) {
  return std::ranges::any_of(value.settings,
                             [](const Setting& setting) { return setting.path == kWorkersField; });
}

bool isNumber(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool counts(const Axis& axis, const std::string& name, const char* replicas) {
  const auto value = std::ranges::find(axis.values, name, &AxisValue::name);
  if (!isNumber(name) || value == axis.values.end()) return false;
  const auto setting = std::ranges::find(value->settings, replicas, &Setting::path);
  return setting != value->settings.end() && setting->value.text == name;
}

std::optional<std::size_t> workerAxis(const std::vector<Axis>& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].values.size() > 1 && std::ranges::all_of(axes[i].values, setsWorkers)) return i;
  }
  return std::nullopt;
}

std::optional<int> serversNamed(const Axis& axis, const std::string& value) {
  constexpr std::size_t kMostDigits = 9;
  if (value.size() > kMostDigits || !counts(axis, value, kServersField)) return std::nullopt;
  return std::stoi(value);
}

std::int64_t variedAxes(const std::vector<Axis>& axes) {
  return std::ranges::count_if(axes, [](const Axis& axis) { return axis.values.size() > 1; });
}

bool isVaried(const std::vector<Axis>& axes, std::string_view field) {
  return std::ranges::any_of(axes, [field](const Axis& axis) {
    return std::ranges::any_of(axis.values, [field](const AxisValue& value) {
      return std::ranges::find(value.settings, field, &Setting::path) != value.settings.end();
    });
  });
}

}  // namespace sumac::experiment
