#include "experiment/simulate/simulate.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "tests/unit/experiment/simulate/simulated_study.h"

#include "experiment/predict/cell_prediction.h"

namespace sumac::experiment::simulate_test {
namespace {

const std::string kExactly = "  simulation: {noise: 0, changeSeconds: 0.5, reportSeconds: 1}\n";

/// With one cell that has so many workers from beginning to end.
std::string fixedTo(int workers) {
  return "  link: {rate: 100Mbit}\n  slowdown: \"200\"\n  steps: 2000\n" + kExactly +
         "  autoscaling: {fixed: " + std::to_string(workers) + "}\n";
}

const autoscaling::SimulatedRun& onlyRun(const std::vector<SimulatedCell>& played) {
  BOOST_TEST_REQUIRE(played.size() == 1U);
  BOOST_TEST_REQUIRE(played[0].why_not == "");
  BOOST_TEST_REQUIRE(played[0].runs.size() == 1U);
  return played[0].runs[0];
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulate_cells)

BOOST_AUTO_TEST_CASE(a_fixed_size_takes_as_long_as_its_steps_are_predicted) {
  const SimulatedStudy study(fixedTo(4));
  const auto predictions = predictCells(study.cells, study.profiles());

  const auto played = study.play();

  const auto& run = onlyRun(played);
  BOOST_TEST(run.seconds == 2020 / predictions[0].batches_per_second.value(),
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(run.worker_seconds == 4 * run.seconds, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(run.server_seconds == run.seconds, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(run.changes.empty());
}

BOOST_AUTO_TEST_CASE(policies_come_close_to_the_best_fixed_size_and_nobody_beats_the_clairvoyant) {
  const SimulatedStudy study(kSizings + kExactly);
  const auto played = study.play();

  BOOST_TEST_REQUIRE(played.size() == 7U);
  for (const SimulatedCell& cell : played) {
    BOOST_TEST_REQUIRE(cell.why_not == "");
    BOOST_TEST(cell.runs[0].seconds >= cell.clairvoyant_seconds * (1 - 1e-9));
    BOOST_TEST(cell.best_fixed_seconds >= cell.clairvoyant_seconds * (1 - 1e-9));
    BOOST_TEST(cell.best_fixed_seconds == played[0].best_fixed_seconds);
  }
  BOOST_TEST(!played[0].runs[0].changes.empty());
  BOOST_TEST(played[0].runs[0].seconds < 1.15 * played[0].best_fixed_seconds);
  BOOST_TEST(played[2].runs[0].seconds <= 450);
  BOOST_TEST(played[3].runs[0].changes.empty());
  BOOST_TEST(!played[6].runs[0].changes.empty());
}

BOOST_AUTO_TEST_CASE(a_slow_worker_slows_the_sizes_that_have_it) {
  const std::string slow = "  events: [{at: 10s, slow: {worker: 3, factor: 3}}]\n";
  const auto secondsOf = [](const std::string& spec) {
    return onlyRun(SimulatedStudy(spec).play()).seconds;
  };
  BOOST_TEST(secondsOf(fixedTo(4) + slow) > 1.2 * secondsOf(fixedTo(4)));
  BOOST_TEST(secondsOf(fixedTo(2) + slow) == secondsOf(fixedTo(2)),
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_slow_worker_costs_nothing_while_others_fill_the_link) {
  const std::string slow = "  events: [{at: 1s, slow: {worker: 3, factor: 1.5}}]\n";
  BOOST_TEST(onlyRun(SimulatedStudy(fixedTo(8) + slow).play()).seconds ==
                 onlyRun(SimulatedStudy(fixedTo(8)).play()).seconds,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(where_there_is_no_room_fewer_train_and_a_killed_worker_costs_a_change) {
  const auto cut = SimulatedStudy(fixedTo(4) + "  events: [{at: 10s, room: 3}]\n").play();
  const auto& phases = onlyRun(cut).phases;
  BOOST_TEST_REQUIRE(phases.size() == 2U);
  BOOST_TEST(phases[0].workers == 4);
  BOOST_TEST(phases[1].workers == 3);

  const auto killed = SimulatedStudy(fixedTo(4) + "  events: [{at: 10s, kill: worker 1}]\n").play();
  BOOST_TEST(onlyRun(killed).changing_seconds == 0.5);
}

BOOST_AUTO_TEST_CASE(noise_is_the_same_for_a_seed) {
  const std::string noisy = "  repetitions: 3\n  simulation: {noise: 0.1, reportSeconds: 1}\n";
  const auto secondsOf = [&](const std::string& more) {
    std::vector<double> seconds;
    const SimulatedStudy study("  autoscaling: {policy: throughput}\n  slowdown: \"100\"\n" +
                               noisy + more);
    for (const SimulatedCell& cell : study.play()) {
      for (const auto& run : cell.runs)
        seconds.push_back(run.seconds);
    }
    return seconds;
  };
  const auto once = secondsOf("");
  BOOST_TEST_REQUIRE(once.size() == 3U);
  BOOST_TEST(once[0] != once[1]);
  BOOST_TEST(once == secondsOf(""), boost::test_tools::per_element());
  BOOST_TEST(once[0] != secondsOf("  seed: 7\n")[0]);
}

BOOST_AUTO_TEST_CASE(no_cell_beats_the_clairvoyant_also_with_noise_and_events) {
  for (const char* const seed : {"1", "2", "3"}) {
    const SimulatedStudy study(kSizings + "  seed: " + seed +
                               "\n  simulation: {noise: 0.2, changeSeconds: 2, reportSeconds: 1}\n"
                               "  events: [{at: 20s, kill: worker 0}, {at: 60s, room: 3},\n"
                               "           {at: 61s, kill: worker 1}, {at: 150s, room: 8},\n"
                               "           {at: 170s, slow: {worker: 1, factor: 2}}]\n");
    for (const SimulatedCell& cell : study.play()) {
      BOOST_TEST_REQUIRE(cell.why_not == "");
      double sum = 0;
      for (const auto& run : cell.runs)
        sum += run.seconds;
      const double mean = sum / static_cast<double>(cell.runs.size());
      BOOST_TEST(mean >= cell.clairvoyant_seconds * (1 - 1e-9));
      BOOST_TEST(cell.best_fixed_seconds >= cell.clairvoyant_seconds * (1 - 1e-9));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_stop_rule_repeats_a_cell_until_its_time_is_known) {
  const auto runs = [](const std::string& half_width) {
    const SimulatedStudy study(
        "  autoscaling: {fixed: 2}\n  slowdown: \"100\"\n  repetitions: 2\n"
        "  simulation: {noise: 0.2, reportSeconds: 1}\n"
        "  stop: {halfWidth: \"" +
        half_width + "\", maxRepetitions: 40}\n");
    return study.play()[0].runs.size();
  };
  BOOST_TEST(runs("0.9") == 2U);
  const auto some = runs("0.02");
  BOOST_TEST(some > 2U);
  BOOST_TEST(some < 40U);
  BOOST_TEST(runs("0.000001") == 40U);
}

BOOST_AUTO_TEST_CASE(a_cell_without_a_profile_says_so) {
  const SimulatedStudy study(fixedTo(2));
  const auto played = simulateCells(study.experiment, study.cells, {});
  BOOST_TEST(played[0].runs.empty());
  BOOST_TEST(!played[0].why_not.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::simulate_test
