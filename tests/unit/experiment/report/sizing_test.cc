#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

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

/// As if each cell had run, a little slower than simulated, but for the last one.
struct MeasuredStudy {
  const SimulatedStudy study{kSizings +
                             "  repetitions: 2\n"
                             "  simulation: {changeSeconds: 0.5, noise: 0}\n"};
  const std::vector<SimulatedCell> simulated = study.play();
  std::vector<CellOutcome> outcomes{study.cells.size()};
  std::vector<std::string> left_out{study.cells.size()};
  const std::vector<JobProfile> profiles = study.profiles();
  const std::vector<std::string> files{"profile.json"};

  MeasuredStudy() {
    left_out.back() = "it has no cluster";
    for (std::size_t i = 0; i + 1 < outcomes.size(); ++i)
      for (const double slower : {1.02, 1.04})
        outcomes[i].runs.push_back(runOf(simulated[i].runs.front(), slower));
    outcomes[4].runs.clear();
    outcomes[4].failure = "worker-3 was killed";
  }

  static RunFigures runOf(const autoscaling::SimulatedRun& run, double slower) {
    SizingRecord record{.seconds = slower * run.seconds,
                        .changing_seconds = slower * run.changing_seconds,
                        .parameters_sha256 = "5e4a"};
    for (autoscaling::SizeChange change : run.changes) {
      change.at *= slower;
      change.told = "as it was told";
      record.changes.push_back(change);
    }
    record.stays = run.stays;
    for (const autoscaling::SizePhase& phase : run.phases)
      record.phases.push_back({slower * phase.begin, phase.workers});
    return *figuresOf(std::move(record), 2000);
  }

  MeasuredSizing measured() const {
    return measuredSizing(study.experiment, study.cells, outcomes, left_out, simulated);
  }
};

BOOST_FIXTURE_TEST_CASE(a_measured_study_has_what_was_simulated_beside_it, MeasuredStudy) {
  MeasuredSizing found = measured();
  found.is_complete = false;
  const SizingFindings findings{study.experiment, study.cells, found.cells,
                                profiles,         files,       &found};

  test::checkGolden("experiment/report/sizing-measured.txt",
                    report::toText(sizingReport(findings, anOrigin()).report, {}));
  test::checkGolden("experiment/report/results-sizing-measured.json",
                    sizingJson(findings, anOrigin()));
}

BOOST_FIXTURE_TEST_CASE(measured_cells_that_ran_beside_other_work_are_named, MeasuredStudy) {
  const auto told = [this](double share) {
    outcomes[1].runs.front().lacking_cores = 0.01;
    outcomes[1].runs.back().lacking_cores = share;
    const MeasuredSizing found = measured();
    const SizingFindings findings{study.experiment, study.cells, found.cells,
                                  profiles,         files,       &found};
    const auto json = nlohmann::json::parse(sizingJson(findings, anOrigin()));
    BOOST_TEST(json.at("cells")[1].at("lackingCores") == share);
    BOOST_TEST(!json.at("cells")[0].contains("lackingCores"));
    return report::toText(sizingReport(findings, anOrigin()).report, {});
  };
  BOOST_TEST(told(0.95).find("Beside cell 2") != std::string::npos);
  BOOST_TEST(told(0.05).find("Beside cell") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(the_best_fixed_size_is_one_that_was_measured, MeasuredStudy) {
  const double best = *measured().simulated_seconds[3] * 1.03;  // 1 worker, since 4 failed
  BOOST_TEST(measured().cells[0].best_fixed == 1);
  BOOST_TEST(measured().cells[0].best_fixed_seconds == best, boost::test_tools::tolerance(1e-6));
}

BOOST_FIXTURE_TEST_CASE(runs_with_other_parameters_are_told, MeasuredStudy) {
  BOOST_TEST(measured().parameters.find("SHA-256 5e4a") != std::string::npos);
  outcomes[0].runs[1].sizing->parameters_sha256 = "0000";
  BOOST_TEST(measured().parameters.find("5e4a") == std::string::npos);
  BOOST_TEST(measured().parameters != "");
  for (CellOutcome& outcome : outcomes)
    for (RunFigures& run : outcome.runs)
      run.sizing->parameters_sha256.clear();
  BOOST_TEST(measured().parameters == "");  // emulated workers compute none
}

BOOST_FIXTURE_TEST_CASE(without_a_simulation_and_fixed_sizes_nothing_is_compared, MeasuredStudy) {
  for (std::size_t i = 3; i < outcomes.size(); ++i)
    outcomes[i].runs.clear();
  const auto found = measuredSizing(study.experiment, study.cells, outcomes, left_out, {});
  const SizingFindings findings{study.experiment, study.cells, found.cells, {}, {}, &found};
  const auto json = nlohmann::json::parse(sizingJson(findings, anOrigin()));
  for (const char* const key : {"timesBestFixed", "timesClairvoyant", "timesSimulated"})
    BOOST_TEST(!json.at("cells")[0].contains(key), key);
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
