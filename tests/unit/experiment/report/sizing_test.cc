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
  const SizingFindings findings{study.experiment, study.cells, played};

  const ExperimentReport answer = sizingReport(findings, anOrigin());

  test::checkGolden("experiment/report/sizing.txt", report::toText(answer.report, {}));
  test::checkGolden("experiment/report/sizing.csv", report::toCsv(sizingTable(findings)));
  test::checkGolden("experiment/report/results-sizing.json", sizingJson(findings, anOrigin()));
  BOOST_TEST_REQUIRE(answer.pictures.size() == 2U);
  BOOST_TEST(answer.pictures[0].name == "sizing-workers");
  BOOST_TEST(answer.pictures[1].name == "sizing-cost");
}

BOOST_AUTO_TEST_CASE(a_cell_that_cannot_be_simulated_is_named) {
  const SimulatedStudy study("  autoscaling: {fixed: 2}\n");
  const auto played = simulateCells(study.experiment, study.cells, {});
  const SizingFindings findings{study.experiment, study.cells, played};

  const std::string text = report::toText(sizingReport(findings, anOrigin()).report, {});

  BOOST_TEST(text.find(played[0].why_not) != std::string::npos, text);
  BOOST_TEST(sizingJson(findings, anOrigin()).find("\"failure\"") != std::string::npos);
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
