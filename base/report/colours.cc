#include "base/report/colours.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/core/check.h"

namespace sumac::report {
namespace {

/// Red, green or blue, 0 to 2, as light rather than as a code.
double lightOf(std::string_view colour, std::size_t channel) {
  constexpr int kHexadecimal = 16;
  SUMAC_CHECK(colour.size() == std::string_view("#rrggbb").size(), colour.size());
  const char* const begin = colour.data() + 1 + 2 * channel;
  int code = 0;
  const auto parsed = std::from_chars(begin, begin + 2, code, kHexadecimal);
  SUMAC_CHECK(parsed.ptr == begin + 2, std::string(colour));
  const double share = code / 255.0;
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);  // sRGB
}

double luminance(std::string_view colour) {
  return 0.2126 * lightOf(colour, 0) + 0.7152 * lightOf(colour, 1) + 0.0722 * lightOf(colour, 2);
}

std::string rule(const std::string& selectors, std::string_view property, std::string_view colour) {
  return ".chart " + selectors + "{" + std::string(property) + ":" + std::string(colour) + "}\n";
}

}  // namespace

double contrast(std::string_view one, std::string_view other) {
  constexpr double kFlare = 0.05;  // of a screen in a lit room
  const double first = luminance(one);
  const double second = luminance(other);
  return (std::max(first, second) + kFlare) / (std::min(first, second) + kFlare);
}

std::string chartRules(const Colours& colours) {
  std::string rules =
      rule("text", "fill", colours.ink) + rule(".muted", "fill", colours.muted) +
      rule(".grid", "stroke", colours.rule) + rule(".axis", "stroke", colours.muted) +
      rule(".ideal", "stroke", colours.muted) + rule(".paper", "fill", colours.paper) +
      rule(".stripes", "stroke", colours.paper) + rule(".pause", "fill", colours.rule) +
      rule(".halo,.chart .name", "stroke", colours.paper) +
      rule(".whisker-ink", "stroke", colours.ink);
  rules += ".chart .forecast{fill:" + std::string(colours.paper) +
           ";stroke:" + std::string(colours.ink) + "}\n";
  for (std::size_t i = 0; i < kSeries; ++i) {
    const std::string series = ".s" + std::to_string(i);
    const std::string colour(colours.series.at(i));
    rules += rule(series, "stroke", colour) +
             rule(series + ".mark,.chart " + series + ".bar", "fill", colour) +
             rule(series + ".hollow", "fill", colours.paper);
  }
  return rules;
}

std::string_view chartShapeRules() {
  return ".chart text{font:13px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto "
         "Sans\",sans-serif;"
         "stroke:none}\n"
         ".chart .title{font-weight:600;font-size:15px}\n"
         ".chart .small{font-size:12px}\n"
         ".chart .name{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}\n"
         ".chart .line,.chart .ideal{fill:none}\n"
         ".chart .line{stroke-width:2;stroke-linejoin:round}\n"
         ".chart .faint{fill:none;stroke-width:1;stroke-opacity:.35}\n"
         ".chart .ring{fill:none;stroke-width:1.5}\n"
         ".chart .ideal{stroke-dasharray:2 5;stroke-width:1.5;stroke-linecap:round}\n"
         ".chart .whisker,.chart .whisker-ink{fill:none;stroke-width:1.5}\n"
         ".chart .mark{stroke-width:1.5;stroke-linejoin:round}\n"
         ".chart .bar{stroke-width:1}\n"
         ".chart .stripes{fill:none;stroke-width:1.5}\n"
         ".chart .halo{fill:none;stroke-width:4}\n"
         ".chart .forecast{stroke-width:1.5}\n";
}

std::string forDarkScreens(const std::string& rules) {
  return "@media screen and (prefers-color-scheme:dark){\n" + rules + "}\n";
}

}  // namespace sumac::report
