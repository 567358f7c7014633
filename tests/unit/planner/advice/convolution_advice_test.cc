#include <algorithm>
#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/advice/advice_parts.h"
#include "planner/advice/advise.h"
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

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
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
  BOOST_TEST(choice.text ==
             "All take 7 s and 0.1 KiB of the 0.1 KiB that they may have; no "
             "other choice is faster.");
  const auto figure =
      std::ranges::find(advice->figures, "costs of convolutions", &SourcedFigure::name);
  BOOST_TEST_REQUIRE((figure != advice->figures.end()));
  BOOST_TEST((figure->origin == FigureOrigin::kGiven));
  BOOST_TEST(figure->source == "a library");
}

BOOST_AUTO_TEST_CASE(costs_of_another_network_are_refused) {
  AdviceQuestion question = withCosts(110);
  question.convolutions->convolutions[1].layer = "dense1";
  BOOST_TEST(has(errorOf(question), "the network has no convolution dense1"));
  question.convolutions->convolutions.pop_back();
  BOOST_TEST(has(errorOf(question), "those of conv2 are not given"));
}

BOOST_AUTO_TEST_CASE(a_bound_below_the_smallest_workspaces_is_refused) {
  BOOST_TEST(has(errorOf(withCosts(9)), "costs of convolutions: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::convolution_advice_test
