#include "experiment/report/labels.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/core/units.h"
#include "job/document/network_of.h"
#include "job/profile/disturbance.h"

#include "experiment/findings/axes.h"

namespace sumac::experiment {
namespace {

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

std::string axisText(const std::vector<Axis>& axes, std::size_t axis) {
  const std::string& name = axes[axis].name;
  if (!isField(axes[axis])) return name;
  for (const auto& [field, text] :
       {std::pair(kWorkersField, "workers"), {kServersField, "servers"}}) {
    if (name == std::string_view(field).substr(sizeof "spec." - 1) && isFree(axes, axis, text))
      return text;
  }
  for (std::size_t at = name.rfind('.'); at != name.npos && at > 0; at = name.rfind('.', at - 1)) {
    if (isFree(axes, axis, name.substr(at + 1))) return name.substr(at + 1);
  }
  return name;
}

std::string valueText(const std::vector<Axis>& axes, std::size_t axis, const std::string& value) {
  if (counts(axes[axis], value, kWorkersField))
    return value == "1" ? "1 worker" : value + " workers";
  if (counts(axes[axis], value, kServersField))
    return value == "1" ? "1 server" : value + " servers";
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

std::string halfWidthText(double share) {
  return share < 1 ? "± " + percentText(share, 1) : "± ?";
}

std::string measuredText(Metric metric, double value) {
  return metric == Metric::kValidationAccuracy ? percentText(value, 2) : readableText(value);
}

std::string workersText(const Experiment& experiment, const Cell& cell) {
  auto [least, most] = workersOf(cell);
  if (!experiment.scale.empty()) {
    const auto script = std::ranges::minmax(experiment.scale, {}, &ScaleStep::workers);
    least = script.min.workers;
    most = script.max.workers;
  } else if (!isSized(cell)) {
    least = most = cell.job.worker.replicas;
  }
  const std::string low = std::to_string(least);
  return least == most ? low : low + " to " + std::to_string(most);
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

std::string networkText(const job::TrainingJob& job) {
  if (!job.model.network) return job.model.name;
  const std::string layers =
      counted(std::ssize(job.model.network->layers), "layer") + " of its own";
  const auto network = job::networkOf(job);
  return network ? layers + ", " + counted(network->parameters, "parameter") : layers;
}

std::string dataText(const job::TrainingJob& job) {
  if (const auto& made = job.data.generated) {
    if (made->vocabulary > 0)
      return "generated text of " + std::to_string(made->vocabulary) + " words";
    return "generated images of " + std::to_string(made->classes) + " classes";
  }
  return job.data.path.empty() ? job.data.name : job.data.path;
}

std::string optimizerText(const job::TrainingJob& job) {
  const job::OptimizerSpec& optimizer = job.training.optimizer;
  std::string text = std::string(toString(optimizer.name)) + ", learning rate " +
                     shortText(optimizer.learning_rate);
  if (optimizer.name != job::OptimizerName::kAdam)
    text += ", momentum " + shortText(optimizer.momentum);
  if (optimizer.weight_decay != 0) text += ", weight decay " + shortText(optimizer.weight_decay);
  if (const auto schedule = job.training.schedule.name; schedule != job::ScheduleName::kConstant)
    text += ", schedule " + std::string(toString(schedule));
  return text;
}

std::string cellsText(const std::vector<int>& numbers) {
  std::string text = numbers.size() == 1 ? "cell " : "cells ";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i + 1 == numbers.size() ? " and " : ", ";
    text += std::to_string(numbers[i]);
  }
  return text;
}

std::string besideOthersText(const std::vector<Cell>& cells,
                             const std::vector<std::optional<double>>& lacking) {
  std::vector<int> numbers;
  double most = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double share = lacking[i].value_or(0);
    if (share <= kTrustedSpread) continue;
    numbers.push_back(cells[i].number);
    most = std::max(most, share);
  }
  if (numbers.empty()) return {};
  return "Beside " + cellsText(numbers) + " other work ran, which took up to " +
         percentText(most, 0) +
         " of the cores that the runs could have used: exchanges may have waited for it. Measure "
         "again on a quiet machine.";
}

}  // namespace sumac::experiment
