#include "job/progress/curve_svg.h"

#include <algorithm>
#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::curve_svg_test {
namespace {

bool has(const std::string& svg, const std::string& part) {
  return svg.find(part) != std::string::npos;
}

/// As a training that overfits: the test loss is lowest at step 600 of 1,000.
TrainingCurve overfitting() {
  TrainingCurve curve{.title = "a <b> & c"};
  for (Step step = 1; step <= 1'000; ++step) {
    const auto t = static_cast<double>(step);
    curve.loss[step] = 2 * std::exp(-t / 300) + (step % 2 == 0 ? 0.1 : -0.05);
    if (step % 100 != 0) continue;
    curve.test_loss[step] = 0.5 + std::pow((t - 600) / 1'000, 2);
    curve.accuracy[step] = 0.9 - std::pow((t - 700) / 1'000, 2);
  }
  return curve;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(curve_svg)

BOOST_AUTO_TEST_CASE(draws_losses_and_accuracy_with_their_best_and_last_values) {
  test::checkGolden("job/progress/curve.svg", curveSvg(overfitting()));
}

BOOST_AUTO_TEST_CASE(the_picture_of_the_readme_is_what_is_drawn) {
  const TrainingCurve curve =
      readCurve(SUMAC_SOURCE_FOLDER "/tests/golden/first_job_metrics.jsonl", "lenet5-fashion-mini");
  BOOST_TEST(curve.loss.size() == 240U);
  test::checkGolden("../../../docs/images/curve.svg", curveSvg(curve));
}

BOOST_AUTO_TEST_CASE(says_of_which_split_the_evaluations_are) {
  TrainingCurve curve{.title = "t", .loss = {{100, 2.0}}, .test_loss = {{50, 3.0}}};
  curve.accuracy = {{50, 0.5}};
  BOOST_TEST(has(curveSvg(curve), ">Test accuracy<"));
  BOOST_TEST(has(curveSvg(curve), ">test loss<"));
  curve.is_validated = true;
  BOOST_TEST(has(curveSvg(curve), ">Validation accuracy<"));
  BOOST_TEST(!has(curveSvg(curve), "est accuracy<"));
}

BOOST_AUTO_TEST_CASE(draws_the_perplexity_of_text) {
  const auto svg = curveSvg(
      TrainingCurve{.title = "t", .loss = {{100, 2.0}}, .perplexity = {{50, 400}, {100, 200}}});

  BOOST_TEST(has(svg, ">Validation perplexity<"));
  BOOST_TEST(has(svg, ">200.0<"));
  BOOST_TEST(!has(svg, " %<"));
}

BOOST_AUTO_TEST_CASE(draws_empty_constant_negative_and_single_curves) {
  for (const TrainingCurve& curve :
       {TrainingCurve{}, TrainingCurve{.loss = {{1, 0.0}}}, TrainingCurve{.loss = {{0, 1.0}}},
        TrainingCurve{.loss = {{1, 5}, {2, 5}}}, TrainingCurve{.accuracy = {{1, 1.0}}},
        TrainingCurve{.loss = {{1, -5}, {2, -3}}}, TrainingCurve{.perplexity = {{1, 9.0}}}}) {
    const auto svg = curveSvg(curve);
    BOOST_TEST(!has(svg, "nan"));
    BOOST_TEST(!has(svg, "inf"));
    BOOST_TEST(svg.ends_with("</svg>\n"));
  }
}

BOOST_AUTO_TEST_CASE(is_light_or_dark_as_its_reader_prefers) {
  BOOST_TEST(has(curveSvg(overfitting()), "prefers-color-scheme:dark"));
}

BOOST_AUTO_TEST_CASE(thins_a_long_curve) {
  TrainingCurve curve;
  for (Step step = 1; step <= 100'000; ++step)
    curve.loss[step] = step % 2 == 0 ? 1 : 3;

  const auto svg = curveSvg(curve);

  BOOST_TEST(std::ranges::count(svg, ',') <= 1'600);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::curve_svg_test
