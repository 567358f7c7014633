#pragma once

#include <array>
#include <string>
#include <string_view>

namespace sumac::report {

/// How many series a chart tells apart; more repeat the colours with other marks.
inline constexpr std::size_t kSeries = 6;

/// The colours of pages and charts, as "#rrggbb". Text keeps a contrast of 4.5 to `paper` and
/// `panel`, series one of 3, and series differ for readers of each kind of colour blindness, too:
/// tests compute both.
struct Colours {
  std::string_view paper;  // behind everything
  std::string_view panel;  // behind what stands out
  std::string_view ink;
  std::string_view muted;  // text of less weight
  std::string_view rule;   // lines of tables, grids of charts
  std::string_view accent;
  std::string_view warning;
  std::array<std::string_view, kSeries> series;
};

inline constexpr Colours kLight{
    "#ffffff", "#f5f7f9",
    "#1b2128", "#56606b",
    "#d5dbe1", "#0b62a4",
    "#a8350a", {"#1a52c2", "#bf4408", "#150a45", "#2a9c68", "#b457b8", "#6b5560"}};

inline constexpr Colours kDark{
    "#14181d", "#1d232a",
    "#e7ebef", "#a4aeb8",
    "#353e48", "#6db8f2",
    "#ff9a6b", {"#4596f5", "#f97f3f", "#f7f4e6", "#5fdc8e", "#e391da", "#8c8878"}};

/// The contrast of two colours, 1 to 21, as WCAG 2 defines it. Requires "#rrggbb".
double contrast(std::string_view one, std::string_view other);

/// The rules that give charts their colours: as literal values, for viewers of SVG files that know
/// nothing of variables.
std::string chartRules(const Colours& colours);

/// What charts look like but for their colours.
std::string_view chartShapeRules();

/// Rules for readers who prefer a dark screen; paper stays white.
std::string forDarkScreens(const std::string& rules);

}  // namespace sumac::report
