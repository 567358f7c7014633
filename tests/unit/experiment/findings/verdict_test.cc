#include "experiment/findings/verdict.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/experiment/findings/outcomes.h"

namespace sumac::experiment::verdict_test {
namespace {

using Cells = std::pair<int, int>;

Cells cellsOf(const Comparison& pair) {
  return {pair.first->number, pair.second->number};
}

std::vector<Cells> cellsOf(const std::vector<Comparison>& pairs) {
  std::vector<Cells> cells;
  for (const Comparison& pair : pairs)
    cells.push_back(cellsOf(pair));
  return cells;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(verdict, MeasuredSpeeds)

BOOST_AUTO_TEST_CASE(what_differs_significantly_is_told_with_its_interval) {
  setAll({10, 10, 10.1, 20}, 0.01);
  const Verdict found = verdict();
  BOOST_TEST((found.outcome == Outcome::kSomeDiffer));
  BOOST_TEST(found.pairs == 4U);
  BOOST_TEST(found.runs == 3);
  BOOST_TEST((cellsOf(found.significant) == std::vector<Cells>{{4, 2}, {4, 3}}));
  BOOST_TEST((cellsOf(found.not_significant) == std::vector<Cells>{{3, 1}, {1, 2}}));
  const Ratio& ratio = found.significant[0].ratio;
  BOOST_TEST(ratio.value == 2, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(ratio.low > 1.9);
  BOOST_TEST(ratio.high < 2.1);
}

BOOST_AUTO_TEST_CASE(the_faster_cell_comes_first_whichever_it_is) {
  setAll({30, 10, 10, 12}, 0.01);
  BOOST_TEST(
      (cellsOf(verdict().significant) == std::vector<Cells>{{1, 3}, {4, 2}, {1, 2}, {4, 3}}));
}

BOOST_AUTO_TEST_CASE(workers_come_last_before_them_links_and_after_all_what_exchanges_nothing) {
  setAll({10, 50, 20, 60}, 0.001);
  BOOST_TEST(
      (cellsOf(verdict().significant) == std::vector<Cells>{{3, 1}, {4, 2}, {2, 1}, {4, 3}}));
  for (const std::size_t ring : {2U, 3U})
    cells[ring].job.strategy.method = ExchangeMethod::kDecentralized;
  BOOST_TEST(
      (cellsOf(verdict().significant) == std::vector<Cells>{{4, 2}, {2, 1}, {3, 1}, {4, 3}}));

  experiment.axes[1] = {"link", {{"slow", {}}, {"fast", {}}}};
  for (std::size_t cell = 0; cell < 4; ++cell) {
    cells[cell].values[1] = cell % 2 == 1 ? "fast" : "slow";
    cells[cell].job.worker.replicas = 2;
    cells[cell].conditions.link_bits_per_second = cell % 2 == 1 ? 1'000 : 10;
  }
  BOOST_TEST(
      (cellsOf(verdict().significant) == std::vector<Cells>{{3, 1}, {4, 2}, {2, 1}, {4, 3}}));
}

BOOST_AUTO_TEST_CASE(cells_of_other_networks_or_computing_are_not_compared) {
  setAll({10, 10, 10, 10}, 0.001);
  const auto same = cells;
  for (const std::size_t cell : {2U, 3U})
    cells[cell].network = "ptb-lstm-small";
  BOOST_TEST(verdict().pairs == 2U);  // 1 worker and 2, of each
  cells = same;
  for (const std::size_t cell : {2U, 3U})
    cells[cell].conditions = {std::nullopt, true, 10};
  BOOST_TEST(verdict().pairs == 2U);
}

BOOST_AUTO_TEST_CASE(a_higher_accuracy_is_better_whatever_the_speeds_and_test_values_are) {
  setAll({10, 50, 20, 60}, 0.001);
  setLearned(Metric::kValidationAccuracy, Score::kTestAccuracy,
             {{0.9, 0.9, 0.9}, {0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}});
  setLearned(Metric::kValidationAccuracy, Score::kValidAccuracy,
             {{0.39, 0.4, 0.41}, {0.79, 0.8, 0.81}, {0.4, 0.4, 0.4}, {0.4, 0.4, 0.4}});
  const Verdict found = verdict();
  BOOST_TEST((cellsOf(found.significant) == std::vector<Cells>{{2, 4}, {2, 1}}));
  const Comparison& pair = found.significant[0];
  BOOST_TEST(pair.ratio.value == 2, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(pair.first_mean == 0.8, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(pair.second_mean == 0.4, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_lower_perplexity_is_better) {
  setLearned(Metric::kValidationPerplexity, Score::kValidPerplexity,
             {{99, 100, 101}, {50, 50, 50}, {100, 100, 100}, {100, 100, 100}});
  const Verdict found = verdict();
  BOOST_TEST((cellsOf(found.significant) == std::vector<Cells>{{2, 4}, {2, 1}}));
  BOOST_TEST(found.significant[0].ratio.value == 2, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(found.significant[0].first_mean == 50);
  BOOST_TEST(found.significant[1].ratio.low > 1.9);
}

BOOST_AUTO_TEST_CASE(what_other_networks_learn_is_compared_and_nothing_emulated) {
  setLearned(Metric::kValidationAccuracy, Score::kValidAccuracy,
             {{0.4, 0.4}, {0.4, 0.4}, {0.8, 0.8}, {0.8, 0.8}});
  for (const std::size_t ring : {2U, 3U}) {
    cells[ring].network = "resnet20";
    cells[ring].job.strategy.method = ExchangeMethod::kDecentralized;
  }
  BOOST_TEST(verdict().pairs == 4U);
  BOOST_TEST(!verdict().significant.at(0).is_idle);  // that one exchanges nothing is of speeds
  for (const std::size_t cell : {2U, 3U})
    cells[cell].conditions = {std::nullopt, true, 1};
  BOOST_TEST(verdict().pairs == 1U);
}

BOOST_AUTO_TEST_CASE(a_null_result_says_how_many_runs_would_tell) {
  setAll({10, 10, 10, 12}, 0.2);
  const Verdict found = verdict();
  BOOST_TEST((found.outcome == Outcome::kNoneDiffers));
  BOOST_TEST(found.significant.empty());
  BOOST_TEST((cellsOf(found.not_significant.front()) == Cells{4, 2}));
  BOOST_TEST(found.enough_runs.value() > 10);
  BOOST_TEST(found.enough_runs.value() < 60);
  setAll({10, 10, 10, 10}, 0.2);
  BOOST_TEST(!verdict().enough_runs.has_value());  // no number of them would
}

BOOST_AUTO_TEST_CASE(more_comparisons_make_wider_intervals) {
  set(0, 10, 0.02);
  set(2, 11, 0.02);
  BOOST_TEST(verdict().significant.at(0).ratio.low == 1.02, boost::test_tools::tolerance(0.01));
  // One pair holds alone, as the ordinary interval of a ratio tells: 1.1 within 4.6 %.
  MeasuredSpeeds alone = *this;
  alone.experiment.axes.pop_back();
  alone.cells = {cells[0], cells[2]};
  alone.outcomes = {outcomes[0], outcomes[2]};
  for (Cell& cell : alone.cells)
    cell.values.pop_back();
  BOOST_TEST(alone.verdict().significant.at(0).ratio.low == 1.05,
             boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_compared_has_its_reason) {
  const auto isOutcome = [this](Outcome outcome) { return verdict().outcome == outcome; };
  BOOST_TEST(isOutcome(Outcome::kNothingRan));
  for (CellOutcome& outcome : outcomes)
    outcome.failure = "gone";
  BOOST_TEST(isOutcome(Outcome::kAllFailed));
  for (CellOutcome& outcome : outcomes)
    outcome.runs = {run(1)};
  BOOST_TEST(isOutcome(Outcome::kOneRunEach));
  set(0, 10, 0.02);
  BOOST_TEST(isOutcome(Outcome::kNoTwoRuns));
  set(2, 20, 0.02);
  BOOST_TEST(isOutcome(Outcome::kSomeDiffer));
  BOOST_TEST(verdict().significant.size() == 1U);
  BOOST_TEST(verdict().pairs == 4U);
  cells[1].network = cells[2].network = "other";  // the two that differ in both axes stay alike
  BOOST_TEST(isOutcome(Outcome::kNoPairs));
  cells.resize(1);
  outcomes.resize(1);
  BOOST_TEST(isOutcome(Outcome::kOneCell));
}

BOOST_AUTO_TEST_CASE(servers_are_compared_with_their_neighbours_and_workers_as_many) {
  experiment.axes = {{"servers", {}}};
  cells.assign(5, cells[1]);
  const char* const names[] = {"1", "2", "3", "4", "none"};
  for (std::size_t i = 0; i < 5; ++i) {
    cells[i].number = static_cast<int>(i) + 1;
    cells[i].values = {names[i]};
    cells[i].job.worker.replicas = 4;
    experiment.axes[0].values.push_back(
        {names[i], {{"spec.server.replicas", MeasuredExperiment::number(names[i])}}});
  }
  experiment.axes[0].values[4].settings = {{"spec.server", {}}, {"spec.worker.replicas", {}}};
  cells[4].job.worker.replicas = 1;
  cells[4].job.strategy.method = ExchangeMethod::kDecentralized;
  setAll({10, 10.01, 15, 20, 40}, 0.01);
  const Verdict found = verdict();
  BOOST_TEST(found.pairs == 4U);
  BOOST_TEST((cellsOf(found.significant) == std::vector<Cells>{{4, 1}, {3, 2}, {4, 3}}));
  BOOST_TEST((cellsOf(found.not_significant) == std::vector<Cells>{{2, 1}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::verdict_test
