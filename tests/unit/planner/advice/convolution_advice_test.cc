#include <algorithm>
#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/advice/advice_parts.h"
#include "planner/advice/advise.h"
#include "tests/support/golden.h"
#include "tests/unit/planner/advice/questions.h"

namespace sumac::planner::convolution_advice_test {
namespace {

/// LeNet-5 has two convolutions.
AdviceQuestion withCosts(std::int64_t bound_bytes) {
  AdviceQuestion question = aQuestion();
  question.convolutions =
      GivenCosts{.convolutions = {{"conv1", {{"direct", 3, 0}, {"fft", 1, 100}}},
                                  {"conv2", {{"direct", 9, 10}, {"fft", 4, 100}}}},
                 .bound_bytes = bound_bytes,
                 .source = "a library",
                 .date = "2026-11-23"};
  return question;
}

std::string errorOf(const AdviceQuestion& question) {
  const auto advice = advise(question);
  BOOST_TEST_REQUIRE(!advice.has_value());
  return advice.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(convolution_advice)

BOOST_AUTO_TEST_CASE(of_what_fits_the_fastest_is_chosen_and_its_source_named) {
  const auto advice = advise(withCosts(110));
  BOOST_TEST_REQUIRE(advice.has_value(), (advice ? "" : advice.error().message));
  const ConvolutionAdvice& choice = advice->convolutions.value();

  BOOST_TEST_REQUIRE(choice.layers.size() == 2U);
  BOOST_TEST(choice.layers[0].algorithm.name == "direct");
  BOOST_TEST(choice.layers[1].layer == "conv2");
  BOOST_TEST(choice.layers[1].algorithm.name == "fft");
  BOOST_TEST(choice.choice.seconds == 7);
  BOOST_TEST(choice.choice.workspace_bytes == 100);
  const auto named =
      std::ranges::find(advice->figures, FigureName::kConvolutions, &NamedFigure::name);
  BOOST_TEST_REQUIRE((named != advice->figures.end()));
  BOOST_TEST((named->figure.origin == FigureOrigin::kGiven));
  BOOST_TEST(named->figure.source == "a library");
}

BOOST_AUTO_TEST_CASE(costs_of_another_network_and_too_low_a_bound_are_refused) {
  test::Transcript refusals;
  AdviceQuestion question = withCosts(110);
  question.convolutions->convolutions[1].layer = "dense1";
  refusals.add("no convolution", errorOf(question));
  question.convolutions->convolutions.pop_back();
  refusals.add("none for conv2", errorOf(question));
  refusals.add("a bound below the smallest workspaces", errorOf(withCosts(9)));
  test::checkGolden("planner/advice/convolution_refusals.txt", refusals.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::convolution_advice_test
