#include "experiment/document/read.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/core/check.h"
#include "base/yaml/reader.h"
#include "base/yaml/scalar.h"
#include "job/document/edit.h"
#include "job/document/explain.h"
#include "job/document/job_checks.h"
#include "job/document/table_document.h"
#include "job/document/unquoted.h"

#include "experiment/document/conditions.h"
#include "experiment/document/event_script.h"
#include "experiment/document/fields.h"
#include "experiment/document/kind.h"
#include "experiment/document/owned.h"
#include "experiment/document/scale_script.h"
#include "experiment/document/sizing.h"

namespace sumac::experiment {
namespace {

using yaml::Kind;
using yaml::Node;

constexpr std::string_view kBatchPerWorker = "batchSizePerWorker";

/// Whether one of two paths is the other, or lies inside it.
bool overlap(const std::string& one, const std::string& other) {
  return one == other || one.starts_with(other + ".") || other.starts_with(one + ".");
}

/// Without a field of its own the experiment has none, and the job what its table says.
std::string valueName(const Node& value, bool is_of_job) {
  switch (value.kind) {
    case Kind::kNull: return is_of_job ? "default" : "none";
    case Kind::kList: return "a list";
    case Kind::kMap: return "a map";
    default: return value.text;
  }
}

/// What a value of a field of our own sets: of autoscaling, fields of the job, too.
std::vector<Setting> settingsOf(const std::string& path, const Node& value) {
  if (path == "autoscaling") return sizingSettings(value);
  return {{path, value}};
}

/// Turns a document that fits the table into an experiment, and finds what the table cannot.
class Converter {
 public:
  Converter(std::string_view file, const LoadJob& load_job) : file_(file), load_job_(load_job) {}

  Reading convert(const Node& root);

 private:
  void report(yaml::Position position, const std::string& path, std::string message) {
    reading_.problems.push_back({file_, position.line, position.column, path, std::move(message)});
  }
  void base(const Node& spec);
  void baseFrom(const Node& path);
  void axis(const Node& node, const std::string& path);
  void values(const Node& field, const Node& list, const std::string& path, Axis& axis);
  void variants(const Node& list, const std::string& path, Axis& axis);
  std::optional<std::string> settable(const std::string& given, yaml::Position position,
                                      const std::string& path);
  void separateAxes(const Node& list);
  bool fits(std::string_view own, const Node& value, const std::string& path);
  void conditions(const Node& spec);
  void scripts(const Node& spec);

  const std::string file_;
  const LoadJob& load_job_;  // outlives us
  Reading reading_;
  Experiment experiment_;
};

void Converter::baseFrom(const Node& path) {
  const auto loaded = load_job_(path.text);
  if (!loaded) return report(path.position, "spec.jobPath", loaded.error().message);
  yaml::Document document = yaml::parse(loaded->text);
  if (!document.root) {
    reading_.problems.push_back(
        {loaded->name, document.position.line, document.position.column, "", document.message});
  } else if (!isJob(*document.root)) {
    report(path.position, "spec.jobPath", loaded->name + " is not a TrainingJob");
  } else {
    experiment_.base = {std::move(*document.root), loaded->name, ""};
  }
}

void Converter::base(const Node& spec) {
  if (const Node* const path = spec.find("jobPath")) return baseFrom(*path);
  const Node& job = *spec.find("job");
  if (!isJob(job)) return report(job.position, "spec.job", "must be a TrainingJob");
  experiment_.base = {job, file_, "spec.job."};
}

/// Whether an axis may give a field of our own this value; the problem is reported.
bool Converter::fits(std::string_view own, const Node& value, const std::string& path) {
  if (value.kind == Kind::kNull) return true;
  const job::Field* const field = job::fieldAt(experimentField(), "spec." + std::string(own));
  SUMAC_CHECK(field != nullptr, own);
  Node quoted = value;
  job::quoteDecimals(*field, quoted);
  for (const job::Problem& problem : job::check(*field, quoted, file_).problems) {
    report(problem.line > 0 ? yaml::Position{problem.line, problem.column} : value.position,
           problem.path.empty() ? path : path + "." + problem.path, problem.message);
    return false;
  }
  Conditions unused;
  const auto set = setCondition(unused, own, value);
  if (!set) report(value.position, path, set.error().message);
  return set.has_value();
}

/// Those of all cells, which the table has checked.
void Converter::conditions(const Node& spec) {
  for (const std::string path : {"link.rate", "compute", "slowdown", "autoscaling"}) {
    const Node* const value = job::nodeAt(spec, path);
    if (value == nullptr) continue;
    if (path == "slowdown") experiment_.slowdown_position = value->position;
    if (const auto set = setCondition(experiment_.conditions, path, *value); !set)
      report(value->position, "spec." + path, set.error().message);
  }
}

/// The whole path of a field that an axis may set; nothing after the problem was reported.
std::optional<std::string> Converter::settable(const std::string& given, yaml::Position position,
                                               const std::string& path) {
  if (const auto own = ownField(given); !own.empty()) {
    const bool is_batch = own == kBatchPerWorker;
    if (experiment_.scale.empty() || !(is_batch || own == "autoscaling")) return std::string(own);
    report(position, path,
           "`" + given + "` cannot be varied with spec.scale" +
               (is_batch ? ": the mini-batch would change with the workers"
                         : ", which sets the number of workers"));
    return std::nullopt;
  }
  const std::string whole = job::fullPath(given);
  if (whole == "spec.link" || whole.starts_with("spec.link.")) {
    report(position, path,
           "`" + given +
               "` cannot be varied, link.rate can: delays need netem, which not every "
               "kernel has");
    return std::nullopt;
  }
  if (const auto known = job::explain(job::rootField(), whole); !known) {
    const bool is_of_experiment = job::fieldAt(experimentField(), whole) != nullptr;
    report(position, path,
           is_of_experiment ? "`" + given +
                                  "` cannot be varied; of the experiment link.rate, compute, "
                                  "slowdown, autoscaling and batchSizePerWorker can"
                            : "no field of the job: " + known.error().message);
    return std::nullopt;
  }
  if (!whole.starts_with("spec.")) {
    report(position, path, "`" + given + "` cannot be varied, only fields of the job's spec");
    return std::nullopt;
  }
  for (const Owned& owned : ownedFields(experiment_)) {
    if (!overlap(whole, owned.path)) continue;
    report(position, path, "`" + given + "` cannot be varied: " + owned.by + " sets it");
    return std::nullopt;
  }
  return whole;
}

void Converter::values(const Node& field, const Node& list, const std::string& path, Axis& axis) {
  const auto whole = settable(field.text, field.position, path + ".field");
  if (!whole) return;
  const std::string_view own = ownField(*whole);
  if (axis.name.empty())
    axis.name = own.empty() ? whole->substr(std::string_view("spec.").size()) : *whole;
  std::vector<Node> fitting;
  for (const Node& value : list.items)
    if (own.empty() || fits(own, value, path + ".values")) fitting.push_back(value);
  std::vector<std::string> names;
  if (own == "autoscaling") names = sizingNames(fitting);
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    const Node& value = fitting[i];
    axis.values.push_back({names.empty() ? valueName(value, own.empty()) : names[i],
                           settingsOf(*whole, value), value.position});
  }
}

void Converter::variants(const Node& list, const std::string& path, Axis& axis) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& set = *list.items[i].find("set");
    const std::string inside = path + ".variants[" + std::to_string(i) + "].set";
    AxisValue value{list.items[i].find("name")->text, {}, list.items[i].position};
    for (std::size_t k = 0; k < set.fields.size(); ++k) {
      const auto whole = settable(set.fields[k].key, set.field_positions[k], inside);
      if (!whole) continue;
      const Node& to = set.fields[k].value;
      const std::string_view own = ownField(*whole);
      if (!own.empty() && !fits(own, to, inside + "." + std::string(own))) continue;
      for (Setting& setting : settingsOf(*whole, to))
        value.settings.push_back(std::move(setting));
    }
    axis.values.push_back(std::move(value));
  }
}

void Converter::axis(const Node& node, const std::string& path) {
  Axis axis;
  if (const Node* const name = node.find("name")) axis.name = name->text;
  const Node* const list = node.find("field") ? node.find("values") : node.find("variants");
  if (list->items.empty()) report(list->position, path, "an axis needs at least one value");
  if (const Node* const field = node.find("field")) {
    values(*field, *list, path, axis);
  } else {
    variants(*list, path, axis);
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    if (names.insert(axis.values[i].name).second) continue;
    report(axis.values[i].position, path, "the value `" + axis.values[i].name + "` is there twice");
  }
  experiment_.axes.push_back(std::move(axis));
}

/// No two axes may have one name, or set one field.
void Converter::separateAxes(const Node& list) {
  std::set<std::string> names;
  std::vector<std::string> before;
  for (std::size_t i = 0; i < experiment_.axes.size(); ++i) {
    const std::string path = "spec.axes[" + std::to_string(i) + "]";
    const Axis& axis = experiment_.axes[i];
    const auto isShown = [](unsigned char c) { return c >= ' ' && c != 0x7F; };
    if (!std::ranges::all_of(axis.name, isShown)) {
      report(list.items[i].position, path, "needs a name of characters that can be shown");
    } else if (!axis.name.empty() && !names.insert(axis.name).second)
      report(list.items[i].position, path, "another axis is called `" + axis.name + "` too");
    std::set<std::string> own;
    for (const AxisValue& value : axis.values) {
      for (const Setting& setting : value.settings)
        own.insert(setting.path);
    }
    for (const std::string& field : own) {
      const bool is_taken = std::ranges::any_of(
          before, [&field](const std::string& other) { return overlap(field, other); });
      if (is_taken) report(list.items[i].position, path, "another axis sets " + field + " too");
    }
    before.insert(before.end(), own.begin(), own.end());
  }
}

Measurement measurementOf(const Node& spec) {
  const auto integer = [&spec](std::string_view name) {
    const auto value = yaml::integerOf(*spec.find(name));
    SUMAC_CHECK(value.has_value(), name);
    return *value;
  };
  Measurement measurement{integer("steps"), integer("warmupSteps"),
                          static_cast<int>(integer("repetitions")), std::nullopt,
                          static_cast<std::uint64_t>(integer("seed"))};
  if (const Node* const stop = spec.find("stop")) {
    StopRule rule;
    const std::string& share = stop->find("halfWidth")->text;
    std::from_chars(share.data(), share.data() + share.size(), rule.half_width);
    rule.most_repetitions =
        static_cast<int>(yaml::integerOf(*stop->find("maxRepetitions")).value_or(0));
    measurement.stop = rule;
  }
  if (const Node* const measure = spec.find("measure")) {
    const Node& name = *measure->find("metric");
    const auto metric = metricNamed(name.text);
    SUMAC_CHECK(metric.has_value(), name.text);
    measurement.metric = *metric;
    measurement.metric_position = name.position;
  }
  return measurement;
}

SimulationInputs simulationOf(const Node& spec) {
  SimulationInputs inputs;
  const Node* const given = spec.find("simulation");
  if (given == nullptr) return inputs;
  const auto decimal = [given](std::string_view name) {
    std::optional<double> number;
    if (const Node* const node = given->find(name))
      std::from_chars(node->text.data(), node->text.data() + node->text.size(), number.emplace());
    return number;
  };
  inputs.change_seconds = decimal("changeSeconds");
  inputs.noise = decimal("noise").value_or(inputs.noise);
  if (const Node* const seconds = given->find("reportSeconds"))
    inputs.report_seconds = static_cast<double>(yaml::integerOf(*seconds).value_or(1));
  return inputs;
}

/// Scripts, and what else says how jobs change their size.
void Converter::scripts(const Node& spec) {
  const ReportProblem report_it = [this](yaml::Position position, const std::string& path,
                                         const std::string& message) {
    report(position, path, message);
  };
  if (const Node* const list = spec.find("scale")) {
    experiment_.scale_position = list->position;
    experiment_.scale = scaleFrom(*list, report_it);
  }
  if (const Node* const list = spec.find("events"))
    experiment_.events = eventsFrom(*list, report_it);
  experiment_.simulation = simulationOf(spec);
  if (const Node* const sizing = spec.find("autoscaling"))
    experiment_.sizing = sizingSettings(*sizing);
}

Reading Converter::convert(const Node& root) {
  const Node& spec = *root.find("spec");
  experiment_.name = root.find("metadata")->find("name")->text;
  experiment_.file = file_;
  experiment_.measurement = measurementOf(spec);
  if (const Node* const batch = spec.find("batchSizePerWorker"))
    experiment_.batch_size_per_worker = *batch;
  scripts(spec);
  base(spec);
  conditions(spec);
  if (const Node* const list = spec.find("axes")) {
    for (std::size_t i = 0; i < list->items.size(); ++i)
      axis(list->items[i], "spec.axes[" + std::to_string(i) + "]");
    separateAxes(*list);
    for (const auto& [axis, position, by] : axesWithoutEffect(experiment_))
      report(position, "spec.axes[" + std::to_string(axis) + "]",
             "worker.replicas has no effect where " + by +
                 " chooses the number of workers: leave it out here, or compare fixed sizes as "
                 "values of an axis `autoscaling`, such as {fixed: 2}");
  }
  if (reading_.problems.empty()) reading_.experiment = std::move(experiment_);
  return std::move(reading_);
}

}  // namespace

Reading readExperiment(std::string_view text, std::string_view file, const LoadJob& load_job) {
  job::TableDocument document = job::readTable(experimentField(), "an Experiment", text, file);
  if (!document.root) return {std::nullopt, std::move(document.problems)};
  return Converter(file, load_job).convert(*document.root);
}

}  // namespace sumac::experiment
