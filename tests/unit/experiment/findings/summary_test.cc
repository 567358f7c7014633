#include "experiment/findings/summary.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/experiment/findings/outcomes.h"

namespace sumac::experiment::summary_test {

BOOST_AUTO_TEST_SUITE(summary)

BOOST_AUTO_TEST_CASE(speeds_are_means_of_runs) {
  const auto summaries = MeasuredExperiment().summaries();
  BOOST_TEST(summaries[1].batches_per_second->mean == 2);
  BOOST_TEST(summaries[1].samples_per_second->mean == 20);
  BOOST_TEST(summaries[1].samples_per_second->half_width.value() == 0);
  BOOST_TEST(summaries[2].samples_per_second->count == 2);
  BOOST_TEST(summaries[2].samples_per_second->half_width.value() > 10);
}

BOOST_AUTO_TEST_CASE(speedup_is_against_one_worker_with_the_same_other_values) {
  const auto summaries = MeasuredExperiment().summaries();
  BOOST_TEST(summaries[0].speedup.value() == 1);
  BOOST_TEST(summaries[1].speedup.value() == 2);
  BOOST_TEST(summaries[1].efficiency.value() == 1);
  BOOST_TEST(summaries[2].speedup.value() == 1);  // not against the server's
}

BOOST_AUTO_TEST_CASE(a_speedup_is_as_uncertain_as_both_its_means) {
  MeasuredExperiment measured;
  measured.outcomes[0].runs = {{10, 9, {0.9}}, {10, 11, {1.1}}};
  measured.outcomes[1].runs = {{10, 4.5, {0.45}}, {10, 5.5, {0.55}}};
  const auto summaries = measured.summaries();

  const double share = summaries[0].samples_per_second->relativeHalfWidth().value();
  BOOST_TEST(summaries[1].samples_per_second->relativeHalfWidth().value() == share,
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(
      summaries[1].speedup_half_width.value() / summaries[1].speedup.value() == share * 1.41421356,
      boost::test_tools::tolerance(1e-6));
  BOOST_TEST(!summaries[0].speedup_half_width.has_value());  // compared with itself
}

BOOST_AUTO_TEST_CASE(a_run_is_stray_by_the_median_of_the_others) {
  const auto isStray = [](std::vector<double> seconds) {
    MeasuredExperiment measured;
    measured.outcomes[0].runs.clear();
    for (const double each : seconds)
      measured.outcomes[0].runs.push_back(MeasuredExperiment::run(each));
    return measured.summaries()[0].has_outlier;
  };
  BOOST_TEST(!isStray({10}));
  BOOST_TEST(!isStray({10, 19}));
  BOOST_TEST(isStray({10, 21}));
  BOOST_TEST(isStray({10, 12, 23}));
  BOOST_TEST(!isStray({10, 12, 21}));
}

BOOST_AUTO_TEST_CASE(what_was_learned_is_a_mean_of_the_runs_that_tell_it) {
  MeasuredExperiment measured;
  auto& runs = measured.outcomes[0].runs;
  runs.assign(3, MeasuredExperiment::run(10));
  runs[0].learned.scores = {{Score::kValidAccuracy, 0.5}, {Score::kTestAccuracy, 0.25}};
  runs[2].learned.scores = {{Score::kValidAccuracy, 0.75}};
  const auto summary = measured.summaries()[0];
  BOOST_TEST(summary.learned.size() == 2U);
  BOOST_TEST(summary.measured(Metric::kValidationAccuracy)->mean == 0.625);
  BOOST_TEST(summary.measured(Metric::kValidationAccuracy)->count == 2);
  BOOST_TEST(summary.learned.at(Score::kTestAccuracy).mean == 0.25);
  BOOST_TEST(!summary.measured(Metric::kValidationPerplexity).has_value());
  BOOST_TEST(summary.measured(Metric::kSamplesPerSecond)->mean == 10);
  BOOST_TEST(valueOf(Metric::kSamplesPerSecond, runs[0]).value() == 1);  // in mini-batches
  BOOST_TEST(valueOf(Metric::kValidationAccuracy, runs[2]).value() == 0.75);
  BOOST_TEST(!valueOf(Metric::kValidationAccuracy, runs[1]).has_value());
}

BOOST_AUTO_TEST_CASE(a_failed_cell_has_no_figures) {
  const auto summaries = MeasuredExperiment().summaries();
  BOOST_TEST(!summaries[3].samples_per_second.has_value());
  BOOST_TEST(!summaries[3].speedup.has_value());
  BOOST_TEST(summaries[3].failure.starts_with("server-0"));
}

BOOST_AUTO_TEST_CASE(without_a_cell_of_one_worker_there_is_no_speedup) {
  MeasuredExperiment measured;
  for (Cell& cell : measured.cells)
    cell.job.worker.replicas += 1;
  BOOST_TEST(!measured.summaries()[1].speedup.has_value());
}

BOOST_AUTO_TEST_CASE(without_an_axis_of_workers_there_is_no_speedup) {
  MeasuredExperiment measured;
  for (AxisValue& value : measured.experiment.axes[1].values)
    value.settings[0].path = "spec.server.replicas";
  BOOST_TEST(!measured.summaries()[0].speedup.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::summary_test
