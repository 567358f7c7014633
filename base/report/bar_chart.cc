#include "base/report/bar_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/core/check.h"
#include "base/report/marks.h"
#include "base/report/numbers.h"

namespace sumac::report {
namespace {

constexpr double kBarsWidth = 480;
constexpr double kBarsRight = kBarsWidth - 16;  // half of the last label hangs over
constexpr double kBarsLeft = 1;
constexpr double kKeyY = 44;
constexpr double kKeyLine = 20;
constexpr double kNameHeight = 17;  // of a bar's name
constexpr double kBarHeight = 13;
constexpr double kBarGap = 10;
constexpr double kScaleHeight = 46;
constexpr double kBarsNoteHeight = 22;

// Colours of the parts, in order: blue, black, orange, green.
constexpr std::array<std::size_t, 4> kPartColours{0, 2, 1, 3};

struct BarScale {
  std::vector<double> ticks;

  double operator()(double value) const {
    return kBarsLeft + std::clamp(value / ticks.back(), 0.0, 1.0) * (kBarsRight - kBarsLeft);
  }
};

double lengthOf(const Bar& bar) {
  return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0);
}

BarScale scaleOf(const BarChart& chart) {
  constexpr int kWantedTicks = 5;
  constexpr double kMostOverMeans = 1.5;
  double mean = 0;
  double end = 0;
  for (const Bar& bar : chart.bars) {
    mean = std::max({mean, lengthOf(bar), bar.forecast.value_or(0)});
    end = std::max({end, mean, lengthOf(bar) + bar.half_width.value_or(0)});
  }
  const double most = std::min(end, kMostOverMeans * mean);
  return {ticks(0, most > 0 && std::isfinite(most) ? most : 1, kWantedTicks)};
}

/// Stripes over a part, in the colour of the paper: the first two parts have none, the third
/// slanted ones, the fourth upright ones.
std::string stripes(std::size_t part, double left, double right, double top) {
  constexpr double kDistance = 7;
  if (part < 2) return {};
  const double slant = part == 2 ? kBarHeight : 0;
  std::string path;
  for (double x = left + kDistance / 2; x + slant < right; x += kDistance) {
    path += "M" + pixels(x) + " " + pixels(top + kBarHeight) + "l" + pixels(slant) + " " +
            pixels(-kBarHeight);
  }
  if (path.empty()) return {};
  return element("path", {{"d", path}, {"class", "stripes"}});
}

std::string partOf(std::size_t part, double left, double right, double top, bool is_hollow) {
  const std::string classes = "bar " + seriesClass(kPartColours.at(part % kPartColours.size())) +
                              (is_hollow ? " hollow" : "");
  return element("rect", {{"x", pixels(left)},
                          {"y", pixels(top)},
                          {"width", pixels(std::max(right - left, 0.0))},
                          {"height", pixels(kBarHeight)},
                          {"class", classes}}) +
         stripes(part, left, right, top);
}

std::string whiskerOf(const Bar& bar, const BarScale& scale, double middle) {
  constexpr double kHalfCap = 3.5;
  if (!bar.half_width) return {};
  const double low = lengthOf(bar) - *bar.half_width;
  const double high = lengthOf(bar) + *bar.half_width;
  std::string path = "M" + pixels(scale(low)) + " " + pixels(middle) + "H" + pixels(scale(high));
  const auto capAt = [&](double value) {
    return "M" + pixels(scale(value)) + " " + pixels(middle - kHalfCap) + "v" +
           pixels(2 * kHalfCap);
  };
  path += high <= scale.ticks.back() ? capAt(high) : arrowhead(kBarsRight, middle, 1, 0);
  path += low >= 0 ? capAt(low) : arrowhead(kBarsLeft, middle, -1, 0);
  return element("path", {{"d", path}, {"class", "halo"}}) +
         element("path", {{"d", path}, {"class", "whisker-ink"}});
}

/// Draws a bar from `y` down, and moves `y` below it.
std::string barOf(const Bar& bar, const BarScale& scale, double& y) {
  const auto name = fittedLines(bar.name, kBarsRight - textWidth(bar.value + "  "));
  std::string out = textAt(kBarsRight, y + kNameHeight - 5, Anchor::kEnd, "muted name", bar.value);
  for (const std::string& line : name)
    out += textAt(0, (y += kNameHeight) - 5, Anchor::kStart, "name", line);
  const double top = y;
  const double middle = top + kBarHeight / 2;
  y += kBarHeight + kBarGap;
  double sum = 0;
  const bool is_hollow = bar.is_hollow && bar.parts.size() == 1;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    out += partOf(i, scale(sum), scale(sum + bar.parts[i]), top, is_hollow);
    sum += bar.parts[i];
  }
  out += whiskerOf(bar, scale, middle);
  if (bar.forecast) out += forecastMark(scale(*bar.forecast), middle);
  return out;
}

/// The names of parts and marks, where somebody could ask, with the height that they take.
struct Key {
  std::string content;
  double bottom = 32;  // below the title
};

Key keyOf(const BarChart& chart) {
  constexpr double kSample = 18;
  constexpr double kGap = 12;
  Key key;
  double x = 0;
  double y = kKeyY;
  const auto add = [&](const std::string& name, const auto& sample) {
    const double width = kSample + 6 + textWidth(name);
    if (x > 0 && x + width > kBarsWidth) {
      x = 0;
      y += kKeyLine;
    }
    key.content += sample() + textAt(x + kSample + 6, y, Anchor::kStart, "", name);
    key.bottom = y + kKeyLine * 0.75;
    x += width + kGap;
  };
  const bool has_forecasts =
      std::ranges::any_of(chart.bars, [](const Bar& bar) { return bar.forecast.has_value(); });
  for (std::size_t i = 0; (chart.parts.size() > 1 || has_forecasts) && i < chart.parts.size(); ++i)
    add(chart.parts[i], [&] { return partOf(i, x + 1, x + kSample, y - kBarHeight + 2, false); });
  if (has_forecasts) add("predicted", [&] { return forecastMark(x + kSample / 2, y - 4); });
  return key;
}

std::string scaleLines(const BarChart& chart, const BarScale& scale, double top, double bottom) {
  std::string out;
  const auto texts = tickTexts(scale.ticks);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double x = scale(scale.ticks[i]);
    out += lineFrom(x, top, x, bottom, i == 0 ? "axis" : "grid");
    const bool is_wide = x + textWidth(texts[i]) / 2 > kBarsWidth;
    const auto anchor = i == 0 ? Anchor::kStart : is_wide ? Anchor::kEnd : Anchor::kMiddle;
    out += textAt(i == 0 ? 0 : is_wide ? kBarsWidth : x, bottom + 18, anchor, "muted", texts[i]);
  }
  return out + textAt(kBarsWidth / 2, bottom + 38, Anchor::kMiddle, "muted", chart.value_title);
}

}  // namespace

Drawing draw(const BarChart& chart) {
  SUMAC_CHECK(!chart.bars.empty());
  const BarScale scale = scaleOf(chart);
  const Key key = keyOf(chart);
  std::string bars;
  double bottom = key.bottom;
  for (const Bar& bar : chart.bars) {
    SUMAC_CHECK(bar.parts.size() == chart.parts.size(), bar.parts.size());
    bars += barOf(bar, scale, bottom);
  }
  Drawing drawing{kBarsWidth, bottom + kScaleHeight, chart.title, ""};
  const std::string lines = scaleLines(chart, scale, key.bottom + kBarGap / 2, bottom);
  drawing.content = key.content + element("g", {{"class", "plot"}}, "\n" + lines + bars);
  if (!chart.note.empty()) {
    drawing.height += kBarsNoteHeight;
    drawing.content += textAt(0, drawing.height - 6, Anchor::kStart, "muted small", chart.note);
  }
  addTitle(drawing);
  return drawing;
}

}  // namespace sumac::report
