#include "cli/experiment/simulate.h"

#include <fstream>
#include <sstream>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "job/model/network.h"
#include "job/profile/profile_json.h"
#include "tests/support/synthetic_profile.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::simulate_test {
namespace {

const std::string kExample = SUMAC_SOURCE_FOLDER "/examples/experiments/autoscaling.yaml";

/// The bundled example with a profile of no machine.
struct Simulation {
  TemporaryFolder folder;
  ExperimentOptions options;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;

  Simulation() {
    write(profile());
    options.file = kExample;
    options.is_simulated = true;
    options.output = folder / "out";
    options.predictions.profiles = {folder / "profile.json"};
  }

  /// Of the example's job.
  JobProfile profile() {
    const auto text = readTextFile(kExample, 1 << 20);
    const auto prepared = prepareExperiment(text.value(), kExample, {}, err);
    return syntheticProfile(std::get<PreparedExperiment>(prepared).cells.front().job,
                            *model::resolve(*model::fromZoo("lenet5")));
  }

  void write(const JobProfile& profile) const {
    std::ofstream(folder / "profile.json") << toJson(profile);
  }

  ExitCode run() { return simulateExperiment(options, {in, out, err, {}}); }

  nlohmann::json results() const {
    return nlohmann::json::parse(readTextFile(options.output / "results.json", 1 << 24).value());
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(simulate)

BOOST_FIXTURE_TEST_CASE(the_example_is_played_whole, Simulation) {
  BOOST_TEST_REQUIRE((run() == ExitCode::kDone), err.str());

  const auto json = results();
  BOOST_TEST(json.at("simulated") == true);
  BOOST_TEST_REQUIRE(json.at("cells").size() == 18U);
  for (const auto& cell : json.at("cells")) {
    BOOST_TEST(cell.at("runs").size() == 3U);
    BOOST_TEST(cell.at("timesClairvoyant") >= 1);
  }
  for (const char* const file : {"report.html", "cells.csv", "decisions.csv", "experiment.yaml",
                                 "sizing-workers-1.svg", "sizing-cost-2.svg"})
    BOOST_TEST(std::filesystem::exists(options.output / file), file);
  BOOST_TEST(out.str().find("report.html") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(only_some_cells_are_played_and_the_folder_may_be_used_again, Simulation) {
  BOOST_TEST_REQUIRE((run() == ExitCode::kDone), err.str());
  options.preparation.only = {"link=100Mbit", "sizing=throughput", "sizing=4 workers"};
  BOOST_TEST_REQUIRE((run() == ExitCode::kDone), err.str());
  BOOST_TEST(results().at("cells").size() == 2U);
  BOOST_TEST(!std::filesystem::exists(options.output / "sizing-cost-2.svg"));
  options.preparation.only = {"link=1bit"};
  BOOST_TEST((run() == ExitCode::kUsage));
}

BOOST_FIXTURE_TEST_CASE(a_profile_of_another_network_simulates_nothing, Simulation) {
  JobProfile other = profile();
  other.subject.network = "another";
  other.subject.sha256 = std::string(64, '0');
  write(other);
  BOOST_TEST((run() == ExitCode::kFailed));
  options.predictions.profiles = {folder / "missing.json"};
  BOOST_TEST((run() == ExitCode::kUsage));
}

BOOST_FIXTURE_TEST_CASE(a_profile_that_other_work_disturbed_is_told, Simulation) {
  BOOST_TEST_REQUIRE((run() == ExitCode::kDone), err.str());
  BOOST_TEST(err.str().empty(), err.str());
  JobProfile disturbed = profile();
  disturbed.batches.front().forward.upper *= 9;
  write(disturbed);
  BOOST_TEST_REQUIRE((run() == ExitCode::kDone), err.str());
  BOOST_TEST(err.str().find("warning: ") == 0U, err.str());
}

BOOST_FIXTURE_TEST_CASE(a_script_of_numbers_of_workers_is_not_simulated, Simulation) {
  options.file = SUMAC_SOURCE_FOLDER "/examples/experiments/scaling.yaml";
  BOOST_TEST((run() == ExitCode::kUsage));
}

BOOST_FIXTURE_TEST_CASE(what_jobs_learn_is_not_simulated, Simulation) {
  options.file = SUMAC_SOURCE_FOLDER "/examples/experiments/learning-rates.yaml";
  BOOST_TEST((run() == ExitCode::kUsage));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::simulate_test
