#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/core/units.h"
#include "base/yaml/scalar.h"

#include "experiment/document/conditions.h"
#include "experiment/report/labels.h"
#include "experiment/report/sections.h"

namespace sumac::experiment {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// Appends a part of a list, behind what separates it from the part before.
void append(std::string& list, std::string_view separator, std::string_view part) {
  if (!list.empty()) list += separator;
  list += part;
}

/// What cells have, each value once.
template <typename TextOf>
std::string distinctTexts(const std::vector<Cell>& cells, std::string_view separator,
                          const TextOf& textOf) {
  std::set<std::string> taken;
  std::string all;
  for (const Cell& cell : cells) {
    if (const auto [text, is_new] = taken.insert(textOf(cell)); is_new)
      append(all, separator, *text);
  }
  return all;
}

std::string repetitionsText(const Measurement& measurement) {
  std::string text = std::to_string(measurement.repetitions) + " a cell";
  if (const auto& stop = measurement.stop) {
    text += ", and up to " + std::to_string(stop->most_repetitions) +
            " until the 95 % interval is within ± " + groupedText(100 * stop->half_width, 1) +
            " % of the mean";
  }
  if (isOfLearning(measurement.metric))
    text += "; each trains with a seed of its own: training.seed + repetition - 1";
  return text;
}

std::string linksText(const Findings& findings, bool is_in_cluster) {
  std::string text = distinctTexts(findings.cells, ", ",
                                   [](const Cell& cell) { return linkText(cell.conditions); });
  if (text != "loopback") {
    text += " for each member, each way";
    return is_in_cluster ? text
                         : text + "; after a pause a link lets " + bytesText(kLinkBurstBytes) +
                               " through at once";
  }
  return is_in_cluster ? "the cluster's, not limited" : "loopback of this machine: not a network";
}

/// "node-a (n2-standard-4, 4 CPUs, 15.6 GiB of memory, kernel 6.1.0, amd64)", as far as it is
/// known.
std::string nodeText(const NodeFacts& facts) {
  std::string known = facts.machine_type;
  if (!facts.cpus.empty()) append(known, ", ", facts.cpus + (facts.cpus == "1" ? " CPU" : " CPUs"));
  if (facts.memory_bytes > 0) append(known, ", ", bytesText(facts.memory_bytes) + " of memory");
  if (!facts.kernel.empty()) append(known, ", ", "kernel " + facts.kernel);
  if (!facts.architecture.empty()) append(known, ", ", facts.architecture);
  return (facts.name.empty() ? "unknown" : facts.name) + (known.empty() ? "" : " (" + known + ")");
}

/// Each node, and where not all runs had a member on it how many had: cells whose runs had other
/// nodes differ in more than their axes.
std::string nodesText(const Findings& findings, const Origin& origin) {
  std::map<std::string, int> runs_on;
  int runs = 0;
  for (const CellOutcome& outcome : findings.outcomes) {
    for (const RunFigures& run : outcome.runs) {
      std::set<std::string> nodes;
      for (const auto& [member, node] : run.nodes)
        nodes.insert(node);
      for (const std::string& node : nodes)
        ++runs_on[node];
      ++runs;
    }
  }
  std::string text;
  for (const NodeFacts& node : origin.nodes) {
    const int count = runs_on[node.name];
    append(text, "; ", nodeText(node));
    if (count < runs) text += ", " + counted(count, "run") + " of " + std::to_string(runs);
  }
  return text.empty() ? "not known" : text;
}

/// What was trained, each value once.
void addTrained(Entries& entries, const std::vector<Cell>& cells) {
  for (const auto& [title, textOf] :
       {std::pair("Network", &networkText), {"Data", &dataText}, {"Optimizer", &optimizerText}}) {
    const auto textOfCell = [of = textOf](const Cell& cell) { return of(cell.job); };
    entries.emplace_back(title, distinctTexts(cells, "; ", textOfCell));
  }
}

/// The machine, or of a cluster its nodes: what starts the jobs there measures nothing.
void addPlace(Entries& entries, const Findings& findings, const Origin& origin) {
  if (!origin.cluster.empty()) {
    entries.emplace_back("Cluster", origin.cluster + ", namespace " + origin.name_space);
    entries.emplace_back("Nodes", nodesText(findings, origin));
    return;
  }
  entries.emplace_back("Machine", origin.host + ", " + counted(origin.cores, "core") + " of " +
                                      origin.cpu + ", " + bytesText(origin.memory_bytes) +
                                      " of memory");
  entries.emplace_back("Kernel", origin.kernel);
}

/// Empty where all workers compute.
std::string emulationText(const std::vector<Cell>& cells) {
  bool is_profiled = false;
  bool is_measured = false;
  for (const Cell& cell : cells) {
    if (!cell.conditions.is_emulated) continue;
    (cell.conditions.profile.empty() ? is_measured : is_profiled) = true;
  }
  if (!is_profiled && !is_measured) return {};
  std::string text = "emulated where it is marked: workers wait for as long as computing takes ";
  if (is_profiled) text += "by the profile";
  if (is_profiled && is_measured) text += ", and in cells without a prediction ";
  if (is_measured) text += "by what each run measured first";
  return text + ", or so many times as long";
}

/// Where runs left their checkpoints: nobody else knows whether they are still needed.
std::string leftoversText(const Findings& findings) {
  std::string text;
  for (const CellOutcome& outcome : findings.outcomes) {
    for (const RunFigures& run : outcome.runs) {
      if (!run.left_on_volume.empty()) append(text, ", ", run.left_on_volume);
    }
  }
  return text;
}

}  // namespace

report::Section methodSection(const Findings& findings, const Origin& origin) {
  const Measurement& measurement = findings.experiment.measurement;
  Entries entries{{"Steps", std::to_string(measurement.steps) + " a run, after " +
                                std::to_string(measurement.warmup_steps) + " of warm-up"},
                  {"Compared by", std::string(phraseOf(measurement.metric))},
                  {"Repetitions", repetitionsText(measurement)},
                  {"Order", "shuffled round by round, seed " + std::to_string(measurement.seed)},
                  {"Links", linksText(findings, !origin.cluster.empty())}};
  addTrained(entries, findings.cells);
  if (findings.experiment.batch_size_per_worker) {
    const auto size = yaml::integerOf(*findings.experiment.batch_size_per_worker);
    entries.emplace_back("Mini-batch", counted(size.value_or(0), "sample") + " a worker");
  }
  if (const std::string computing = emulationText(findings.cells); !computing.empty())
    entries.emplace_back("Computing", computing);
  if (!findings.experiment.scale.empty())
    entries.emplace_back("Workers over time", scriptText(findings.experiment.scale));
  addPlace(entries, findings, origin);
  if (const std::string left = leftoversText(findings); !left.empty())
    entries.emplace_back("Left on the checkpoints' volume", left);
  entries.emplace_back("Sumac", origin.version);
  const bool needs_root = origin.cluster.empty() && hasLimitedLinks(findings.cells);
  return {"How it was measured",
          report::Audience::kPage,
          {report::Definitions{std::move(entries)},
           report::Paragraph{
               "A ± is half the 95 % interval of a mean, by Student's t over the runs of a cell. "
               "Steps of one run are not independent: a run counts as one measurement. Speedup is "
               "samples a second over those of the cell with one worker and the same values of the "
               "other axes; efficiency is speedup divided by workers. Their intervals are made of "
               "those of both means, to first order."},
           report::Paragraph{needs_root ? "To measure it again, as root:" : "To measure it again:"},
           report::Preformatted{origin.command}}};
}

}  // namespace sumac::experiment
