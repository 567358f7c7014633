#include "experiment/report/tables.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "tests/unit/experiment/report/outcomes.h"

namespace sumac::experiment::tables_test {

BOOST_AUTO_TEST_SUITE(tables)

BOOST_AUTO_TEST_CASE(results_have_a_line_for_each_cell) {
  const MeasuredExperiment measured;
  BOOST_TEST(
      resultTable(measured.experiment, measured.cells, measured.summaries()) ==
      "CELL   EXCHANGE   WORKER.REPLICAS   RUNS   BATCHES/S       SAMPLES/S      SPEEDUP        "
      "EFFICIENCY\n"
      "1      server     1                 2      1.000 ± 0.0 %   10.0 ± 0.0 %   1.00           "
      "1.00\n"
      "2      server     2                 2      2.000 ± 0.0 %   20.0 ± 0.0 %   2.00 ± 0.0 %   "
      "1.00 ± 0.0 %\n"
      "3      ring       1                 2      1.042 ± ?       10.4 ± ?       1.00           "
      "1.00\n"
      "4      ring       2                 0      -               -              -              -  "
      "  "
      "          failed: server-0 ended, with \"x\": more\n"
      "± ? the interval reaches below zero: too little is known\n");
}

BOOST_AUTO_TEST_CASE(speedups_over_a_cell_that_exchanges_nothing_are_marked) {
  MeasuredExperiment measured;
  for (const std::size_t ring : {2U, 3U})
    measured.cells[ring].job.strategy.method = std::nullopt;
  measured.outcomes[3] = {{MeasuredExperiment::run(5), MeasuredExperiment::run(5)}, ""};
  measured.outcomes[2] = measured.outcomes[3];
  const auto summaries = measured.summaries();
  const auto table = resultTable(measured.experiment, measured.cells, summaries);
  BOOST_TEST(!summaries[1].has_idle_base);
  BOOST_TEST(summaries[3].has_idle_base);
  BOOST_TEST(table.find("   1.00 ± 0.0 % *   0.50 ± 0.0 % *\n") != table.npos, table);
  BOOST_TEST(table.find("\n* over one worker that exchanges nothing: ") != table.npos, table);
}

BOOST_AUTO_TEST_CASE(a_run_far_below_the_others_is_said) {
  MeasuredExperiment measured;
  measured.outcomes[1].runs = {MeasuredExperiment::run(5), MeasuredExperiment::run(6),
                               MeasuredExperiment::run(60)};
  BOOST_TEST(
      uncertaintyNote(measured.experiment, measured.summaries()) ==
      "In cell 2 a run was less than half as fast as the others of the cell: was the machine "
      "busy?\n");
  measured.outcomes[0] = measured.outcomes[1];
  BOOST_TEST(uncertaintyNote(measured.experiment, measured.summaries()) ==
             "In cells 1 and 2 a run was less than half as fast as the others of its cell: was the "
             "machine busy?\n");
}

BOOST_AUTO_TEST_CASE(with_a_fixed_batch_each_workers_batch_counts) {
  MeasuredExperiment measured;
  measured.experiment.batch_size_per_worker = yaml::Node{};
  const auto table = resultTable(measured.experiment, measured.cells, measured.summaries());
  BOOST_TEST(table.find("WORKER BATCHES/S") != std::string::npos);
  BOOST_TEST(table.find("4.000 ± 0.0 %") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_dry_run_lists_the_cells) {
  const MeasuredExperiment measured;
  BOOST_TEST(cellTable(measured.experiment, {measured.cells[3]}) ==
             "CELL   EXCHANGE   WORKER.REPLICAS   WORKERS   SERVERS   BATCH SIZE\n"
             "4      ring       2                 2         1         10\n");
}

BOOST_AUTO_TEST_CASE(what_an_axis_says_has_no_column_of_its_own) {
  MeasuredExperiment measured;
  measured.experiment.axes[0].name = "servers";
  measured.experiment.axes[1].name = "compute";
  Cell cell = measured.cells[3];
  cell.conditions = {std::nullopt, true, 1};
  cell.values = {"1", "emulated"};
  BOOST_TEST(cellTable(measured.experiment, {cell}) ==
             "CELL   SERVERS   COMPUTE    WORKERS   BATCH SIZE\n"
             "4      1         emulated   2         10\n");
  cell.conditions.slowdown = 10;  // the axis does not say that
  BOOST_TEST(cellTable(measured.experiment, {cell}) ==
             "CELL   SERVERS   COMPUTE    COMPUTING       WORKERS   BATCH SIZE\n"
             "4      1         emulated   emulated x 10   2         10\n");
}

BOOST_AUTO_TEST_CASE(conditions_have_columns_unless_an_axis_shows_them) {
  MeasuredExperiment measured;
  measured.cells[3].conditions = {1'000'000'000, true, 10};
  BOOST_TEST(cellTable(measured.experiment, {measured.cells[0], measured.cells[3]}) ==
             "CELL   EXCHANGE   WORKER.REPLICAS   LINK       COMPUTING       WORKERS   SERVERS   "
             "BATCH SIZE\n"
             "1      server     1                 loopback   real            1         1         "
             "10\n"
             "4      ring       2                 1Gbit      emulated x 10   2         1         "
             "10\n");

  measured.experiment.axes[0].values[0].settings = {{"link.rate", {}}};
  const auto table = cellTable(measured.experiment, measured.cells);
  BOOST_TEST(table.find("LINK") == std::string::npos);
  BOOST_TEST(table.find("COMPUTING") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_not_known_well_enough_is_said) {
  MeasuredExperiment measured;
  BOOST_TEST(uncertaintyNote(measured.experiment, measured.summaries()) == "");

  measured.experiment.measurement.stop = StopRule{0.05, 2};
  BOOST_TEST(uncertaintyNote(measured.experiment, measured.summaries()) ==
             "1 cell is not known as well as spec.stop asks (5.0 %): was the machine busy? More "
             "maxRepetitions measure on.\n");
  measured.outcomes[2].runs.clear();
  BOOST_TEST(uncertaintyNote(measured.experiment, measured.summaries()) == "");
}

BOOST_AUTO_TEST_CASE(predictions_stand_beside_what_was_measured) {
  MeasuredExperiment measured;
  const auto before = resultTable(measured.experiment, measured.cells, measured.summaries());
  BOOST_TEST(before.find("PREDICTED") == std::string::npos);
  measured.outcomes[0].predicted_batches_per_second = 0.9;  // measured: 1
  measured.outcomes[1].predicted_batches_per_second = 2.4;  // 2
  measured.outcomes[1].is_fitted = true;

  const auto table = resultTable(measured.experiment, measured.cells, measured.summaries());

  BOOST_TEST(table.find("EFFICIENCY     PREDICTED SAMPLES/S   ACCURACY\n") != std::string::npos,
             table);
  BOOST_TEST(table.find("9.000                 90.0 %\n") != std::string::npos, table);
  BOOST_TEST(table.find("24.0                  80.0 % (fitted)\n") != std::string::npos, table);
  BOOST_TEST(predictionNote(measured.summaries()) ==
             "Predictions are 90.0 % accurate on average, over 1 cell that they were not fitted "
             "to.\n");
}

BOOST_AUTO_TEST_CASE(a_dry_run_shows_predictions_where_there_are_some) {
  const MeasuredExperiment measured;
  const auto table =
      cellTable(measured.experiment, {measured.cells[2], measured.cells[3]}, {812.34, {}});
  BOOST_TEST(table.find("BATCH SIZE   PREDICTED SAMPLES/S\n") != std::string::npos, table);
  BOOST_TEST(table.find("   8123\n") != std::string::npos, table);
  BOOST_TEST(table.ends_with("-\n"), table);
}

BOOST_AUTO_TEST_CASE(a_dry_run_predicts_in_the_unit_of_the_results) {
  MeasuredExperiment measured;
  measured.experiment.batch_size_per_worker = yaml::Node{};
  const auto table = cellTable(measured.experiment, {measured.cells[3]}, {10.25});
  BOOST_TEST(table.find("PREDICTED SAMPLES/S\n") != std::string::npos, table);
  BOOST_TEST(table.ends_with("   102.5\n"), table);
}

BOOST_AUTO_TEST_CASE(an_axis_called_workers_needs_no_second_column) {
  MeasuredExperiment measured;
  measured.experiment.axes[1].name = "workers";
  BOOST_TEST(cellTable(measured.experiment, {measured.cells[3]}) ==
             "CELL   EXCHANGE   WORKERS   SERVERS   BATCH SIZE\n"
             "4      ring       2         1         10\n");
}

BOOST_AUTO_TEST_CASE(one_run_has_no_interval) {
  BOOST_TEST(estimateText({1, 12345.6, std::nullopt}) == "12346");
  BOOST_TEST(estimateText({2, 100, 1.5}) == "100.0 ± 1.5 %");
  BOOST_TEST(estimateText({2, 100, 188.7}) == "100.0 ± ?");
  MeasuredExperiment measured;
  BOOST_TEST(hasIntervals(measured.summaries()));
  for (CellOutcome& outcome : measured.outcomes)
    outcome.runs.resize(std::min<std::size_t>(outcome.runs.size(), 1));
  BOOST_TEST(!hasIntervals(measured.summaries()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::tables_test
