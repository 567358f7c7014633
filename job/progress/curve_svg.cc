#include "job/progress/curve_svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "base/report/drawing.h"
#include "base/report/numbers.h"

namespace sumac {
namespace {

constexpr double kWidth = 800;
constexpr double kHeight = 450;
constexpr double kLeft = 70;
constexpr double kRight = 730;
constexpr double kTop = 50;
constexpr double kBottom = 390;
constexpr std::size_t kMaxPoints = 600;
constexpr std::string_view kInk = "#444444";
constexpr std::string_view kLossColor = "#1f6fb4";
constexpr std::string_view kScoreColor = "#c8501e";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// Values along one direction and the pixels that they fall on.
struct Scale {
  std::vector<double> marks;
  double from = 0;  // pixel of the first mark
  double to = 0;

  double operator()(double value) const {
    const double span = marks.back() - marks.front();
    return from + (value - marks.front()) / span * (to - from);
  }
};

std::string textAt(double x, double y, std::string_view anchor, std::string_view color,
                   const std::string& text) {
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\" fill=\"" + std::string(color) + "\">" + report::escaped(text) +
         "</text>\n";
}

std::string lineFrom(double x1, double y1, double x2, double y2, std::string_view color) {
  return "<line x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" + pixels(x2) +
         "\" y2=\"" + pixels(y2) + "\" stroke=\"" + std::string(color) + "\"/>\n";
}

/// Averages neighbours until at most kMaxPoints are left.
std::vector<std::pair<double, double>> thinned(const std::map<Step, double>& series) {
  const std::size_t group = (series.size() + kMaxPoints - 1) / kMaxPoints;
  std::vector<std::pair<double, double>> points;
  std::size_t in_group = 0;
  for (const auto& [step, value] : series) {
    const auto x = static_cast<double>(step);
    if (in_group == 0) points.emplace_back(0, 0);
    points.back().first += x;
    points.back().second += value;
    if (++in_group < group) continue;
    points.back().first /= static_cast<double>(in_group);
    points.back().second /= static_cast<double>(in_group);
    in_group = 0;
  }
  if (in_group > 0) {
    points.back().first /= static_cast<double>(in_group);
    points.back().second /= static_cast<double>(in_group);
  }
  return points;
}

std::string polyline(const std::map<Step, double>& series, const Scale& x, const Scale& y,
                     std::string_view color, bool dots) {
  std::string points;
  std::string circles;
  for (const auto& [step, value] : thinned(series)) {
    points += (points.empty() ? "" : " ") + pixels(x(step)) + "," + pixels(y(value));
    if (!dots) continue;
    circles += "<circle cx=\"" + pixels(x(step)) + "\" cy=\"" + pixels(y(value)) +
               "\" r=\"3\" fill=\"" + std::string(color) + "\"/>\n";
  }
  if (points.empty()) return {};
  return "<polyline fill=\"none\" stroke=\"" + std::string(color) +
         "\" stroke-width=\"1.8\" points=\"" + points + "\"/>\n" + circles;
}

/// What the right axis shows.
const std::map<Step, double>& scoreOf(const TrainingCurve& curve) {
  return curve.perplexity.empty() ? curve.accuracy : curve.perplexity;
}

Scale stepScale(const TrainingCurve& curve) {
  Step last = 1;
  if (!curve.loss.empty()) last = std::max(last, curve.loss.rbegin()->first);
  const auto& score = scoreOf(curve);
  if (!score.empty()) last = std::max(last, score.rbegin()->first);
  return {report::ticks(0, static_cast<double>(last), 8), kLeft, kRight};
}

/// From zero, or below where there are such values.
Scale scaleOf(const std::map<Step, double>& series) {
  double low = 0;
  double high = 0;
  for (const auto& [step, value] : series) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (high <= low) high = low + 1;
  return {report::ticks(low, high, 6), kBottom, kTop};
}

Scale scoreScale(const TrainingCurve& curve) {
  if (!curve.perplexity.empty()) return scaleOf(curve.perplexity);
  double low = 1;
  for (const auto& [step, value] : curve.accuracy)
    low = std::min(low, value);
  return {report::ticks(std::clamp(low, 0.0, 0.95), 1, 6), kBottom, kTop};
}

std::string rightAxis(const TrainingCurve& curve, const Scale& score) {
  if (scoreOf(curve).empty()) return {};
  std::string out = lineFrom(kRight, kTop, kRight, kBottom, kInk);
  for (const double mark : score.marks) {
    const std::string text = curve.perplexity.empty() ? number(100 * mark) + " %" : number(mark);
    out += lineFrom(kRight, score(mark), kRight + 5, score(mark), kInk);
    out += textAt(kRight + 10, score(mark) + 4, "start", kScoreColor, text);
  }
  return out;
}

std::string axes(const Scale& x, const Scale& loss) {
  constexpr std::string_view kGrid = "#e4e4e4";
  std::string out;
  for (const double mark : loss.marks) {
    out += lineFrom(kLeft, loss(mark), kRight, loss(mark), kGrid);
    out += textAt(kLeft - 8, loss(mark) + 4, "end", kLossColor, number(mark));
  }
  for (const double mark : x.marks) {
    out += lineFrom(x(mark), kBottom, x(mark), kBottom + 5, kInk);
    out += textAt(x(mark), kBottom + 20, "middle", kInk, number(mark));
  }
  out += lineFrom(kLeft, kBottom, kRight, kBottom, kInk);
  out += lineFrom(kLeft, kTop, kLeft, kBottom, kInk);
  out += textAt((kLeft + kRight) / 2, kHeight - 18, "middle", kInk, "step");
  return out;
}

std::string legend(const TrainingCurve& curve) {
  constexpr double kY = 40;
  std::string out = lineFrom(kLeft, kY - 4, kLeft + 24, kY - 4, kLossColor) +
                    textAt(kLeft + 30, kY, "start", kLossColor, "training loss");
  if (scoreOf(curve).empty()) return out;
  return out + lineFrom(kRight - 24, kY - 4, kRight, kY - 4, kScoreColor) +
         textAt(kRight - 30, kY, "end", kScoreColor,
                !curve.perplexity.empty() ? "validation perplexity"
                : curve.is_validated      ? "validation accuracy"
                                          : "test accuracy");
}

}  // namespace

std::string curveSvg(const TrainingCurve& curve) {
  const Scale x = stepScale(curve);
  const Scale loss = scaleOf(curve.loss);
  const Scale score = scoreScale(curve);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(kWidth) +
                    "\" height=\"" + number(kHeight) + "\" viewBox=\"0 0 " + number(kWidth) + " " +
                    number(kHeight) + "\" font-family=\"sans-serif\" font-size=\"12\">\n";
  out += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  out +=
      "<g font-size=\"16\">" + textAt(kWidth / 2, 22, "middle", "#222222", curve.title) + "</g>\n";
  out += axes(x, loss) + rightAxis(curve, score) + legend(curve);
  out += polyline(curve.loss, x, loss, kLossColor, /*dots=*/curve.loss.size() == 1);
  out += polyline(scoreOf(curve), x, score, kScoreColor, /*dots=*/true);
  return out + "</svg>\n";
}

}  // namespace sumac
