#include "base/report/line_chart.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/core/check.h"
#include "base/report/marks.h"
#include "base/report/numbers.h"

namespace sumac::report {
namespace {

constexpr double kEdge = 14;        // right of the plot
constexpr double kLegendY = 44;     // of the legend's first line
constexpr double kLegendLine = 20;  // from one line to the next
constexpr double kPlotHeight = 210;
constexpr double kBelowPlot = 46;  // labels and title of the horizontal axis
constexpr double kNoteHeight = 22;
constexpr double kInset = 24;  // of the first and the last point
constexpr double kDodge = 7;   // between points of different series at the same x
constexpr double kCap = 3.5;   // half a whisker's end

/// Where the values of a chart fall.
struct Plot {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
  std::vector<double> x_values;  // of points; of a continuous axis, round numbers
  std::vector<double> y_ticks;
  bool is_continuous = false;
  bool has_logarithmic_y = false;

  double y(double value) const {
    const double low = y_ticks.front();
    const double high = y_ticks.back();
    const double share = !has_logarithmic_y ? (value - low) / (high - low)
                         : value > low      ? std::log(value / low) / std::log(high / low)
                                            : 0;
    return bottom - std::clamp(share, 0.0, 1.0) * (bottom - top);
  }

  /// Numbers that double, or more, from one to the next are as far apart from each other.
  bool isLogarithmic() const {
    constexpr double kWide = 100;
    if (is_continuous || x_values.size() < 3) return false;
    if (x_values.back() > kWide * x_values.front()) return true;
    for (std::size_t i = 1; i < x_values.size(); ++i) {
      if (x_values[i] < 2 * x_values[i - 1]) return false;
    }
    return true;
  }

  double x(double value) const {
    const double first = x_values.front();
    const double last = x_values.back();
    if (last <= first) return (left + right) / 2;
    const double share = isLogarithmic() ? std::log(value / first) / std::log(last / first)
                                         : (value - first) / (last - first);
    return left + kInset + share * (right - left - 2 * kInset);
  }
};

/// The top of the vertical axis: all means, and intervals unless they would flatten the means.
double highest(const LineChart& chart) {
  constexpr double kMostOverMeans = 1.5;
  double mean = 0;
  double end = 0;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      mean = std::max(mean, point.y);
      end = std::max(end, point.y + point.half_width.value_or(0));
    }
  }
  const double most = std::min(end, kMostOverMeans * mean);
  return most > 0 && std::isfinite(most) ? most : 1;
}

/// The ticks of an axis that is not logarithmic.
std::vector<double> ticksOf(const LineChart& chart, int wanted) {
  const double high = highest(chart);
  return ticks(chart.y_low, high > chart.y_low ? high : chart.y_low + 1, wanted);
}

/// The ticks of a logarithmic axis: all values above zero, and a reference that is constant.
std::vector<double> logarithmicTicksOf(const LineChart& chart) {
  std::vector<double> values;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points)
      values.push_back(point.y);
  }
  if (chart.reference && chart.reference->slope == 0) values.push_back(chart.reference->constant);
  std::erase_if(values, [](double value) { return !std::isfinite(value) || value <= 0; });
  if (values.empty()) values.push_back(1);
  const auto [low, high] = std::ranges::minmax(values);
  return logarithmicTicks(low, high);
}

std::vector<std::string> yTextsOf(const LineChart& chart, const Plot& plot) {
  auto texts =
      plot.has_logarithmic_y ? logarithmicTickTexts(plot.y_ticks) : tickTexts(plot.y_ticks);
  for (std::string& text : texts)
    text += chart.y_unit;
  return texts;
}

std::size_t colorOf(const LineChart& chart, std::size_t series) {
  return chart.series[series].color.value_or(series);
}

/// The legend with the number of its lines.
struct Legend {
  std::string content;
  int lines = 0;
};

Legend legendOf(const LineChart& chart) {
  constexpr double kSample = 26;  // line and mark
  constexpr double kGap = 20;
  constexpr double kFirst = 2;
  const bool is_told = chart.series.size() > 1 || chart.reference.has_value();
  if (!is_told) return {};
  Legend legend{"", 1};
  double x = kFirst;
  double y = kLegendY;
  const auto add = [&](const std::string& name, const auto& sample) {
    const auto lines = fittedLines(name, chart.width - kFirst - kSample - 6);
    const double width = lines.size() > 1 ? chart.width : kSample + 6 + textWidth(name);
    const auto next_line = [&] {
      y += kLegendLine;
      ++legend.lines;
    };
    if (x > kFirst && x + width > chart.width) {
      x = kFirst;
      next_line();
    }
    legend.content += sample();
    for (const std::string& line : lines) {
      if (&line != &lines.front()) next_line();
      legend.content += textAt(x + kSample + 6, y, Anchor::kStart, "", line);
    }
    x += width + kGap;
  };
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto& points = chart.series[i].points;
    const bool is_hollow = std::ranges::any_of(points, &Point::is_hollow);
    if (chart.series[i].name.empty()) continue;
    add(chart.series[i].name, [&] {
      return lineFrom(x, y - 4, x + kSample, y - 4, "line " + seriesClass(colorOf(chart, i))) +
             mark(colorOf(chart, i), x + kSample / 2, y - 4, is_hollow);
    });
  }
  if (chart.reference) {
    add(chart.reference->name, [&] { return lineFrom(x, y - 4, x + kSample, y - 4, "ideal"); });
  }
  return legend;
}

Plot plotOf(const LineChart& chart, int legend_lines) {
  constexpr int kWantedTicks = 5;
  constexpr double kLabelGap = 16;
  Plot plot;
  plot.is_continuous = chart.is_continuous;
  std::set<double> x_values;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points)
      x_values.insert(point.x);
  }
  SUMAC_CHECK(!x_values.empty());
  if (chart.is_continuous) {
    SUMAC_CHECK(*x_values.begin() >= 0, *x_values.begin());
    const double last = *x_values.rbegin();
    plot.x_values = ticks(0, last > 0 ? last : 1, kWantedTicks);
  } else {
    SUMAC_CHECK(*x_values.begin() > 0, *x_values.begin());
    plot.x_values.assign(x_values.begin(), x_values.end());
  }
  plot.has_logarithmic_y = chart.is_logarithmic;
  plot.y_ticks = chart.is_logarithmic ? logarithmicTicksOf(chart) : ticksOf(chart, kWantedTicks);
  double widest = 0;
  for (const std::string& text : yTextsOf(chart, plot))
    widest = std::max(widest, textWidth(text));
  plot.left = std::max(widest + kLabelGap, chart.left_room);
  double end = chart.right_room;
  for (const Series& series : chart.series)
    end = std::max(end, series.end.empty() ? 0 : textWidth(series.end));
  plot.right = chart.width - kEdge - end;
  plot.top = kLegendY + kLegendLine * (legend_lines - 1) + kLegendLine;
  plot.bottom = plot.top + kPlotHeight;
  return plot;
}

std::string axesOf(const LineChart& chart, const Plot& plot) {
  constexpr double kLabelBelow = 19;
  constexpr double kTitleBelow = 40;
  std::string out;
  const auto texts = yTextsOf(chart, plot);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double y = plot.y(plot.y_ticks[i]);
    out += lineFrom(plot.left, y, plot.right, y, i == 0 ? "axis" : "grid");
    out += textAt(plot.left - 8, y + 4, Anchor::kEnd, "muted", texts[i]);
  }
  constexpr std::size_t kMostLabels = 12;
  const bool is_crowded = plot.isLogarithmic() && plot.x_values.size() > kMostLabels;
  double labelled = 0;   // where there are many, the next label is at twice this number
  double free_from = 0;  // labels that would overlap are left out
  const auto together = tickTexts(plot.x_values);
  for (std::size_t i = 0; i < plot.x_values.size(); ++i) {
    const double value = plot.x_values[i];
    const std::string text = plot.is_continuous ? together[i] : tickTexts({value}).front();
    const double x = plot.x(value);
    out += lineFrom(x, plot.bottom, x, plot.bottom + 5, "axis");
    if (x - textWidth(text) / 2 < free_from || (is_crowded && value < 2 * labelled)) continue;
    labelled = value;
    out += textAt(x, plot.bottom + kLabelBelow, Anchor::kMiddle, "muted", text);
    free_from = x + textWidth(text) / 2 + 4;
  }
  return out + textAt((plot.left + plot.right) / 2, plot.bottom + kTitleBelow, Anchor::kMiddle,
                      "muted", chart.x_title);
}

/// The line to compare with, as far as it stays inside; empty where nothing of it is seen.
std::string referencePoints(const LineChart& chart, const Plot& plot) {
  constexpr int kPieces = 60;  // it is a curve where the horizontal axis is logarithmic
  constexpr double kSlack = 1 + 1e-9;
  if (!chart.reference) return {};
  const double first = plot.x_values.front();
  const double last = plot.x_values.back();
  if (first == last) return {};
  std::string points;
  for (int i = 0; i <= kPieces; ++i) {
    const double share = static_cast<double>(i) / kPieces;
    const double x = plot.isLogarithmic() ? first * std::pow(last / first, share)
                                          : first + (last - first) * share;
    const double y = chart.reference->constant + chart.reference->slope * x;
    if (y > plot.y_ticks.back() * kSlack) break;
    points += (points.empty() ? "" : " ") + pixels(plot.x(x)) + "," + pixels(plot.y(y));
  }
  return points.find(' ') == points.npos ? std::string() : points;  // one alone is no line
}

std::string whiskerOf(const Point& point, double x, const Plot& plot, const std::string& colour) {
  if (!point.half_width) return {};
  const double high = point.y + *point.half_width;
  const double low = point.y - *point.half_width;
  std::string path = "M" + pixels(x) + " " + pixels(plot.y(low)) + "V" + pixels(plot.y(high));
  const auto capAt = [&](double value) {
    return "M" + pixels(x - kCap) + " " + pixels(plot.y(value)) + "h" + pixels(2 * kCap);
  };
  path += high <= plot.y_ticks.back() ? capAt(high) : arrowhead(x, plot.top, 0, -1);
  path += low >= plot.y_ticks.front() ? capAt(low) : arrowhead(x, plot.bottom, 0, 1);
  return element("path", {{"d", path}, {"class", "whisker " + colour}});
}

/// Behind everything else.
std::string pausesOf(const LineChart& chart, const Plot& plot) {
  constexpr double kNarrowest = 1.5;  // what is shorter would not be seen
  std::string out;
  for (const Pause& pause : chart.pauses) {
    const double x = plot.x(pause.begin);
    out += element("rect", {{"x", pixels(x)},
                            {"y", pixels(plot.top)},
                            {"width", pixels(std::max(kNarrowest, plot.x(pause.end) - x))},
                            {"height", pixels(plot.bottom - plot.top)},
                            {"class", "pause"}});
  }
  return out;
}

/// Whether a point gets a mark. Of many points of a continuous axis a few do, each series at other
/// places.
bool isMarked(const LineChart& chart, std::size_t index, std::size_t point) {
  constexpr std::size_t kMarks = 8;
  if (!chart.is_continuous) return true;
  const std::size_t stride = std::max<std::size_t>(1, chart.series[index].points.size() / kMarks);
  return point % stride == index * stride / chart.series.size();
}

/// The ring around the best point.
std::string ringOf(const Series& series, const Plot& plot, std::size_t color) {
  constexpr double kRing = 7;
  if (!series.best) return {};
  const Point& best = series.points.at(*series.best);
  return element("circle", {{"cx", pixels(plot.x(best.x))},
                            {"cy", pixels(plot.y(best.y))},
                            {"r", pixels(kRing)},
                            {"class", "ring " + seriesClass(color)}});
}

/// The values beside the last points, moved apart where they would lie over each other.
std::string endsOf(const LineChart& chart, const Plot& plot) {
  constexpr double kLine = 15;
  constexpr double kGap = 10;
  std::vector<std::pair<double, const Series*>> ends;
  double x = 0;
  for (const Series& series : chart.series) {
    if (series.end.empty() || series.points.empty()) continue;
    ends.emplace_back(plot.y(series.points.back().y), &series);
    x = std::max(x, plot.x(series.points.back().x) + kGap);
  }
  std::ranges::sort(ends);
  for (std::size_t i = 1; i < ends.size(); ++i)
    ends[i].first = std::max(ends[i].first, ends[i - 1].first + kLine);
  const double beyond = ends.empty() ? 0 : std::max(0.0, ends.back().first - plot.bottom);
  std::string out;
  for (const auto& [y, series] : ends)
    out += textAt(x, y - beyond + 4, Anchor::kStart, "", series->end);
  return out;
}

std::string seriesOf(const LineChart& chart, std::size_t index, const Plot& plot) {
  const Series& series = chart.series[index];
  const double middle = static_cast<double>(chart.series.size() - 1) / 2;
  const double dodge = chart.is_continuous ? 0 : kDodge * (static_cast<double>(index) - middle);
  const std::size_t color = colorOf(chart, index);
  const std::string colour = seriesClass(color);
  std::string line;
  std::string whiskers;
  std::string marks;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    const double x = plot.x(point.x) + dodge;
    line += (line.empty() ? "" : " ") + pixels(x) + "," + pixels(plot.y(point.y));
    whiskers += whiskerOf(point, x, plot, colour);
    if (!series.is_faint && isMarked(chart, index, i))
      marks += mark(color, x, plot.y(point.y), point.is_hollow);
  }
  const std::string classes = std::string(series.is_faint ? "faint " : "line ") + colour;
  return element("polyline", {{"points", line}, {"class", classes}}) + whiskers + marks +
         ringOf(series, plot, color);
}

}  // namespace

Drawing draw(const LineChart& whole) {
  LineChart chart = whole;
  // A legend tells no line that is outside.
  if (referencePoints(chart, plotOf(chart, 0)).empty()) chart.reference.reset();
  const Legend legend = legendOf(chart);
  const Plot plot = plotOf(chart, legend.lines);
  Drawing drawing{chart.width, plot.bottom + kBelowPlot, chart.title, ""};
  std::string inside = pausesOf(chart, plot) + axesOf(chart, plot);
  if (chart.reference)
    inside += element("polyline", {{"points", referencePoints(chart, plot)}, {"class", "ideal"}});
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    inside += seriesOf(chart, i, plot);
  drawing.content =
      legend.content + element("g", {{"class", "plot"}}, "\n" + inside) + endsOf(chart, plot);
  if (!chart.note.empty()) {
    drawing.height += kNoteHeight;
    drawing.content += textAt(0, drawing.height - 6, Anchor::kStart, "muted small", chart.note);
  }
  addTitle(drawing);
  return drawing;
}

}  // namespace sumac::report
