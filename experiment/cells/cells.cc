#include "experiment/cells/cells.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "job/document/edit.h"
#include "job/document/network_of.h"

#include "experiment/cells/job_changes.h"
#include "experiment/cells/learning_check.h"
#include "experiment/document/conditions.h"

namespace sumac::experiment {
namespace {

/// Texts with the combinations that have them, in order of the first.
class CellFindings {
 public:
  void add(const std::string& text, const std::string& combination) {
    const auto [place, is_new] = places_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back({text, {}});
    texts_[place->second].second.push_back(combination);
  }

  std::vector<std::string> lines(std::size_t cells) const {
    std::vector<std::string> lines;
    for (const auto& [text, combinations] : texts_) {
      std::string line = text;
      if (combinations.size() < cells) {
        for (const std::string& combination : combinations)
          line += combination.empty() ? "" : "\n    in " + combination;
      } else if (cells > 1) {
        line += "\n    in all " + std::to_string(cells) + " cells";
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> texts_;
  std::map<std::string, std::size_t> places_;
};

using yaml::Node;

/// The value of each axis in cell `index`, from 0.
std::vector<std::size_t> choicesOf(const std::vector<Axis>& axes, std::size_t index) {
  std::vector<std::size_t> choices(axes.size());
  for (std::size_t i = axes.size(); i > 0; --i) {
    const std::size_t count = axes[i - 1].values.size();
    choices[i - 1] = index % count;
    index /= count;
  }
  return choices;
}

/// What the document says for all cells, and then what the axes say.
Conditions conditionsOf(const Experiment& experiment, const std::vector<std::size_t>& choices) {
  Conditions conditions = experiment.conditions;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    for (const Setting& setting : experiment.axes[i].values[choices[i]].settings) {
      if (setting.isOfJob()) continue;
      const auto set = setCondition(conditions, setting.path, setting.value);
      SUMAC_CHECK(set.has_value(), setting.path);  // checked when the document was read
    }
  }
  return conditions;
}

/// Where the document says what a cell's slowdown is.
yaml::Position slowdownPosition(const Experiment& experiment,
                                const std::vector<std::size_t>& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    for (const Setting& setting : experiment.axes[i].values[choices[i]].settings)
      if (setting.path == "slowdown") return setting.value.position;
  }
  return experiment.slowdown_position;
}

/// Says of a problem with a value of the experiment where that stands.
void place(job::Problem& problem, const Experiment& experiment,
           const std::vector<Change>& changes) {
  const auto is_at = [&problem](const Change& change) {
    return change.position.line > 0 &&
           (problem.path == change.path || problem.path.starts_with(change.path + "."));
  };
  const auto change = std::ranges::find_if(changes, is_at);
  if (problem.line == 0 && change != changes.end()) {
    problem.file = experiment.file;
    problem.line = change->position.line;
    problem.column = change->position.column;
    if (!change->said_by.empty()) problem.path = change->said_by;
  } else if (problem.line > 0 && !problem.path.empty()) {
    problem.path = experiment.base.prefix + problem.path;
  }
}

/// Makes one cell after another.
class Maker {
 public:
  Maker(const Experiment& experiment, const job::Overrides& overrides, bool is_for_cluster)
      : experiment_(experiment), overrides_(overrides), is_for_cluster_(is_for_cluster) {}

  void make(std::size_t index) {
    const auto choices = choicesOf(experiment_.axes, index);
    Cell cell;
    cell.number = static_cast<int>(index) + 1;
    cell.values = namesOf(choices);
    cell.conditions = conditionsOf(experiment_, choices);
    const std::string combination = combinationText(experiment_.axes, cell.values);
    checkConditions(cell.conditions, choices, combination);
    std::vector<Change> changes = changesOf(experiment_, choices, is_for_cluster_);
    const auto batch_per_worker = batchPerWorkerOf(experiment_, choices);
    if (batch_per_worker && setsBatchSize(changes)) {
      problems_.add(experiment_.file +
                        ": batchSizePerWorker and training.batchSize are both set, and the first "
                        "sets the second; leave out one of them",
                    combination);
      return;
    }
    const auto root = documentOf(changes, batch_per_worker, combination);
    if (!root) return;
    job::Overrides overrides = overrides_;
    overrides.sets.clear();
    job::Reading reading =
        job::readJob(*root, experiment_.base.file, overrides, /*needs_to_run=*/true);
    for (job::Problem& problem : reading.problems) {
      place(problem, experiment_, changes);
      problems_.add(textOf(problem), combination);
    }
    for (const std::string& warning : reading.warnings)
      warnings_.add(warning, combination);
    if (!reading.job) return;
    if (const auto network = job::networkSpecOf(*reading.job); !network) {
      problems_.add(experiment_.base.file + ": " + network.error().message, combination);
      return;
    }
    cell.job = *std::move(reading.job);
    cell.resolved = std::move(reading.resolved);
    cell.network = nlohmann::json(cell.resolved->at("spec").at("model")).dump();
    cell.document = std::move(reading.document);
    cell.is_reseeded = isOfLearning(experiment_.measurement.metric);
    checkSizing(cell, batch_per_worker, combination);
    checkNew(cell, choices, combination);
    for (const Unlearnable& wrong : whyUnlearnable(experiment_, choices, cell))
      report(wrong.position, wrong.path, wrong.message, combination);
    cells_.push_back(std::move(cell));
  }

  Cells take(std::size_t count) {
    if (!cells_.empty()) checkVictims();
    Cells result{std::move(cells_), problems_.lines(count), warnings_.lines(count)};
    if (!result.problems.empty()) result.cells.clear();
    return result;
  }

 private:
  void report(yaml::Position position, const std::string& path, const std::string& message,
              const std::string& combination) {
    const job::Problem problem{experiment_.file, position.line, position.column, path, message};
    problems_.add(problem.text(), combination);
  }

  void checkConditions(const Conditions& conditions, const std::vector<std::size_t>& choices,
                       const std::string& combination) {
    if (const std::string wrong = contradiction(conditions); !wrong.empty())
      report(slowdownPosition(experiment_, choices), "spec.slowdown", wrong, combination);
    if (!conditions.is_emulated || experiment_.scale.empty()) return;
    report(experiment_.scale_position, "spec.scale",
           "needs compute: real: emulated workers have no checkpoint to go on from", combination);
  }

  /// What a job that is sized needs, and whether events can happen to it.
  void checkSizing(const Cell& cell, const std::optional<Node>& batch_per_worker,
                   const std::string& combination) {
    most_workers_ = std::max(most_workers_, workersOf(cell).second);
    if (isSized(cell) && batch_per_worker) {
      report(batch_per_worker->position, "spec.batchSizePerWorker",
             "cannot be used where the number of workers changes: the mini-batch would, too",
             combination);
    }
    if (cell.conditions.hpa && !cell.job.worker.max_replicas) {
      problems_.add(
          experiment_.file + ": autoscaling.hpa needs worker.minReplicas and worker.maxReplicas",
          combination);
    }
    for (std::size_t i = 0; i < experiment_.events.size(); ++i) {
      const ScriptedEvent& event = experiment_.events[i];
      if (event.kind != ScriptedEvent::Kind::kSlow || cell.conditions.is_emulated) continue;
      report(event.position, "spec.events[" + std::to_string(i) + "].slow",
             "needs compute: emulated", combination);
    }
  }

  /// An event may be of a worker that some cells do not have, but not of one that none has.
  void checkVictims() {
    for (std::size_t i = 0; i < experiment_.events.size(); ++i) {
      const ScriptedEvent& event = experiment_.events[i];
      if (event.worker < most_workers_) continue;
      const job::Problem problem{experiment_.file, event.position.line, event.position.column,
                                 "spec.events[" + std::to_string(i) + "]",
                                 "no job has a worker " + std::to_string(event.worker) +
                                     ": they count from 0, and there are " +
                                     std::to_string(most_workers_) + " at most"};
      problems_.add(problem.text(), {});
    }
  }

  /// Repetitions are for measuring a job again.
  void checkNew(const Cell& cell, const std::vector<std::size_t>& choices,
                const std::string& combination) {
    const auto& [rate, is_emulated, slowdown, profile, hpa] = cell.conditions;
    std::string what = cell.resolved.text() + "\n" + std::to_string(rate.value_or(0)) + " " +
                       std::to_string(is_emulated) + " " + std::to_string(slowdown);
    if (hpa) {
      for (const double input : {hpa->target, hpa->cpu_request, hpa->period_seconds, hpa->tolerance,
                                 hpa->down_stabilization_seconds})
        what += " " + std::to_string(input);
    }
    const auto [first, is_new] = combinations_.try_emplace(what, choices);
    if (is_new) return;
    // Its value is the one that changes nothing, or one of those.
    const auto differs = std::ranges::mismatch(choices, first->second).in1;
    const auto index = static_cast<std::size_t>(differs - choices.begin());
    const std::string other = combinationText(experiment_.axes, namesOf(first->second));
    report(experiment_.axes[index].values[*differs].position,
           "spec.axes[" + std::to_string(index) + "]",
           "the same job under the same conditions as with " + other + "; leave out one of them",
           combination);
  }

  /// Of the values that a cell has, one of each axis.
  std::vector<std::string> namesOf(const std::vector<std::size_t>& choices) const {
    std::vector<std::string> names;
    names.reserve(choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i)
      names.push_back(experiment_.axes[i].values[choices[i]].name);
    return names;
  }

  /// The base job with all changes; batchSize, which depends on them, is added to these.
  std::optional<Node> documentOf(std::vector<Change>& changes,
                                 const std::optional<Node>& batch_per_worker,
                                 const std::string& combination) {
    Node root = experiment_.base.document;
    for (const std::string& set : overrides_.sets) {
      if (const auto applied = job::applySet(root, set); !applied) {
        const std::string& message = applied.error().message;
        problems_.add((message.starts_with("--set") ? "" : "--set " + set + ": ") + message,
                      combination);
        return std::nullopt;
      }
    }
    for (const Change& change : changes) {
      if (const auto applied = job::setOrRemove(root, change.path, change.value); !applied)
        return refuse(applied.error().message, combination);
    }
    if (!batch_per_worker) return root;
    const auto batch = batchSizeOf(root, *batch_per_worker);
    if (!batch) return root;  // readJob() says what is wrong with the number of workers
    changes.push_back(*batch);
    (void)job::setNode(root, batch->path, batch->value);
    return root;
  }

  /// With the --set that brought the value into the job, where one did.
  std::string textOf(const job::Problem& problem) const {
    const auto is_cause = [&problem](const std::string& set) {
      const std::string path = job::fullPath(set.substr(0, set.find('=')));
      return problem.path == path || problem.path.starts_with(path + ".");
    };
    const auto cause = std::ranges::find_if(overrides_.sets, is_cause);
    if (problem.line > 0 || cause == overrides_.sets.end()) return problem.text();
    return "--set " + *cause + ": " + problem.message;
  }

  std::optional<Node> refuse(const std::string& message, const std::string& combination) {
    problems_.add(experiment_.base.file + ": " + message, combination);
    return std::nullopt;
  }

  const Experiment& experiment_;     // outlives us
  const job::Overrides& overrides_;  // outlives us
  const bool is_for_cluster_;
  std::vector<Cell> cells_;
  int most_workers_ = 0;                                          // of any of them
  std::map<std::string, std::vector<std::size_t>> combinations_;  // by job and conditions
  CellFindings problems_;
  CellFindings warnings_;
};

}  // namespace

std::uint64_t seedOf(const Cell& cell, int repetition) {
  SUMAC_CHECK(repetition >= 1, repetition);
  const std::uint64_t first = cell.job.training.seed;
  return cell.is_reseeded ? first + static_cast<std::uint64_t>(repetition - 1) : first;
}

bool isSized(const Cell& cell) {
  return cell.job.autoscaling || cell.conditions.hpa;
}

bool isSizingStudy(const Experiment& experiment, const std::vector<Cell>& cells) {
  return !experiment.events.empty() || std::ranges::any_of(cells, isSized);
}

std::pair<int, int> workersOf(const Cell& cell) {
  const job::WorkerSpec& worker = cell.job.worker;
  return {worker.min_replicas.value_or(worker.replicas),
          worker.max_replicas.value_or(worker.replicas)};
}

std::string combinationText(const std::vector<Axis>& axes, const std::vector<std::string>& values) {
  SUMAC_CHECK(axes.size() == values.size(), axes.size(), values.size());
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i)
    text += (i == 0 ? "" : ", ") + axes[i].name + "=" + values[i];
  return text.empty() ? "the job" : text;
}

bool hasLimitedLinks(const std::vector<Cell>& cells) {
  return std::ranges::any_of(
      cells, [](const Cell& cell) { return cell.conditions.link_bits_per_second.has_value(); });
}

Result<void> keepOnly(const std::vector<std::string>& only, std::vector<Axis>& axes) {
  std::map<std::string, std::set<std::string>> kept;
  const auto unknown = [](const std::string& text, const std::string& what, const auto& known) {
    std::string names;
    for (const auto& one : known)
      names += (names.empty() ? "" : ", ") + one.name;
    return Error{ErrorCode::kNotFound, "--only " + text + ": there is no " + what +
                                           " like this; there are " +
                                           (names.empty() ? "none" : names)};
  };
  for (const std::string& text : only) {
    // Names of axes may have an = in them, too.
    const auto axis = std::ranges::find_if(
        axes, [&text](const Axis& one) { return text.starts_with(one.name + "="); });
    const auto named = std::ranges::find(axes, text, &Axis::name);
    if (axis == axes.end() && named != axes.end()) {
      std::string choices;
      for (const AxisValue& value : named->values)
        choices += (choices.empty() ? "" : ", ") + text + "=" + value.name;
      return Error{ErrorCode::kNotFound, "--only " + text +
                                             ": say which values of this axis stay, " +
                                             "each with an --only of its own: " + choices};
    }
    if (axis == axes.end()) return unknown(text, "axis", axes);
    const std::string value = text.substr(axis->name.size() + 1);
    if (std::ranges::find(axis->values, value, &AxisValue::name) == axis->values.end())
      return unknown(text, "value", axis->values);
    kept[axis->name].insert(value);
  }
  for (Axis& axis : axes) {
    const auto values = kept.find(axis.name);
    if (values == kept.end()) continue;
    std::erase_if(axis.values,
                  [&](const AxisValue& value) { return !values->second.contains(value.name); });
  }
  return {};
}

std::int64_t countCells(const std::vector<Axis>& axes, std::int64_t most) {
  std::int64_t count = 1;
  for (const Axis& axis : axes) {
    count *= std::ssize(axis.values);
    if (count > most) return most + 1;
  }
  return count;
}

Cells makeCells(const Experiment& experiment, const job::Overrides& overrides,
                bool is_for_cluster) {
  Cells refused;
  for (const std::string& set : overrides.sets) {
    if (auto problem = setOptionProblem(experiment, set, is_for_cluster); !problem.empty())
      refused.problems.push_back(std::move(problem));
  }
  if (!refused.problems.empty()) return refused;
  std::size_t count = 1;
  for (const Axis& axis : experiment.axes)
    count *= axis.values.size();
  Maker maker(experiment, overrides, is_for_cluster);
  for (std::size_t index = 0; index < count; ++index)
    maker.make(index);
  return maker.take(count);
}

}  // namespace sumac::experiment
