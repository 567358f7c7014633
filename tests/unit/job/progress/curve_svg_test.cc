#include "job/progress/curve_svg.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

namespace sumac::curve_svg_test {

BOOST_AUTO_TEST_SUITE(curve_svg)

BOOST_AUTO_TEST_CASE(draws_points_where_the_axes_say) {
  const TrainingCurve curve{
      "a <b> & c", {{0, 2.0}, {50, 1.0}, {100, 0.0}}, {{100, 1.0}, {50, 0.0}}, {}};

  const auto svg = curveSvg(curve);

  // Steps 0 to 100 lie on 70 to 730, losses 0 to 2 on 390 to 50, accuracies 0 to 1 likewise.
  BOOST_TEST(svg.find("points=\"70.0,50.0 400.0,220.0 730.0,390.0\"") != std::string::npos, svg);
  BOOST_TEST(svg.find("points=\"400.0,390.0 730.0,50.0\"") != std::string::npos, svg);
  BOOST_TEST(svg.find("a &lt;b&gt; &amp; c") != std::string::npos);
  BOOST_TEST(svg.find(">training loss<") != std::string::npos);
  BOOST_TEST(svg.find(">100 %<") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(says_of_which_split_the_accuracy_is) {
  TrainingCurve curve{"t", {{100, 2.0}}, {{50, 0.5}}, {}};
  BOOST_TEST(curveSvg(curve).find("test accuracy") != std::string::npos);
  curve.is_validated = true;
  BOOST_TEST(curveSvg(curve).find("validation accuracy") != std::string::npos);
  BOOST_TEST(curveSvg(curve).find("test accuracy") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(draws_the_perplexity_of_text_on_the_right_axis) {
  const auto svg = curveSvg(TrainingCurve{"t", {{100, 2.0}}, {}, {{50, 400.0}, {100, 200.0}}});

  BOOST_TEST(svg.find("points=\"400.0,50.0 730.0,220.0\"") != std::string::npos, svg);
  BOOST_TEST(svg.find(">validation perplexity<") != std::string::npos);
  BOOST_TEST(svg.find(" %<") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(draws_empty_constant_and_single_curves) {
  for (const TrainingCurve& curve :
       {TrainingCurve{}, TrainingCurve{"t", {{1, 0.0}}, {}, {}},
        TrainingCurve{"t", {{1, 5}, {2, 5}}, {}, {}}, TrainingCurve{"t", {}, {{1, 1.0}}, {}},
        TrainingCurve{"t", {}, {}, {{1, 9.0}}}}) {
    const auto svg = curveSvg(curve);
    BOOST_TEST(svg.find("nan") == std::string::npos);
    BOOST_TEST(svg.find("inf") == std::string::npos);
    BOOST_TEST(svg.ends_with("</svg>\n"));
  }
}

BOOST_AUTO_TEST_CASE(thins_a_long_curve) {
  TrainingCurve curve;
  for (Step step = 1; step <= 100'000; ++step)
    curve.loss[step] = 1;

  const auto svg = curveSvg(curve);

  BOOST_TEST(std::ranges::count(svg, ',') <= 600);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::curve_svg_test
