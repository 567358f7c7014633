#include "experiment/findings/ranking.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/experiment/findings/outcomes.h"

namespace sumac::experiment::ranking_test {
namespace {

/// Four cells with a batch of ten, each measured and predicted in batches a second.
struct Predicted : MeasuredExperiment {
  Predicted() { outcomes.assign(cells.size(), {}); }

  void set(std::size_t cell, double speed, double spread, double predicted) {
    outcomes[cell].runs = {run(10 / (speed * (1 + spread))), run(10 / (speed * (1 - spread)))};
    outcomes[cell].predicted_batches_per_second = predicted;
  }

  Ranking ranking() const { return rankingOf(cells, summaries()); }
};

using Pairs = std::vector<std::pair<int, int>>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(ranking, Predicted)

BOOST_AUTO_TEST_CASE(pairs_count_whose_intervals_do_not_overlap) {
  set(0, 10, 0.001, 9);
  set(1, 20, 0.001, 8);   // ahead of 10, and predicted behind
  set(2, 40, 0.001, 50);  // ahead of all
  set(3, 19, 0.1, 1);     // known to no better than +- 127 %

  BOOST_TEST(ranking().pairs == 3U);
  BOOST_TEST((ranking().wrong == Pairs{{2, 1}}));
}

BOOST_AUTO_TEST_CASE(speeds_are_those_of_samples_and_not_of_batches) {
  set(0, 10, 0.001, 10);
  set(1, 20, 0.001, 20);
  cells[0].job.training.batch_size = 100;
  BOOST_TEST(ranking().pairs == 1U);
  BOOST_TEST(ranking().wrong.empty());
}

BOOST_AUTO_TEST_CASE(predictions_that_do_not_tell_two_cells_apart_are_wrong) {
  set(0, 10, 0.001, 7);
  set(1, 20, 0.001, 7);
  BOOST_TEST((ranking().wrong == Pairs{{2, 1}}));
}

BOOST_AUTO_TEST_CASE(what_was_fitted_or_not_predicted_or_measured_once_says_nothing) {
  set(0, 10, 0.001, 9);
  set(1, 20, 0.001, 8);
  BOOST_TEST(ranking().pairs == 1U);
  auto changed = outcomes;
  outcomes[1].is_fitted = true;
  BOOST_TEST(ranking().pairs == 0U);
  outcomes = changed;
  outcomes[1].predicted_batches_per_second.reset();
  BOOST_TEST(ranking().pairs == 0U);
  outcomes = changed;
  outcomes[1].runs.pop_back();
  BOOST_TEST(ranking().pairs == 0U);
}

BOOST_AUTO_TEST_CASE(cells_of_another_network_link_or_way_of_computing_are_not_ranked) {
  set(0, 10, 0.001, 9);
  set(1, 20, 0.001, 18);
  const auto same = cells;
  cells[1].network = "lenet5";
  BOOST_TEST(ranking().pairs == 0U);
  cells = same;
  cells[1].conditions.link_bits_per_second = 100;
  BOOST_TEST(ranking().pairs == 0U);
  cells = same;
  cells[1].conditions.is_emulated = true;
  BOOST_TEST(ranking().pairs == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::ranking_test
