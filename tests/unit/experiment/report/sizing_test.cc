#include <boost/test/unit_test.hpp>

#include "base/report/text.h"
#include "base/report/values.h"
#include "tests/support/golden.h"
#include "tests/unit/experiment/simulate/simulated_study.h"

#include "experiment/report/sizing_report.h"

namespace sumac::experiment::sizing_test {
namespace {

Origin anOrigin() {
  Origin origin;
  origin.version = "1.2.3";
  origin.command = "sumac experiment study.yaml --simulate";
  return origin;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sizing)

BOOST_AUTO_TEST_CASE(a_simulated_study_answers_on_a_terminal_and_for_programs) {
  const SimulatedStudy study(kSizings +
                             "  events: [{at: 200s, slow: {worker: 1, factor: 2}}]\n"
                             "  repetitions: 2\n"
                             "  simulation: {changeSeconds: 0.5, reportSeconds: 1}\n");
  const auto played = study.play();
  auto profiles = study.profiles();
  profiles.front().version = "1.2.3";
  const std::vector<std::string> files{"profile.json"};
  const SizingFindings findings{study.experiment, study.cells, played, profiles, files};

  const ExperimentReport answer = sizingReport(findings, anOrigin());

  test::checkGolden("experiment/report/sizing.txt", report::toText(answer.report, {}));
  test::checkGolden("experiment/report/sizing.csv", report::toCsv(sizingTable(findings)));
  test::checkGolden("experiment/report/decisions.csv", report::toCsv(changeTable(findings, true)));
  test::checkGolden("experiment/report/results-sizing.json", sizingJson(findings, anOrigin()));
  BOOST_TEST_REQUIRE(answer.pictures.size() == 2U);
  BOOST_TEST(answer.pictures[0].name == "sizing-workers");
  BOOST_TEST(answer.pictures[1].name == "sizing-cost");
}

BOOST_AUTO_TEST_CASE(of_several_limits_and_prices_each_row_says_its_own) {
  const SimulatedStudy study(
      "  link: {rate: 100Mbit}\n"
      "  slowdown: \"200\"\n"
      "  steps: 500\n"
      "  stop: {halfWidth: \"0.001\", maxRepetitions: 3}\n"
      "  repetitions: 2\n"
      "  axes:\n"
      "    - name: sizing\n"
      "      field: autoscaling\n"
      "      values:\n"
      "        - {policy: deadline, deadlineSeconds: 90, cost: {workerHour: 1}}\n"
      "        - {policy: deadline, deadlineSeconds: 90, cost: {workerHour: 2, serverHour: 0.5}}\n"
      "        - {policy: deadline, deadlineSeconds: 300}\n"
      "        - {policy: cost, cost: {workerHour: 1, budget: 0.07}}\n"
      "        - {policy: cost, cost: {workerHour: 1, budget: 0.05}}\n"
      "        - {fixed: 2}\n");
  const auto played = study.play();
  auto profiles = study.profiles();
  for (BatchProfile& batch : profiles.front().batches)
    batch.forward.upper *= 9;
  const std::vector<std::string> files{"profile.json"};
  const SizingFindings findings{study.experiment, study.cells, played, profiles, files};
  test::checkGolden("experiment/report/sizing_limits.txt",
                    report::toText(sizingReport(findings, anOrigin()).report, {}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_cannot_be_simulated_is_named) {
  const SimulatedStudy study("  autoscaling: {fixed: 2}\n");
  const auto played = simulateCells(study.experiment, study.cells, {});
  const std::vector<JobProfile> profiles;
  const std::vector<std::string> files;
  const SizingFindings findings{study.experiment, study.cells, played, profiles, files};

  const std::string text = report::toText(sizingReport(findings, anOrigin()).report, {});

  BOOST_TEST(text.find(played[0].why_not) != std::string::npos, text);
  BOOST_TEST(sizingJson(findings, anOrigin()).find("\"failure\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_axis_with_the_name_of_a_column_gives_way) {
  const SimulatedStudy study(
      "  autoscaling: {fixed: 2}\n  axes: [{field: slowdown, values: [\"2\", \"4\"]}]\n");
  const auto played = study.play();
  const auto profiles = study.profiles();
  const std::vector<std::string> files{"profile.json"};
  const std::string csv =
      report::toCsv(sizingTable({study.experiment, study.cells, played, profiles, files}));
  BOOST_TEST(csv.starts_with("cell,axis.slowdown,"), csv);
  BOOST_TEST(csv.substr(0, csv.find('\r')).ends_with(",slowdown,profile"), csv);
}

BOOST_AUTO_TEST_CASE(events_are_told_in_words) {
  const SimulatedStudy study(
      "  autoscaling: {fixed: 2}\n"
      "  events: [{at: 1s, room: 1}, {at: 2s, slow: {worker: 0, factor: 1.5}}, "
      "{at: 3s, kill: worker 1}]\n");
  test::checkGolden("experiment/report/events.txt", eventsText(study.experiment.events) + "\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::sizing_test
