#include "cli/run/run.h"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/clock.h"
#include "base/core/file.h"
#include "cli/run/folder.h"
#include "job/progress/job_event.h"
#include "tests/support/golden.h"
#include "tests/unit/cli/run/fake_programs.h"

namespace sumac::cli::run_test {
namespace {

const std::string kJob = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: fake}
spec:
  model: {name: lenet5}
  data: {name: fashion-mnist-mini}
  training: {batchSize: 64, steps: 10, optimizer: {learningRate: "0.1"}}
)";

/// Of the member that coordinates: all have joined.
const std::string kRoster = R"(echo '{"event":"roster","members":{"server":[0],"worker":[0]}}' >&4
)";

/// And they have trained.
std::string trainedTo(Step step) {
  return kRoster + "echo '" + toLine(CheckpointWritten{step}) + "' >&4\n";
}

std::string contentOf(const std::filesystem::path& path) {
  const auto text = readTextFile(path, 1 << 20);
  return text ? *text : "";
}

/// A run with scripts in place of the members.
class FakeRun {
 public:
  /// Each script follows the server's endpoint.
  FakeRun(const std::string& server, const std::string& worker)
      : programs_(kListen + "\n" + server, worker) {
    std::ofstream(file()) << kJob;
  }

  RunFolder folder() const { return RunFolder(programs_.output()); }
  std::filesystem::path file() const { return programs_.programs() / "job.yaml"; }

  /// Writes a complete result, as worker 0 does, for the scripts to copy.
  std::filesystem::path aResult(Step steps) const {
    std::filesystem::create_directory(programs_.programs() / "done");
    const OutputFolder done(programs_.programs() / "done");
    JobResult result;
    result.setting.job = "fake";
    result.steps = steps;
    result.parameters_sha256 = std::string(64, 'a');
    BOOST_REQUIRE(done.writeResult(result).has_value());
    return done.result();
  }

  ExitCode train() {
    RunOptions options;
    options.file = file().string();
    options.output = folder().path();
    return begin(std::move(options));
  }

  ExitCode trainAgain(const std::string& set) {
    RunOptions options;
    options.sets = {set};
    options.resume = folder().path();
    options.from_start = true;
    return begin(std::move(options));
  }

  /// Trains on a folder of pictures, which `ask_cache` may have packed.
  ExitCode trainOnPictures(AskCache ask_cache) {
    RunOptions options;
    options.file = file().string();
    options.output = folder().path();
    options.sets = {"data={format: folder, path: photos, resize: [28, 28], channels: 1}"};
    options.ask_cache = std::move(ask_cache);
    return begin(std::move(options));
  }

  /// A job that chooses its number of workers itself, from 1 to 4.
  ExitCode autoscale(const std::vector<std::string>& sets, std::optional<int> workers = {},
                     int restarts = 3) {
    RunOptions options;
    options.file = file().string();
    options.output = folder().path();
    options.sets = {"worker={replicas: 3, minReplicas: 1, maxReplicas: 4}",
                    "autoscaling={policy: throughput}"};
    options.sets.insert(options.sets.end(), sets.begin(), sets.end());
    options.restarts = restarts;
    return begin(std::move(options), workers);
  }

  const std::string& said() const { return said_; }
  std::filesystem::path beside(const std::string& name) const {
    return programs_.programs() / name;
  }

 private:
  ExitCode begin(RunOptions options, std::optional<int> workers = 1) {
    options.programs = programs_.programs();
    options.workers = workers;
    options.servers = 1;
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    const auto code = run(options, SystemClock(), {in, out, err, Terminal{}});
    said_ = err.str();
    return code;
  }

  FakePrograms programs_;
  std::string said_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(a_run, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(that_fails_before_it_trains_keeps_the_job_and_the_result_of_before) {
  FakeRun fake(kRoster + kForever, "exit 78");
  const std::string done = contentOf(fake.aResult(10));
  BOOST_TEST((fake.train() == ExitCode::kBadConfiguration));
  const std::string job = contentOf(fake.folder().job());
  BOOST_TEST(job.find("steps: 10") != std::string::npos);
  BOOST_REQUIRE(replaceFile(fake.folder().output().result(), asBytes(done)));

  BOOST_TEST((fake.trainAgain("training.steps=5") == ExitCode::kBadConfiguration), fake.said());

  BOOST_TEST(contentOf(fake.folder().job()) == job);
  BOOST_TEST(contentOf(fake.folder().output().result()) == done);
  BOOST_TEST(!std::filesystem::exists(fake.folder().nextJob()));
}

BOOST_AUTO_TEST_CASE(that_trains_takes_the_place_of_the_one_before) {
  FakeRun fake(trainedTo(5) + "exit 1", kForever);
  BOOST_TEST((fake.train() == ExitCode::kFailed));

  BOOST_TEST((fake.trainAgain("training.steps=20") == ExitCode::kFailed), fake.said());

  BOOST_TEST(contentOf(fake.folder().job()).find("steps: 20") != std::string::npos);
  BOOST_TEST(fake.folder().output().lastStep() == 5);
}

BOOST_AUTO_TEST_CASE(that_fails_before_it_trains_knows_the_step_of_the_one_before) {
  FakeRun fake(kRoster + "exit 1", kForever);
  BOOST_TEST((fake.train() == ExitCode::kFailed));
  BOOST_REQUIRE(fake.folder().output().writeEnd({"fake", ExitCode::kStopped, 7, "by Ctrl-C"}));

  BOOST_TEST((fake.trainAgain("training.steps=20") == ExitCode::kFailed), fake.said());

  BOOST_TEST(fake.folder().output().lastStep() == 7);
  BOOST_TEST(contentOf(fake.folder().output().result()).find("Failed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(whose_result_is_complete_succeeds_whatever_ends_after_it) {
  FakeRun fake(trainedTo(10) + "until [ -f $(dirname $2)/result.json ]; do :; done; kill -9 $$",
               "cp $(dirname $0)/done/result.json $(dirname $2)/next; "
               "mv $(dirname $2)/next $(dirname $2)/result.json");
  fake.aResult(10);

  BOOST_TEST((fake.train() == ExitCode::kDone), fake.said());

  BOOST_TEST(fake.said().find("server 0 was ") != std::string::npos, fake.said());
  BOOST_TEST(fake.folder().output().readResult().has_value());
}

BOOST_AUTO_TEST_CASE(that_chooses_its_number_of_workers_begins_with_the_fewest) {
  FakeRun fake(kRoster + kForever, "exit 78");
  BOOST_TEST((fake.autoscale({}) == ExitCode::kBadConfiguration));
  const std::string job = contentOf(fake.folder().job());
  BOOST_TEST(job.find("replicas: 1\n") != std::string::npos, job);
  BOOST_TEST(job.find("logicalWorkers: 4\n") != std::string::npos, job);
}

BOOST_AUTO_TEST_CASE(refuses_to_choose_what_the_options_or_the_strategy_fix) {
  FakeRun fake(kRoster + kForever, "exit 78");
  test::Transcript said;
  BOOST_TEST((fake.autoscale({}, 2) == ExitCode::kUsage));
  said.add("--workers", fake.said());
  BOOST_TEST((fake.autoscale({}, {}, 0) == ExitCode::kUsage));
  said.add("--restarts 0", fake.said());
  BOOST_TEST((fake.autoscale({"strategy={codec: bf16}"}) == ExitCode::kBadConfiguration));
  said.add("a lossy codec", fake.said());
  BOOST_TEST(!std::filesystem::exists(fake.folder().job()));
  test::checkGolden("cli/run/autoscaling_refusals.txt", said.text());
}

BOOST_AUTO_TEST_CASE(on_large_data_has_its_workers_read_what_they_were_packed_into) {
  FakeRun fake(kRoster + kForever, "echo \"$@\" > $(dirname $0)/flags; exit 1");
  std::string asked;
  const auto code = fake.trainOnPictures([&](const std::string& job) -> Result<std::string> {
    asked = job;
    return std::string("/cache/photos.sumac");
  });
  BOOST_TEST((code == ExitCode::kFailed), fake.said());
  BOOST_TEST(asked.find("resize") != std::string::npos);
  BOOST_TEST(contentOf(fake.beside("flags")).find("--packed-data /cache/photos.sumac") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(starts_nobody_where_large_data_cannot_be_packed) {
  FakeRun fake(kRoster + kForever, "touch $(dirname $0)/flags; exit 1");
  const auto full = [](const std::string&) -> Result<std::string> {
    return Error{ErrorCode::kUnavailable, ""};  // the worker said it
  };
  BOOST_TEST((fake.trainOnPictures(full) == ExitCode::kResourceFailed), fake.said());
  BOOST_TEST(fake.said().find("error") == std::string::npos, fake.said());
  BOOST_TEST(!std::filesystem::exists(fake.beside("flags")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::run_test
