#include "base/report/marks.h"

#include <array>
#include <span>

#include "base/report/colours.h"
#include "base/report/drawing.h"

namespace sumac::report {
namespace {

constexpr double kRadius = 4.5;

struct Corner {
  double x;  // in radii
  double y;
};

// All of about the same area; the first series has a circle.
constexpr std::array<Corner, 4> kSquare{{{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}};
constexpr std::array<Corner, 3> kTriangle{{{0, -1.25}, {1.2, 0.9}, {-1.2, 0.9}}};
constexpr std::array<Corner, 4> kDiamond{{{0, -1.35}, {1.35, 0}, {0, 1.35}, {-1.35, 0}}};
constexpr std::array<Corner, 3> kInverted{{{0, 1.25}, {1.2, -0.9}, {-1.2, -0.9}}};
constexpr std::array<Corner, 12> kPlus{{{-0.45, -1.3},
                                        {0.45, -1.3},
                                        {0.45, -0.45},
                                        {1.3, -0.45},
                                        {1.3, 0.45},
                                        {0.45, 0.45},
                                        {0.45, 1.3},
                                        {-0.45, 1.3},
                                        {-0.45, 0.45},
                                        {-1.3, 0.45},
                                        {-1.3, -0.45},
                                        {-0.45, -0.45}}};

std::string polygon(std::span<const Corner> corners, double x, double y,
                    const std::string& classes) {
  std::string points;
  for (const Corner& corner : corners) {
    points += (points.empty() ? "" : " ") + pixels(x + kRadius * corner.x) + "," +
              pixels(y + kRadius * corner.y);
  }
  return element("polygon", {{"points", points}, {"class", classes}});
}

/// The shape of a mark; empty: a circle.
std::span<const Corner> shapeOf(std::size_t series) {
  constexpr std::size_t kShapes = 6;
  static_assert(kShapes == kSeries);  // else the first series of a colour could share a shape
  switch ((series + series / kSeries) % kShapes) {
    case 1: return kSquare;
    case 2: return kTriangle;
    case 3: return kDiamond;
    case 4: return kInverted;
    case 5: return kPlus;
    default: return {};
  }
}

}  // namespace

std::string seriesClass(std::size_t series) {
  return "s" + std::to_string(series % kSeries);
}

std::string mark(std::size_t series, double x, double y, bool is_hollow) {
  const std::string classes = "mark " + seriesClass(series) + (is_hollow ? " hollow" : "");
  const auto corners = shapeOf(series);
  if (!corners.empty()) return polygon(corners, x, y, classes);
  return element(
      "circle", {{"cx", pixels(x)}, {"cy", pixels(y)}, {"r", pixels(kRadius)}, {"class", classes}});
}

std::string arrowhead(double x, double y, double dx, double dy) {
  constexpr double kLength = 6;
  constexpr double kHalfWidth = 3.5;
  const double back_x = x - kLength * dx;
  const double back_y = y - kLength * dy;
  const double side_x = kHalfWidth * dy;
  const double side_y = kHalfWidth * dx;
  return "M" + pixels(back_x - side_x) + " " + pixels(back_y - side_y) + "L" + pixels(x) + " " +
         pixels(y) + "L" + pixels(back_x + side_x) + " " + pixels(back_y + side_y);
}

std::string forecastMark(double x, double y) {
  return polygon(kDiamond, x, y, "forecast");
}

}  // namespace sumac::report
