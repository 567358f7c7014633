#include "cli/run/program_job.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "job/document/job.h"

namespace sumac::cli::program_job_test {
namespace {

ProgramFlags flagsOf(std::vector<std::string> command) {
  ProgramFlags flags;
  flags.command = std::move(command);
  return flags;
}

job::Reading read(const ProgramFlags& flags, std::optional<int> workers = {},
                  std::optional<int> servers = {}) {
  return job::readJob(documentOf(flags, workers, servers), "the command line", {},
                      /*needs_to_run=*/true);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(program_job)

BOOST_AUTO_TEST_CASE(has_defaults_for_all_but_the_command) {
  const auto reading = read(flagsOf({"python", "train.py", "5", "true", "--workers"}));
  BOOST_TEST_REQUIRE(job::problemList(reading.problems) == "");
  const job::TrainingJob& job = *reading.job;
  BOOST_TEST(job.name == "train");
  BOOST_TEST(job.program->command.size() == 5U);
  BOOST_TEST(job.program->command[3] == "true");
  BOOST_TEST(job.training.batch_size == 64);
  BOOST_TEST(job.training.epochs.value() == 1);
  BOOST_TEST(job.training.logical_workers == 1);
  BOOST_TEST(job.worker.replicas == 1);
  BOOST_TEST(!job.strategy.hasServers());
  BOOST_TEST(job.canChangeMembers());
}

BOOST_AUTO_TEST_CASE(takes_what_the_flags_say) {
  ProgramFlags flags = flagsOf({"./a"});
  flags.parts = 8;
  flags.batch = 256;
  flags.steps = 7;
  flags.seed = 0;
  flags.threads = 2;
  const auto reading = read(flags, 3, 2);
  BOOST_TEST_REQUIRE(job::problemList(reading.problems) == "");
  const job::TrainingJob& job = *reading.job;
  BOOST_TEST(job.training.logical_workers == 8);
  BOOST_TEST(job.training.batch_size == 256);
  BOOST_TEST(job.training.steps.value() == 7);
  BOOST_TEST(!job.training.epochs.has_value());
  BOOST_TEST(job.training.seed == 0U);
  BOOST_TEST(job.program->threads == 2);
  BOOST_TEST(job.worker.replicas == 3);
  BOOST_TEST(job.server.replicas == 2);
}

BOOST_AUTO_TEST_CASE(problems_of_it_stand_on_no_line) {
  ProgramFlags flags = flagsOf({"./a"});
  flags.parts = 9;
  flags.batch = 8;
  const auto reading = read(flags);
  BOOST_TEST_REQUIRE(reading.problems.size() == 1U);
  BOOST_TEST(reading.problems[0].line == 0);
  BOOST_TEST(reading.problems[0].path == "spec.training.logicalWorkers");
}

BOOST_AUTO_TEST_CASE(is_made_only_of_words_that_a_document_can_have) {
  BOOST_TEST(commandProblem({}).empty());
  BOOST_TEST(commandProblem({"python", "tr\u00e9.py", ""}).empty());
  BOOST_TEST(!commandProblem({"python", "\xff"}).empty());
  BOOST_TEST(commandProblem(std::vector<std::string>(256, "a")).empty());
  BOOST_TEST(!commandProblem(std::vector<std::string>(257, "a")).empty());
}

BOOST_AUTO_TEST_CASE(is_named_after_its_script) {
  BOOST_TEST(jobNameOf({"python", "-u", "src/train_MNIST.py", "x.py"}) == "train-mnist");
  BOOST_TEST(jobNameOf({"/usr/bin/my.tool", "a"}) == "my");
  BOOST_TEST(jobNameOf({"./2 fast.sh"}) == "program-2-fast");
  BOOST_TEST(jobNameOf({"\u00e9"}) == "program");
  BOOST_TEST(jobNameOf({std::string(200, 'a')}).size() == 40U);
  BOOST_TEST(jobNameOf({std::string(39, 'a') + "--b"}) == std::string(39, 'a'));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::program_job_test
