#include "experiment/report/charts.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/core/units.h"
#include "base/report/bar_chart.h"
#include "base/report/colours.h"
#include "base/report/line_chart.h"
#include "base/report/numbers.h"

#include "experiment/findings/axes.h"
#include "experiment/report/cell_table.h"
#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

constexpr std::size_t kMostBars = 48;  // more make a picture that nobody sees as a whole

/// The cells that share a picture, and the axes that its title or its own axis says.
struct Panel {
  std::vector<std::size_t> cells;
  std::vector<std::size_t> left_out;
  std::string suffix;  // of the title
};

/// The first axis with several values, but for `workers`.
std::optional<std::size_t> firstAxis(const std::vector<Axis>& axes,
                                     std::optional<std::size_t> workers) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i != workers && axes[i].values.size() > 1) return i;
  }
  return std::nullopt;
}

std::vector<Panel> wholePanel(const Findings& findings, std::vector<std::size_t> left_out) {
  Panel panel{{}, std::move(left_out), ""};
  for (std::size_t i = 0; i < findings.cells.size(); ++i)
    panel.cells.push_back(i);
  return {std::move(panel)};
}

std::vector<Panel> panelsBy(std::size_t axis, const Findings& findings,
                            std::vector<std::size_t> left_out) {
  left_out.push_back(axis);
  const Axis& split = findings.experiment.axes[axis];
  std::vector<Panel> panels;
  for (const AxisValue& value : split.values) {
    const std::string text = valueText(findings.experiment.axes, axis, value.name);
    panels.push_back({{}, left_out, ": " + text});
    for (std::size_t i = 0; i < findings.cells.size(); ++i) {
      if (findings.cells[i].values[axis] == value.name) panels.back().cells.push_back(i);
    }
  }
  return panels;
}

/// Whether the largest is so many times the smallest above 0 that one scale does not show both.
bool isWide(const std::vector<double>& values) {
  constexpr double kMany = 20;
  double least = 0;
  double most = 0;
  for (const double value : values) {
    if (value > 0 && (least == 0 || value < least)) least = value;
    most = std::max(most, value);
  }
  return least > 0 && most > kMany * least;
}

/// Of pictures over the number of workers, which is the axis `workers`: one, or one for each value
/// of the first other axis where too many series would share it.
std::vector<Panel> linePanels(const Findings& findings, std::size_t workers) {
  const auto& axes = findings.experiment.axes;
  std::size_t series = 1;
  for (std::size_t i = 0; i < axes.size(); ++i)
    series *= i == workers ? 1 : axes[i].values.size();
  const auto split = firstAxis(axes, workers);
  return series <= report::kSeries || !split ? wholePanel(findings, {workers})
                                             : panelsBy(*split, findings, {workers});
}

/// Of pictures with a bar for each cell, so long: one, or one for each value of the first axis
/// where the shortest bars would not be seen.
std::vector<Panel> barPanels(const Findings& findings,
                             const std::function<double(const CellSummary&)>& length) {
  std::vector<double> lengths;
  for (const CellSummary& summary : findings.summaries)
    lengths.push_back(length(summary));
  const auto& axes = findings.experiment.axes;
  const auto split = firstAxis(axes, std::nullopt);
  // Of a single axis each picture would have one bar.
  return axes.size() < 2 || !split || !isWide(lengths) ? wholePanel(findings, {})
                                                       : panelsBy(*split, findings, {});
}

/// A figure of a cell with its interval.
struct Figure {
  double value = 0;
  std::optional<double> half_width;
  bool has_idle_base = false;  // as in CellSummary
};

std::string withShare(const Figure& figure) {
  std::string text = readableText(figure.value);
  if (figure.half_width && figure.value != 0)
    text += " " + halfWidthText(*figure.half_width / figure.value);
  return figure.has_idle_base ? text + " " + kIdleBaseMark : text;
}

/// Of an accuracy in percent.
std::string withPoints(const Figure& figure) {
  constexpr int kHundredths = 2;
  std::string text = fixedText(figure.value, kHundredths);
  if (figure.half_width) text += " ± " + fixedText(*figure.half_width, kHundredths);
  return text;
}

/// A figure that has a picture, called as its column in the table of results.
struct Subject {
  std::string file;
  std::string title;
  std::function<std::optional<Figure>(const Cell&, const CellSummary&)> figure;
  std::optional<report::Reference> reference{};
  std::string (*text)(const Figure& figure) = withShare;
};

std::optional<Figure> scaledFigure(const std::optional<Estimate>& estimate, double factor) {
  if (!estimate) return std::nullopt;
  Figure figure{factor * estimate->mean, std::nullopt};
  if (estimate->half_width) figure.half_width = factor * *estimate->half_width;
  return figure;
}

std::optional<Figure> speedupOf(const CellSummary& summary, double divisor) {
  if (!summary.speedup) return std::nullopt;
  Figure figure{*summary.speedup / divisor, std::nullopt, summary.has_idle_base};
  if (summary.speedup_half_width) figure.half_width = *summary.speedup_half_width / divisor;
  return figure;
}

std::vector<Subject> subjectsOf(const Experiment& experiment) {
  const bool has_worker_batches = countsWorkerBatches(experiment);
  return {{"throughput", "Samples/s",
           [](const Cell&, const CellSummary& summary) {
             return scaledFigure(summary.samples_per_second, 1);
           }},
          {has_worker_batches ? "worker-batches" : "batches", batchesTitle(experiment),
           [has_worker_batches](const Cell& cell, const CellSummary& summary) {
             return scaledFigure(summary.batches_per_second,
                                 has_worker_batches ? cell.job.worker.replicas : 1);
           }},
          {"speedup", "Speedup",
           [](const Cell&, const CellSummary& summary) { return speedupOf(summary, 1); },
           report::Reference{"as many times as workers", 0, 1}},
          {"efficiency", "Efficiency",
           [](const Cell& cell, const CellSummary& summary) {
             return speedupOf(summary, cell.job.worker.replicas);
           },
           report::Reference{"nothing lost", 1, 0}}};
}

std::string noteOf(bool has_emulated, bool has_idle_base, const std::string& what) {
  const std::string hollow = "Hollow " + what + ": workers waited instead of computing.";
  if (!has_idle_base) return has_emulated ? hollow : "";
  return std::string(kIdleBaseMark) + " over one worker that exchanges nothing" +
         (has_emulated ? "; hollow " + what + ": emulated" : "");
}

/// On an axis from zero the lowest lines would lie on it.
bool needsLogarithm(const report::LineChart& chart) {
  std::vector<double> means;
  for (const report::Series& series : chart.series) {
    for (const report::Point& point : series.points)
      means.push_back(point.y);
  }
  return isWide(means);
}

report::LineChart chartOf(const Findings& findings, const Subject& subject, const Panel& panel) {
  report::LineChart chart{subject.title + panel.suffix, "workers", {}, subject.reference};
  const auto names = cellTexts(findings.experiment.axes, findings.cells, panel.left_out);
  bool has_emulated = false;
  bool has_idle_base = false;
  for (const std::size_t i : panel.cells) {
    const Cell& cell = findings.cells[i];
    const auto figure = subject.figure(cell, findings.summaries[i]);
    if (!figure) continue;
    const std::string name =
        names[i] + (figure->has_idle_base ? std::string(" ") + kIdleBaseMark : "");
    has_idle_base = has_idle_base || figure->has_idle_base;
    has_emulated = has_emulated || cell.conditions.is_emulated;
    auto series = std::ranges::find(chart.series, name, &report::Series::name);
    if (series == chart.series.end())
      series = chart.series.insert(chart.series.end(), report::Series{name, {}});
    series->points.push_back({static_cast<double>(cell.job.worker.replicas), figure->value,
                              figure->half_width, cell.conditions.is_emulated});
  }
  for (report::Series& series : chart.series) {
    std::ranges::stable_sort(series.points, {}, &report::Point::x);
    const auto hollow = std::ranges::count_if(series.points, &report::Point::is_hollow);
    if (hollow > 0)
      series.name += hollow < std::ssize(series.points) ? " (partly emulated)" : " (emulated)";
  }
  chart.note = noteOf(has_emulated, has_idle_base, "marks");
  if (!chart.reference && needsLogarithm(chart)) {
    chart.is_logarithmic = true;
    chart.title = subject.title + ", logarithmic" + panel.suffix;
  }
  return chart;
}

/// The name of a picture's file, one of several panels.
std::string fileOf(const std::string& name, const std::vector<Panel>& panels, const Panel& panel) {
  if (panels.size() == 1) return name;
  return name + "-" + std::to_string(&panel - panels.data() + 1);
}

void addLines(std::vector<Picture>& pictures, const Findings& findings, const Subject& subject,
              std::size_t workers) {
  const auto panels = linePanels(findings, workers);
  for (const Panel& panel : panels) {
    const auto chart = chartOf(findings, subject, panel);
    if (!chart.series.empty())
      pictures.push_back({fileOf(subject.file, panels, panel), draw(chart)});
  }
}

/// What the name of a cell must not go without.
std::string remarkOf(const Cell& cell, bool is_fitted) {
  if (!cell.conditions.is_emulated) return is_fitted ? " (fitted)" : "";
  return is_fitted ? " (fitted, emulated)" : " (emulated)";
}

void addBars(std::vector<Picture>& pictures, const Findings& findings, const Subject& subject) {
  report::BarChart chart{subject.title, "", {subject.title}, {}};
  const auto names = cellTexts(findings.experiment.axes, findings.cells, {});
  bool has_emulated = false;
  bool has_idle_base = false;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const Cell& cell = findings.cells[i];
    const auto figure = subject.figure(cell, findings.summaries[i]);
    if (!figure) continue;
    has_idle_base = has_idle_base || figure->has_idle_base;
    has_emulated = has_emulated || cell.conditions.is_emulated;
    chart.bars.push_back({names[i] + remarkOf(cell, /*is_fitted=*/false),
                          subject.text(*figure),
                          {figure->value},
                          figure->half_width,
                          std::nullopt,
                          cell.conditions.is_emulated});
  }
  chart.note = noteOf(has_emulated, has_idle_base, "bars");
  if (!chart.bars.empty() && chart.bars.size() <= kMostBars)
    pictures.push_back({subject.file, draw(chart)});
}

std::vector<Picture> picturesOf(const std::vector<Subject>& subjects, const Findings& findings) {
  const auto workers = workerAxis(findings.experiment.axes);
  std::vector<Picture> pictures;
  for (const Subject& subject : subjects) {
    if (workers) {
      addLines(pictures, findings, subject, *workers);
    } else {
      addBars(pictures, findings, subject);
    }
  }
  return pictures;
}

report::BarChart predictionChart(const Findings& findings, const Panel& panel) {
  report::BarChart chart{"Predicted and measured samples/s" + panel.suffix, "", {"measured"}, {}};
  const auto names = cellTexts(findings.experiment.axes, findings.cells, panel.left_out);
  bool has_emulated = false;
  for (const std::size_t i : panel.cells) {
    const Cell& cell = findings.cells[i];
    const CellSummary& summary = findings.summaries[i];
    const auto measured = scaledFigure(summary.samples_per_second, 1);
    const auto predicted = summary.predictedSamplesPerSecond(cell);
    if (!predicted || !measured) continue;
    const bool is_emulated = cell.conditions.is_emulated;
    has_emulated = has_emulated || is_emulated;
    chart.bars.push_back({names[i] + remarkOf(cell, summary.is_fitted),
                          readableText(measured->value),
                          {measured->value},
                          measured->half_width,
                          predicted,
                          is_emulated});
  }
  chart.note = noteOf(has_emulated, /*has_idle_base=*/false, "bars");
  return chart;
}

}  // namespace

std::vector<Picture> speedPictures(const Findings& findings) {
  return picturesOf(subjectsOf(findings.experiment), findings);
}

std::vector<Picture> learnedPictures(const Findings& findings) {
  const Metric metric = findings.experiment.measurement.metric;
  if (!isOfLearning(metric)) return {};
  const bool is_accuracy = metric == Metric::kValidationAccuracy;
  const auto figure = [metric, is_accuracy](const Cell&, const CellSummary& summary) {
    constexpr double kPercent = 100;
    return scaledFigure(summary.measured(metric), is_accuracy ? kPercent : 1);
  };
  if (is_accuracy) {
    return picturesOf({{"validation-accuracy", "Validation accuracy, %", figure, {}, withPoints}},
                      findings);
  }
  return picturesOf({{"validation-perplexity", "Validation perplexity", figure}}, findings);
}

report::BarChart phaseChart(const std::string& title) {
  return {title,
          "milliseconds a step of worker 0",
          {"gradients", "update", "waiting for sums", "waiting for samples"},
          {}};
}

report::Bar phaseBar(const std::string& name, const StepPhases& phases) {
  constexpr double kMilliseconds = 1'000;
  report::Bar bar{name, readableText(kMilliseconds * phases.sum()) + " ms", {}};
  for (const double seconds : {phases.gradient_seconds, phases.update_seconds,
                               phases.sum_wait_seconds, phases.data_wait_seconds})
    bar.parts.push_back(kMilliseconds * seconds);
  return bar;
}

std::vector<Picture> phasePictures(const Findings& findings) {
  std::vector<Picture> pictures;
  const auto panels = barPanels(findings, [](const CellSummary& summary) {
    return summary.phases ? summary.phases->sum() : 0;
  });
  for (const Panel& panel : panels) {
    report::BarChart chart = phaseChart("Where the time of a step goes" + panel.suffix);
    const auto names = cellTexts(findings.experiment.axes, findings.cells, panel.left_out);
    for (const std::size_t i : panel.cells) {
      const auto& phases = findings.summaries[i].phases;
      if (!phases) continue;
      const std::string remark = remarkOf(findings.cells[i], /*is_fitted=*/false);
      chart.bars.push_back(phaseBar(names[i] + remark, *phases));
    }
    if (!chart.bars.empty() && chart.bars.size() <= kMostBars)
      pictures.push_back({fileOf("phases", panels, panel), draw(chart)});
  }
  return pictures;
}

std::vector<Picture> predictionPictures(const Findings& findings) {
  std::vector<Picture> pictures;
  const auto panels = barPanels(findings, [](const CellSummary& summary) {
    const bool is_shown = summary.predicted_batches_per_second && summary.samples_per_second;
    return is_shown ? summary.samples_per_second->mean : 0;
  });
  for (const Panel& panel : panels) {
    const report::BarChart chart = predictionChart(findings, panel);
    if (!chart.bars.empty() && chart.bars.size() <= kMostBars)
      pictures.push_back({fileOf("prediction", panels, panel), draw(chart)});
  }
  return pictures;
}

report::Pictures addPictures(std::vector<Picture> added, std::vector<Picture>& all) {
  report::Pictures drawings;
  for (Picture& picture : added) {
    drawings.drawings.push_back(picture.drawing);
    all.push_back(std::move(picture));
  }
  return drawings;
}

}  // namespace sumac::experiment
