#include "experiment/findings/prediction_quality.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/experiment/findings/outcomes.h"

namespace sumac::experiment::prediction_quality_test {
namespace {

/// Four cells, each measured and predicted in seconds of a step, with the textbook's prediction.
struct Predicted : MeasuredExperiment {
  Predicted() {
    outcomes.assign(cells.size(), {});
    for (Cell& cell : cells) {
      cell.job.worker.replicas = 2;
      cell.job.training.batch_size = 10;
    }
  }

  void set(std::size_t cell, double measured, double predicted, double textbook) {
    outcomes[cell].runs = {run(10 * measured), run(10 * measured)};
    outcomes[cell].predicted_batches_per_second = 1 / predicted;
    outcomes[cell].textbook_seconds = textbook;
  }

  PredictionQuality quality() const { return predictionQuality(cells, summaries()); }
};

constexpr double kSame = 1e-9;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(prediction_quality, Predicted)

BOOST_AUTO_TEST_CASE(accuracy_is_of_seconds_and_not_of_speed) {
  set(0, 0.329, 0.480, 0.329);
  BOOST_TEST(quality().cells == 1);
  BOOST_TEST(quality().accuracy == 1 - 151.0 / 329, boost::test_tools::tolerance(kSame));
}

BOOST_AUTO_TEST_CASE(a_model_that_returns_the_textbook_has_no_skill) {
  set(0, 1, 1.2, 1.2);
  set(1, 2, 1.5, 1.5);
  BOOST_TEST(quality().skill.value() == 0, boost::test_tools::tolerance(kSame));
  set(0, 1, 1, 1.2);
  set(1, 2, 2, 1.5);
  BOOST_TEST(quality().skill.value() == 1, boost::test_tools::tolerance(kSame));
  set(0, 1, 1.9, 1.2);
  BOOST_TEST(quality().skill.value() < 0);
}

BOOST_AUTO_TEST_CASE(regret_is_what_the_chosen_cell_takes_longer_than_the_fastest) {
  set(0, 1.0, 0.9, 1);
  set(1, 1.1, 0.8, 1);  // chosen
  set(2, 3.0, 2.0, 1);
  BOOST_REQUIRE(quality().choices.size() == 1U);
  BOOST_TEST(quality().worstChoice().chosen == 2);
  BOOST_TEST(quality().worstChoice().best == 1);
  BOOST_TEST(quality().worstChoice().regret == 0.1, boost::test_tools::tolerance(kSame));
  cells[2].job.worker.replicas = 3;  // nobody chooses between this and the others
  set(3, 2.0, 2.5, 1);
  cells[3].job.worker.replicas = 3;  // but this one
  BOOST_REQUIRE(quality().choices.size() == 2U);
  BOOST_TEST(quality().worstChoice().regret == 0.5, boost::test_tools::tolerance(kSame));
  BOOST_TEST(quality().meanRegret() == 0.3, boost::test_tools::tolerance(kSame));
}

BOOST_AUTO_TEST_CASE(cells_of_another_network_link_or_way_of_computing_are_no_alternatives) {
  set(0, 1, 1, 1);
  set(1, 2, 2, 2);
  BOOST_TEST(quality().choices.size() == 1U);
  const auto same = cells;
  cells[1].network = "lenet5";
  BOOST_TEST(quality().choices.empty());
  cells = same;
  cells[1].conditions.link_bits_per_second = 100;
  BOOST_TEST(quality().choices.empty());
  cells = same;
  cells[1].conditions.is_emulated = true;
  BOOST_TEST(quality().choices.empty());
  cells = same;
  cells[1].job.training.batch_size = 20;
  BOOST_TEST(quality().choices.empty());
}

BOOST_AUTO_TEST_CASE(what_was_fitted_or_not_predicted_or_not_measured_says_nothing) {
  set(0, 1, 1, 1);
  set(1, 2, 2, 2);
  const auto all = outcomes;
  outcomes[1].is_fitted = true;
  BOOST_TEST(quality().cells == 1);
  outcomes = all;
  outcomes[1].predicted_batches_per_second.reset();
  BOOST_TEST(quality().cells == 1);
  outcomes = all;
  outcomes[1].runs.clear();
  BOOST_TEST(quality().cells == 1);
  outcomes[0].runs.clear();
  BOOST_TEST(quality().cells == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::prediction_quality_test
