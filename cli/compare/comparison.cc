#include "cli/compare/comparison.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/core/units.h"
#include "base/report/line_chart.h"

namespace sumac::cli {
namespace {

using report::Cell;
using report::Column;
using report::ColumnKind;

constexpr std::size_t kMostColumns = 6;  // of fields beside the results; more have their own table
constexpr double kPercent = 100;

constexpr std::array kAll{Measure::kTrainLoss,          Measure::kValidationLoss,
                          Measure::kValidationAccuracy, Measure::kValidationPerplexity,
                          Measure::kTestLoss,           Measure::kTestAccuracy,
                          Measure::kTestPerplexity};
// By which a run may be called the best: test values are for its end alone.
constexpr std::array kChoosing{Measure::kValidationAccuracy, Measure::kValidationPerplexity,
                               Measure::kValidationLoss};

bool isOfTest(Measure measure) {
  return measure == Measure::kTestLoss || measure == Measure::kTestAccuracy ||
         measure == Measure::kTestPerplexity;
}

/// A step and its value.
using Score = std::pair<Step, double>;

std::optional<Score> bestOf(const RunRecord& run, Measure measure) {
  const auto curve = run.curves.find(measure);
  if (curve == run.curves.end()) return std::nullopt;
  const auto value = [](const auto& one) { return one.second; };
  return isAccuracy(measure) ? *std::ranges::max_element(curve->second, {}, value)
                             : *std::ranges::min_element(curve->second, {}, value);
}

/// What the table shows: of a validation split the best value, else the last.
std::optional<Score> shownOf(const RunRecord& run, Measure measure) {
  const bool is_last = isOfTest(measure) || measure == Measure::kTrainLoss;
  if (!is_last) return bestOf(run, measure);
  const auto curve = run.curves.find(measure);
  if (curve == run.curves.end()) return std::nullopt;
  return *curve->second.rbegin();
}

std::string valueText(Measure measure, double value) {
  constexpr int kDigits = 4;
  if (isAccuracy(measure)) return fixedText(value * kPercent, 2) + " %";
  return fixedText(value, kDigits);
}

bool hasAny(const std::vector<RunRecord>& runs, Measure measure) {
  return std::ranges::any_of(runs,
                             [&](const RunRecord& run) { return run.curves.contains(measure); });
}

/// Shortens each path to its last words that no other has.
void nameAll(std::vector<Difference>& differences) {
  const auto endOf = [](const std::string& path, std::size_t words) {
    auto from = path.size();
    for (; words > 0 && from != path.npos && from > 0; --words)
      from = path.rfind('.', from - 1);
    return from == path.npos || from == 0 ? path : path.substr(from + 1);
  };
  for (Difference& one : differences) {
    for (std::size_t words = 1; one.name.empty(); ++words) {
      const std::string end = endOf(one.path, words);
      const auto has = [&](const Difference& other) { return endOf(other.path, words) == end; };
      if (std::ranges::count_if(differences, has) == 1 || end == one.path) one.name = end;
    }
  }
}

/// "training.batchSize and model.name"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

/// The best run by the first measure that every run with a validation split has.
std::string bestSentence(const std::vector<RunRecord>& runs) {
  for (const Measure measure : kChoosing) {
    const RunRecord* best = nullptr;
    Score score;
    for (const RunRecord& run : runs) {
      const auto own = bestOf(run, measure);
      if (!own) continue;
      const bool is_better =
          isAccuracy(measure) ? own->second > score.second : own->second < score.second;
      if (best != nullptr && !is_better) continue;
      best = &run;
      score = *own;
    }
    if (best == nullptr) continue;
    const char* const most = isAccuracy(measure) ? "highest" : "lowest";
    return best->name + " has the " + most + " " + std::string(toString(measure)) + ", " +
           valueText(measure, score.second) + " at step " + std::to_string(score.first) + ".";
  }
  return "No run has values of a validation split, which could tell the best: give the jobs "
         "data.validation, or a text its valid.txt.";
}

/// Whether those that ended well have the same weights.
std::optional<std::string> bitsSentence(const std::vector<RunRecord>& runs) {
  std::map<std::string, int> hashes;
  for (const RunRecord& run : runs)
    if (!run.parameters_sha256.empty()) ++hashes[run.parameters_sha256];
  if (hashes.size() != 1 || hashes.begin()->second < 2) return std::nullopt;
  return counted(hashes.begin()->second, "run") + " ended with the same parameters, SHA-256 " +
         hashes.begin()->first + ".";
}

std::string differenceSentence(const std::vector<Difference>& differences) {
  if (differences.empty()) return "The jobs are the same.";
  if (differences.size() > kMostColumns)
    return "The jobs differ in " + std::to_string(differences.size()) + " fields, listed below.";
  std::vector<std::string> paths;
  for (const Difference& one : differences)
    paths.push_back("spec." + one.path);
  return "The jobs differ in " + listed(paths) + ".";
}

report::Section findings(const std::vector<RunRecord>& runs,
                         const std::vector<Difference>& differences) {
  std::vector<std::string> sentences;
  if (runs.size() > 1) {
    sentences.push_back(bestSentence(runs));
    sentences.push_back(differenceSentence(differences));
    if (auto bits = bitsSentence(runs)) sentences.push_back(*std::move(bits));
  }
  for (const RunRecord& run : runs) {
    if (run.state == "Unfinished")
      sentences.push_back(run.name + " trains still, or was killed: it has no result.json.");
    if (!run.cause.empty()) sentences.push_back(run.name + " " + "ended: " + run.cause);
  }
  return {.heading = "", .blocks = {report::List{sentences}}};
}

Cell scoreCell(const RunRecord& run, Measure measure) {
  const auto score = shownOf(run, measure);
  if (!score) return {.text = "-"};
  const bool is_best = !isOfTest(measure) && measure != Measure::kTrainLoss;
  return {.text = valueText(measure, score->second),
          .value = score->second,
          .aside = is_best ? "at step " + std::to_string(score->first) : std::string()};
}

/// Of a field that a run has not.
std::string orDash(const std::string& value) {
  return value.empty() ? "-" : value;
}

std::string titleOf(Measure measure) {
  std::string title(toString(measure));
  title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

report::Table runTable(const std::vector<RunRecord>& runs,
                       const std::vector<Difference>& differences) {
  report::Table table;
  table.noun = "run";
  const auto add = [&](Column column, const auto& cellOf) {
    table.columns.push_back(std::move(column));
    table.rows.resize(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
      table.rows[i].push_back(cellOf(i));
  };
  add({"run", "Run"}, [&](std::size_t i) {
    return Cell{.text = runs[i].name, .mark = runs[i].is_emulated ? "emulated" : ""};
  });
  if (differences.size() <= kMostColumns) {
    for (const Difference& one : differences)
      add({one.path, one.name}, [&](std::size_t i) { return Cell{.text = orDash(one.values[i])}; });
  }
  add({"state", "State"}, [&](std::size_t i) { return Cell{.text = runs[i].state}; });
  add({"steps", "Steps", "", ColumnKind::kNumber}, [&](std::size_t i) {
    return Cell{.text = std::to_string(runs[i].steps), .value = runs[i].steps};
  });
  for (const Measure measure : kAll) {
    if (!hasAny(runs, measure)) continue;
    add({std::string(keyOf(measure)), titleOf(measure), "", ColumnKind::kNumber},
        [&](std::size_t i) { return scoreCell(runs[i], measure); });
  }
  add({"samplesPerSecond", "Samples/s", "", ColumnKind::kNumber}, [&](std::size_t i) {
    const auto speed = runs[i].samples_per_second;
    return speed ? Cell{.text = readableText(*speed), .value = *speed} : Cell{.text = "-"};
  });
  add({"seconds", "Time", "", ColumnKind::kNumber}, [&](std::size_t i) {
    const auto seconds = runs[i].seconds;
    return seconds ? Cell{.text = fixedText(*seconds, 1) + " s", .value = *seconds}
                   : Cell{.text = "-"};
  });
  return table;
}

/// "0.01: a, b" for each value, in the order of the runs.
std::string whoHasWhat(const Difference& one, const std::vector<RunRecord>& runs) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto found = std::ranges::find(groups, orDash(one.values[i]),
                                         &std::pair<std::string, std::string>::first);
    if (found == groups.end())
      groups.emplace_back(orDash(one.values[i]), runs[i].name);
    else
      found->second += ", " + runs[i].name;
  }
  std::string text;
  for (const auto& [value, names] : groups)
    text += (text.empty() ? "" : "; ") + value + ": " + names;
  return text;
}

report::Table fieldTable(const std::vector<RunRecord>& runs,
                         const std::vector<Difference>& differences) {
  report::Table table;
  table.caption = "Fields that differ";
  table.noun = "field";
  table.columns = {{"field", "Field"}, {"values", "Values", "", ColumnKind::kSentence}};
  for (const Difference& one : differences)
    table.rows.push_back({{.text = "spec." + one.path}, {.text = whoHasWhat(one, runs)}});
  return table;
}

report::LineChart chartOf(const std::vector<RunRecord>& runs, Measure measure) {
  constexpr double kWidth = 720;
  constexpr std::size_t kMostPoints = 400;
  report::LineChart chart{
      .title = titleOf(measure), .x_title = "step", .is_continuous = true, .width = kWidth};
  const double factor = isAccuracy(measure) ? kPercent : 1;
  if (isAccuracy(measure)) chart.y_unit = " %";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto curve = runs[i].curves.find(measure);
    if (curve == runs[i].curves.end()) continue;
    report::Series series{.name = runs[i].name, .color = i};
    const std::size_t stride = (curve->second.size() + kMostPoints - 1) / kMostPoints;
    std::size_t left = curve->second.size();
    for (const auto& [step, value] : curve->second) {
      --left;
      if (left % stride != 0) continue;  // the last one stays
      series.points.push_back({.x = static_cast<double>(step), .y = value * factor});
      chart.y_low = std::min(chart.y_low, value * factor);
    }
    series.end = valueText(measure, curve->second.rbegin()->second);
    chart.series.push_back(std::move(series));
  }
  return chart;
}

report::Section pictures(const std::vector<RunRecord>& runs) {
  report::Pictures all;
  for (const Measure measure : kAll) {
    auto chart = chartOf(runs, measure);
    const auto isLine = [](const report::Series& series) { return series.points.size() > 1; };
    if (std::ranges::any_of(chart.series, isLine)) all.drawings.push_back(draw(chart));
  }
  report::Section section{.heading = "Curves", .audience = report::Audience::kPage};
  if (!all.drawings.empty()) section.blocks.emplace_back(std::move(all));
  return section;
}

Result<void> requireOneKind(const std::vector<RunRecord>& runs) {
  const auto text = std::ranges::find(runs, true, &RunRecord::is_text);
  const auto isOther = [](const RunRecord& run) { return !run.is_text && !run.curves.empty(); };
  const auto other = std::ranges::find_if(runs, isOther);
  if (text == runs.end() || other == runs.end()) return {};
  return Error{ErrorCode::kInvalid, text->name + " is of text, " + other->name +
                                        " is not: a loss of words and one of samples do not "
                                        "compare; name runs of one kind"};
}

}  // namespace

std::vector<Difference> differencesOf(const std::vector<RunRecord>& runs) {
  std::vector<Difference> all;
  std::map<std::string, std::size_t> index;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const auto& [path, value] : runs[run].fields) {
      const auto [at, is_new] = index.emplace(path, all.size());
      if (is_new) all.push_back({path, "", std::vector<std::string>(runs.size())});
      all[at->second].values[run] = value;
    }
  }
  std::erase_if(all, [](const Difference& one) {
    return std::ranges::all_of(one.values,
                               [&](const auto& value) { return value == one.values.front(); });
  });
  nameAll(all);
  return all;
}

Result<report::Report> comparisonOf(const std::vector<RunRecord>& runs) {
  if (auto checked = requireOneKind(runs); !checked) return checked.error();
  const auto differences = differencesOf(runs);
  report::Report answer{{.kind = "Sumac runs", .title = counted(std::ssize(runs), "run")}, {}};
  auto first = findings(runs, differences);
  if (!std::get<report::List>(first.blocks.front()).items.empty())
    answer.sections.push_back(std::move(first));
  answer.sections.push_back({.heading = "Runs", .blocks = {runTable(runs, differences)}});
  if (differences.size() > kMostColumns)
    answer.sections.push_back({.heading = "", .blocks = {fieldTable(runs, differences)}});
  auto curves = pictures(runs);
  if (!curves.blocks.empty()) answer.sections.push_back(std::move(curves));
  return answer;
}

}  // namespace sumac::cli
