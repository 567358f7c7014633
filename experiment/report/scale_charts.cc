#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/core/units.h"
#include "base/report/colours.h"
#include "base/report/line_chart.h"

#include "experiment/report/charts.h"
#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

constexpr double kMostMoments = 200;  // of a run in a picture: about as many as its pixels show
constexpr std::size_t kMostScaleCharts = 24;  // more make a page that nobody reads

/// One run over time.
struct ScaleLine {
  std::string name;
  const ScaleRecord* record = nullptr;
  double batch_size = 0;
};

/// As many moments as a picture shows. The first and the last of each number of workers stay, so
/// that nothing runs across a change; the speed is that since the moment before, the loss the mean
/// of those between.
std::vector<ScalePoint> thinned(const ScaleRecord& record) {
  const auto& points = record.points;
  std::vector<ScalePoint> kept;
  double loss = 0;
  int losses = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].loss) {
      loss += *points[i].loss;
      ++losses;
    }
    const bool is_first = i == 0 || points[i - 1].workers != points[i].workers;
    const bool is_last = i + 1 == points.size() || points[i + 1].workers != points[i].workers;
    const double width = points.back().seconds / kMostMoments;
    if (!is_first && !is_last && points[i].seconds - kept.back().seconds < width) continue;
    ScalePoint point = points[i];
    point.loss = losses == 0 ? std::nullopt : std::optional(loss / losses);
    if (!kept.empty() && point.seconds > kept.back().seconds) {
      point.batches_per_second = static_cast<double>(point.step - kept.back().step) /
                                 (point.seconds - kept.back().seconds);
    }
    kept.push_back(point);
    loss = 0;
    losses = 0;
  }
  return kept;
}

report::Series workersOf(const ScaleLine& line) {
  report::Series series{line.name, {}};
  for (const ScalePhase& phase : phasesOf(*line.record)) {
    const auto workers = static_cast<double>(phase.workers);
    if (!series.points.empty())
      series.points.push_back({phase.begin_seconds, series.points.back().y});
    series.points.push_back({phase.begin_seconds, workers});
    series.points.push_back({phase.end_seconds, workers});
  }
  return series;
}

report::Series speedOf(const ScaleLine& line) {
  report::Series series{line.name, {}};
  for (const ScalePoint& point : thinned(*line.record)) {
    if (point.batches_per_second)
      series.points.push_back({point.seconds, line.batch_size * *point.batches_per_second});
  }
  return series;
}

report::Series lossOf(const ScaleLine& line) {
  report::Series series{line.name, {}};
  for (const ScalePoint& point : thinned(*line.record)) {
    if (point.loss) series.points.push_back({point.seconds, *point.loss});
  }
  return series;
}

/// The changes of a run alone in its picture: those of several runs would lie over each other.
std::vector<report::Pause> pausesOf(const std::vector<ScaleLine>& lines) {
  std::vector<report::Pause> pauses;
  if (lines.size() != 1) return pauses;
  const auto phases = phasesOf(*lines.front().record);
  for (std::size_t i = 1; i < phases.size(); ++i)
    pauses.push_back({phases[i - 1].end_seconds, phases[i].begin_seconds});
  return pauses;
}

/// The runs of a cell that have a record.
std::vector<ScaleLine> scaleLines(const Findings& findings, std::size_t index) {
  const Cell& cell = findings.cells[index];
  const auto names = cellTexts(findings.experiment.axes, findings.cells, {});
  const auto& runs = findings.outcomes[index].runs;
  std::vector<ScaleLine> lines;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (!runs[run].scale || runs[run].scale->points.empty()) continue;
    std::string name = findings.cells.size() > 1 ? names[index] : std::string();
    if (runs.size() > 1) name += (name.empty() ? "run " : ", run ") + std::to_string(run + 1);
    lines.push_back(
        {std::move(name), &*runs[run].scale, static_cast<double>(cell.job.training.batch_size)});
  }
  return lines;
}

void addScaleCharts(std::vector<Picture>& pictures, const std::vector<ScaleLine>& lines,
                    const std::string& number, const std::string& suffix) {
  struct Course {
    const char* file;
    const char* title;
    report::Series (*series)(const ScaleLine&);
  };
  constexpr Course kCourses[] = {{"scale-workers", "Workers over time", workersOf},
                                 {"scale-throughput", "Samples/s over time", speedOf},
                                 {"scale-loss", "Loss of the training batches over time", lossOf}};
  for (const Course& course : kCourses) {
    report::LineChart chart{course.title + suffix, "seconds since the first step", {}};
    chart.is_continuous = true;
    chart.pauses = pausesOf(lines);
    if (!chart.pauses.empty()) chart.note = "Shaded: changes of the number of workers.";
    for (const ScaleLine& line : lines) {
      if (report::Series series = course.series(line); !series.points.empty())
        chart.series.push_back(std::move(series));
    }
    if (!chart.series.empty()) pictures.push_back({course.file + number, draw(chart)});
  }
}

/// Of the first run of each cell, with each number of workers.
void addPhaseBars(std::vector<Picture>& pictures, const Findings& findings) {
  constexpr std::size_t kMostPhaseBars = 48;
  report::BarChart chart = phaseChart("Time of a step by number of workers");
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const auto lines = scaleLines(findings, i);
    if (lines.empty()) continue;
    const std::string cell =
        findings.cells.size() > 1 ? "cell " + std::to_string(findings.cells[i].number) + ", " : "";
    int number = 0;  // a number of workers may come back
    for (const ScaleTimes& times : lines.front().record->times) {
      const std::string name = cell + std::to_string(++number) + ": " +
                               counted(times.workers, "worker") + ", " +
                               counted(times.steps, "step");
      chart.bars.push_back(phaseBar(name, times.phases));
    }
  }
  if (!chart.bars.empty() && chart.bars.size() <= kMostPhaseBars)
    pictures.push_back({"scale-phases", draw(chart)});
}

}  // namespace

std::vector<Picture> scalePictures(const Findings& findings) {
  std::vector<std::vector<ScaleLine>> cells;
  std::vector<ScaleLine> all;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    cells.push_back(scaleLines(findings, i));
    all.insert(all.end(), cells.back().begin(), cells.back().end());
  }
  std::vector<Picture> pictures;
  if (all.size() <= report::kSeries) {
    addScaleCharts(pictures, all, "", "");
    addPhaseBars(pictures, findings);
    return pictures;
  }
  for (std::size_t i = 0; i < cells.size() && pictures.size() < kMostScaleCharts; ++i) {
    if (cells[i].size() > report::kSeries) cells[i].resize(report::kSeries);
    const std::string number = std::to_string(findings.cells[i].number);
    addScaleCharts(pictures, cells[i], "-" + number,
                   findings.cells.size() > 1 ? ", cell " + number : "");
  }
  addPhaseBars(pictures, findings);
  return pictures;
}

}  // namespace sumac::experiment
