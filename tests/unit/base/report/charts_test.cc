#include <algorithm>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "base/report/bar_chart.h"
#include "base/report/line_chart.h"

namespace sumac::report::charts_test {
namespace {

bool has(const Drawing& drawing, std::string_view text) {
  return drawing.content.find(text) != std::string::npos;
}

std::size_t count(const Drawing& drawing, std::string_view text) {
  std::size_t found = 0;
  for (auto at = drawing.content.find(text); at != std::string::npos;
       at = drawing.content.find(text, at + 1))
    ++found;
  return found;
}

LineChart twoLines() {
  return {"Speed", "workers", {{"a<b", {{1, 10, 2}, {2, 20, 1}}}, {"c", {{1, 5}, {2, 8}}}}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(charts)

BOOST_AUTO_TEST_CASE(points_lie_where_the_axes_say) {
  // 0 to 10 on 210 pixels from 254 up, two points 24 pixels inside of a plot that ends at 466.
  const auto drawing = draw(LineChart{"Speed", "workers", {{"a", {{1, 5}, {2, 10}}}}});
  BOOST_TEST(drawing.width == 480);
  BOOST_TEST(has(drawing, ",149 442,44\" class=\"line s0\""), drawing.content);
  BOOST_TEST(count(drawing, "<circle") == 2U);
  BOOST_TEST(!has(drawing, "whisker"));
}

BOOST_AUTO_TEST_CASE(series_have_whiskers_and_a_legend) {
  const auto drawing = draw(twoLines());
  BOOST_TEST(count(drawing, "class=\"whisker s0\"") == 2U);
  BOOST_TEST(has(drawing, ">a&lt;b</text>"));
  BOOST_TEST(count(drawing, "<circle") == 3U);   // one in the legend
  BOOST_TEST(count(drawing, "<polygon") == 3U);  // the second series has squares
}

BOOST_AUTO_TEST_CASE(emulated_points_are_hollow) {
  LineChart chart = twoLines();
  chart.series[1].points[1].is_hollow = true;
  chart.note = "hollow: emulated";
  const auto drawing = draw(chart);
  BOOST_TEST(count(drawing, "mark s1 hollow") == 2U);  // and the legend
  BOOST_TEST(has(drawing, ">hollow: emulated</text>"));
}

BOOST_AUTO_TEST_CASE(time_begins_at_zero_with_round_numbers_and_few_marks) {
  LineChart chart{"Loss", "seconds", {{"a", {}}, {"b", {}}}};
  for (int i = 0; i < 100; ++i) {
    chart.series[0].points.push_back({0.17 * i, 5});
    chart.series[1].points.push_back({0.17 * i, 6});
  }
  chart.is_continuous = true;
  chart.pauses = {{5, 6}, {7, 7}};
  const auto drawing = draw(chart);
  for (const char* const label : {">0</text>", ">5</text>", ">10</text>", ">15</text>"})
    BOOST_TEST(has(drawing, label), label);
  BOOST_TEST(count(drawing, "<circle") < 12U);  // of 100 points
  BOOST_TEST(count(drawing, "<polygon") < 12U);
  BOOST_TEST(count(drawing, "class=\"pause\"") == 2U);
  BOOST_TEST(has(drawing, "width=\"1.5\""));  // one that takes no time is seen too
}

BOOST_AUTO_TEST_CASE(a_huge_interval_does_not_flatten_the_means) {
  const auto drawing = draw(LineChart{"Speed", "workers", {{"a", {{1, 10, 1'000}, {2, 20, 1}}}}});
  BOOST_TEST(has(drawing, ">30</text>"));  // the highest tick
  BOOST_TEST(!has(drawing, ">35</text>"));
  BOOST_TEST(count(drawing, "h7") == 2U);                  // caps of the second interval only
  BOOST_TEST(has(drawing, "L53.6 44L"), drawing.content);  // an arrow at the top of the plot
  BOOST_TEST(has(drawing, "L53.6 254L"));                  // and one at its bottom
  const auto bars =
      draw(BarChart{"Speed", "", {"a"}, {{"b", "", {10}, 1'000}, {"c", "", {20}, 1}}});
  BOOST_TEST(count(bars, "v7") == 4U);  // caps of the second, each with its halo
  BOOST_TEST(has(bars, "L464 "), bars.content);
  BOOST_TEST(has(bars, "L1 "), bars.content);
}

BOOST_AUTO_TEST_CASE(numbers_that_double_are_equally_far_apart) {
  const auto drawing = draw(
      LineChart{"S", "workers", {{"a", {{1, 1}, {2, 1}, {4, 1}, {8, 1}}}}, Reference{"r", 0, 0.1}});
  const auto at = drawing.content.find("class=\"line s0\"", drawing.content.find(">8</text>"));
  const auto begin = drawing.content.rfind("points=\"", at) + 8;
  double x[4] = {};
  BOOST_REQUIRE(std::sscanf(drawing.content.c_str() + begin, "%lf,%*f %lf,%*f %lf,%*f %lf,%*f", x,
                            x + 1, x + 2, x + 3) == 4);
  BOOST_TEST(x[1] - x[0] == x[3] - x[2], boost::test_tools::tolerance(0.01));
  BOOST_TEST(has(drawing, "class=\"ideal\""));
}

BOOST_AUTO_TEST_CASE(a_logarithmic_axis_has_equal_factors_equally_far_apart) {
  LineChart chart{"Time", "workers", {{"a", {{1, 1'000}, {2, 100}, {4, 10}}}}};
  chart.is_logarithmic = true;
  chart.reference = Reference{"limit", 10'000, 0};
  const auto drawing = draw(chart);
  // 10 to 10,000 on 210 pixels from 274 up: the legend takes a line.
  BOOST_TEST(has(drawing, ">10,000</text>"));
  BOOST_TEST(!has(drawing, ">0</text>"));
  const auto at = drawing.content.find("class=\"line s0\"", drawing.content.find(">4</text>"));
  const auto begin = drawing.content.rfind("points=\"", at) + 8;
  double y[3] = {};
  BOOST_REQUIRE(std::sscanf(drawing.content.c_str() + begin, "%*f,%lf %*f,%lf %*f,%lf", y, y + 1,
                            y + 2) == 3);
  BOOST_TEST(y[1] - y[0] == 70, boost::test_tools::tolerance(0.01));
  BOOST_TEST(y[2] - y[1] == 70, boost::test_tools::tolerance(0.01));
  BOOST_TEST(has(drawing, "class=\"ideal\""));
}

BOOST_AUTO_TEST_CASE(numbers_over_two_powers_of_ten_are_drawn_by_their_logarithm) {
  const auto drawing =
      draw(LineChart{"S", "workers", {{"a", {{1, 1}, {10, 1}, {15, 1}, {1'000, 1}}}}});
  const auto at = drawing.content.find("class=\"line s0\"");
  const auto begin = drawing.content.rfind("points=\"", at) + 8;
  double x[4] = {};
  BOOST_REQUIRE(std::sscanf(drawing.content.c_str() + begin, "%lf,%*f %lf,%*f %lf,%*f %lf,%*f", x,
                            x + 1, x + 2, x + 3) == 4);
  BOOST_TEST(3 * (x[1] - x[0]) == x[3] - x[0], boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(empty_and_endless_values_can_be_drawn) {
  const double endless = std::numeric_limits<double>::infinity();
  for (const Point& point : {Point{1, 0}, Point{1, 0, 0.0}, Point{1, 5, endless}}) {
    for (const bool is_logarithmic : {false, true}) {
      const auto drawing =
          draw(LineChart{"t", "x", {{"a", {point}}}, std::nullopt, "", is_logarithmic});
      BOOST_TEST(!has(drawing, "nan"));
      BOOST_TEST(!has(drawing, "inf"));
    }
  }
  const auto bars = draw(BarChart{"t", "x", {"a"}, {{"zero", "0", {0}}}});
  BOOST_TEST(!has(bars, "nan"));
}

BOOST_AUTO_TEST_CASE(bars_have_names_values_and_predictions) {
  const BarChart chart{
      "t", "ms", {"measured"}, {{"a&b", "10", {10}, 2, 12}, {"c", "5", {5}, {}, {}, true}}};
  const auto drawing = draw(chart);
  BOOST_TEST(has(drawing, ">a&amp;b</text>"));
  BOOST_TEST(count(drawing, "class=\"forecast\"") == 2U);  // and the legend
  BOOST_TEST(count(drawing, "class=\"whisker-ink\"") == 1U);
  BOOST_TEST(count(drawing, "bar s0 hollow") == 1U);
  BOOST_TEST(has(drawing, ">predicted</text>"));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_outside_is_not_in_the_legend) {
  LineChart chart{"t", "workers", {{"a", {{4, 1}, {8, 1}}}}, Reference{"ideal line", 0, 1}};
  BOOST_TEST(!has(draw(chart), "ideal"));
  chart.reference->slope = 0.1;
  BOOST_TEST(has(draw(chart), ">ideal line</text>"));
  BOOST_TEST(count(draw(chart), "class=\"ideal\"") == 2U);
}

BOOST_AUTO_TEST_CASE(long_names_take_several_lines_and_are_never_cut) {
  const std::string name = "lenet5, 100 Mbit/s, decentral, 8 workers";
  const BarChart bars{"t", "ms", {"measured"}, {{name, "12.34 ms", {10}}, {"b", "", {1}}}};
  BOOST_TEST(has(draw(bars), ">" + name + "</text>"));
  BarChart longer = bars;
  longer.bars[0].name += ", " + name;
  BOOST_TEST(draw(longer).height == draw(bars).height + 17);
  BOOST_TEST(count(draw(longer), "workers") == 2U);

  LineChart lines = twoLines();
  const double height = draw(lines).height;
  lines.series[0].name = name + ", " + name;
  BOOST_TEST(draw(lines).height == height + 40);  // two lines, and the other name below
  BOOST_TEST(count(draw(lines), "workers") == 3U);
}

BOOST_AUTO_TEST_CASE(parts_follow_each_other_and_differ_by_pattern) {
  const BarChart chart{"t", "ms", {"a", "b", "c"}, {{"bar", "", {1, 2, 2}}}};
  const auto drawing = draw(chart);
  // 0 to 5 on 463 pixels from 1 on.
  BOOST_TEST(has(drawing, "x=\"93.6\""), drawing.content);
  BOOST_TEST(has(drawing, "x=\"278.8\""));
  BOOST_TEST(count(drawing, "class=\"stripes\"") == 2U);  // the third part, and its legend
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::report::charts_test
