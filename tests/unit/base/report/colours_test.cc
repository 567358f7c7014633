#include "base/report/colours.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <boost/test/unit_test.hpp>

namespace sumac::report::colours_test {
namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

// How red, green and blue light look to people without one kind of cones: Machado, Oliveira and
// Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009,
// table 1.
constexpr Matrix kNormal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtanopia{{{0.152286, 1.052583, -0.204868},
                              {0.114503, 0.786281, 0.099216},
                              {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia{{{0.367322, 0.860646, -0.227968},
                                {0.280085, 0.672501, 0.047413},
                                {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritanopia{{{1.255528, -0.076749, -0.178779},
                              {-0.078411, 0.930809, 0.147602},
                              {0.004733, 0.691367, 0.303900}}};

Triple times(const Matrix& matrix, const Triple& vector) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      out.at(i) += matrix.at(i).at(j) * vector.at(j);
  }
  return out;
}

Triple lightOf(std::string_view colour) {
  Triple light{};
  for (std::size_t i = 0; i < 3; ++i) {
    int code = 0;
    std::from_chars(colour.data() + 1 + 2 * i, colour.data() + 3 + 2 * i, code, 16);
    const double share = code / 255.0;
    light.at(i) = share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  }
  return light;
}

/// CIE L*a*b* of white D65.
Triple labOf(const Triple& light) {
  constexpr Matrix kXyz{
      {{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
  const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  Triple clamped = light;
  for (double& value : clamped)
    value = std::clamp(value, 0.0, 1.0);
  const Triple xyz = times(kXyz, clamped);
  const double x = root(xyz[0] / 0.95047);
  const double y = root(xyz[1]);
  const double z = root(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// How different two colours look.
double distance(std::string_view one, std::string_view other, const Matrix& eyes) {
  const Triple a = labOf(times(eyes, lightOf(one)));
  const Triple b = labOf(times(eyes, lightOf(other)));
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(colours)

BOOST_AUTO_TEST_CASE(contrast_is_that_of_wcag) {
  BOOST_TEST(contrast("#000000", "#ffffff") == 21, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(contrast("#777777", "#ffffff") == 4.478, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff"));
}

BOOST_AUTO_TEST_CASE(text_and_series_can_be_seen) {
  constexpr double kText = 4.5;
  constexpr double kGraphics = 3;
  for (const Colours& colours : {kLight, kDark}) {
    for (const auto background : {colours.paper, colours.panel}) {
      for (const auto text : {colours.ink, colours.muted, colours.accent, colours.warning})
        BOOST_TEST(contrast(text, background) >= kText, text << " on " << background);
      for (const auto series : colours.series)
        BOOST_TEST(contrast(series, background) >= kGraphics, series << " on " << background);
    }
  }
}

BOOST_AUTO_TEST_CASE(series_differ_for_colour_blind_readers) {
  constexpr double kSeen = 19;  // 2 is the least difference that people see side by side
  for (const Colours& colours : {kLight, kDark}) {
    for (const Matrix& eyes : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
      for (std::size_t i = 0; i < kSeries; ++i) {
        for (std::size_t j = 0; j < i; ++j)
          BOOST_TEST(distance(colours.series.at(i), colours.series.at(j), eyes) >= kSeen,
                     colours.series.at(i) << " and " << colours.series.at(j));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(dark_is_for_screens) {
  BOOST_TEST(forDarkScreens("x{}").starts_with("@media screen and (prefers-color-scheme:dark){"));
  BOOST_TEST(chartRules(kDark).find("#4596f5") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::report::colours_test
