#include "cli/experiment/predictions.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::cli::predictions_test {
namespace {

/// What is wrong with these options for an experiment of four cells; empty: nothing.
std::string problemWith(const PredictionOptions& options) {
  PreparedExperiment prepared;
  prepared.cells.resize(4);
  const auto checked = checkOptions(options, prepared);
  return checked ? std::string() : checked.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(predictions)

BOOST_AUTO_TEST_CASE(as_many_cells_as_costs_are_needed_to_fit_them) {
  BOOST_TEST(problemWith({{}, {}}) == "");
  BOOST_TEST(problemWith({{"a.json"}, {}}) == "");
  BOOST_TEST(problemWith({{"a.json"}, {1, 2, 4}}) == "");
}

BOOST_AUTO_TEST_CASE(options_that_cannot_be_are_refused) {
  test::Transcript said;
  for (const auto& [name, options] : {std::pair("two cells", PredictionOptions{{"a.json"}, {1, 4}}),
                                      {"a cell twice", {{"a.json"}, {1, 2, 3, 3}}},
                                      {"no profile", {{}, {1, 2, 3}}},
                                      {"beyond the last cell", {{"a.json"}, {1, 2, 5}}},
                                      {"before the first cell", {{"a.json"}, {0, 1, 2}}}})
    said.add(name, problemWith(options));
  test::checkGolden("cli/experiment/predictions.txt", said.text());
}

BOOST_AUTO_TEST_CASE(as_many_cells_as_costs_must_have_predictions_to_fit_them) {
  std::vector<experiment::CellPrediction> predicted(4);
  for (const std::size_t cell : {0U, 1U, 3U})
    predicted[cell].batches_per_second = 10;
  predicted[2].why_not = "another network";
  BOOST_TEST(checkFit({}, predicted).has_value());
  BOOST_TEST(checkFit({1, 2, 4}, predicted).has_value());
  BOOST_TEST(checkFit({1, 2, 3, 4}, predicted).has_value());
  const auto refused = checkFit({1, 2, 3}, predicted);
  BOOST_REQUIRE(!refused.has_value());
  test::checkGolden("cli/experiment/fit.txt", refused.error().message + "\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::predictions_test
