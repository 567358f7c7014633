#include "cli/run/local_job.h"

#include <csignal>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "base/core/descriptor.h"
#include "base/core/file.h"
#include "cli/run/ending.h"
#include "tests/support/golden.h"
#include "tests/unit/cli/run/fake_programs.h"

namespace sumac::cli::local_job_test {
namespace {

LocalJobOptions optionsFor(const FakePrograms& fake, int servers, int workers) {
  LocalJobOptions options;
  options.programs = fake.programs();
  options.folder = fake.output();
  options.servers = servers;
  options.workers = workers;
  return options;
}

struct Ran {
  LocalJobResult result;
  std::string shown;
};

Ran supervise(const LocalJobOptions& options) {
  std::ostringstream out;
  auto result = superviseJob(options, SystemClock(), out, Terminal{});
  BOOST_REQUIRE(result.has_value());
  return {*std::move(result), out.str()};
}

std::string contentOf(const std::filesystem::path& path) {
  const auto text = readTextFile(path, 1 << 20);
  return text ? *text : "";
}

/// A supervisor in a process of its own, whose members hold the FIFO `alive` open (kUp): the
/// reading end sees what they write there, and the end of the last of them.
class Supervised {
 public:
  explicit Supervised(const LocalJobOptions& options) {
    const std::string fifo = (options.folder / "alive").string();
    ::unlink(fifo.c_str());
    BOOST_REQUIRE(::mkfifo(fifo.c_str(), S_IRUSR | S_IWUSR) == 0);
    read_ = Descriptor(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    BOOST_REQUIRE(bool(read_));
    pid_ = ::fork();
    if (pid_ != 0) return;
    std::ostringstream out;
    const auto result = superviseJob(options, SystemClock(), out, Terminal{});
    ::_exit(result ? toInt(result->code) : 99);
  }

  pid_t pid() const { return pid_; }

  /// Waits until `count` bytes came from the members; fails after 50 s.
  void awaitBytes(std::size_t count) {
    char buffer[64];
    while (count > 0) {
      await();
      const ssize_t got = ::read(read_.get(), buffer, std::min(count, sizeof buffer));
      BOOST_REQUIRE(got > 0);
      count -= static_cast<std::size_t>(got);
    }
  }

  /// Waits until no member holds the writing end any more; fails after 50 s.
  void awaitEndOfAll() {
    char byte = 0;
    await();
    BOOST_TEST(::read(read_.get(), &byte, 1) == 0);
  }

  int awaitExitStatus() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return status;
  }

 private:
  void await() const {
    pollfd watched{read_.get(), POLLIN, 0};
    BOOST_REQUIRE(::poll(&watched, 1, 50'000) == 1);
  }

  Descriptor read_;
  pid_t pid_ = 0;
};

/// Says that the member is up, and holds the FIFO open over exec.
const std::string kUp = "exec 9>$(dirname $2)/alive; printf u >&9\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(local_job, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(runs_a_job_to_its_end) {
  const FakePrograms fake("if [ $index = 0 ]; then " + kListen +
                              R"(
echo '{"event":"roster","startStep":1,"members":{"server":[0,1],"worker":[0,1]}}' >&4
echo '{"event":"progress","step":2,"totalSteps":2,"epoch":1,"loss":0.5}' >&4
echo '{"event":"checkpoint","step":2}' >&4
echo '{"event":"result","state":"done"}' >&4
fi)",
                          "echo \"$@\"");

  const auto ran = supervise(optionsFor(fake, 2, 2));

  BOOST_TEST(toInt(ran.result.code) == toInt(ExitCode::kDone));
  BOOST_TEST(ran.result.newest_checkpoint.value_or(0) == 2);
  BOOST_TEST(ran.result.first_step == 1);
  BOOST_TEST(ran.result.seconds.value_or(-1) >= 0);
  BOOST_TEST(ran.shown.find("step 2/2") != std::string::npos, ran.shown);
  BOOST_TEST(!std::filesystem::exists(fake.output() / "metrics.jsonl"));  // worker 0's
}

BOOST_AUTO_TEST_CASE(warns_of_skipped_checkpoints_until_there_is_one_again) {
  const FakePrograms fake(kListen + R"(
echo '{"event":"checkpointSkipped","step":1,"message":"no room for that of step 1"}' >&4
echo '{"event":"checkpointSkipped","step":2,"message":"no room for that of step 2"}' >&4
echo '{"event":"checkpoint","step":3}' >&4
echo '{"event":"checkpointSkipped","step":4,"message":"no room for that of step 4"}' >&4)",
                          "true");

  const auto ran = supervise(optionsFor(fake, 1, 1));

  test::checkGolden("cli/run/skipped_checkpoints.txt", ran.shown);
}

BOOST_AUTO_TEST_CASE(knows_why_a_member_failed_although_its_folder_takes_no_word) {
  const FakePrograms fake(kListen, "echo 'the disk is full' >&5; exit 74");
  std::filesystem::create_directories(fake.output() / "worker-0.end" / "full");

  const auto ran = supervise(optionsFor(fake, 1, 1));

  BOOST_TEST(toInt(ran.result.code) == 74);
  BOOST_REQUIRE(ran.result.failure.has_value());
  BOOST_TEST(ran.result.failure->reason == "the disk is full\n");
}

BOOST_AUTO_TEST_CASE(tells_what_followed_a_stop_although_its_folder_takes_no_word) {
  const FakePrograms fake(
      kListen + "\n" +
          "echo 'asked to stop; worker 1 did not answer' >&5; kill -TERM $PPID; exit 75",
      kForever);
  std::filesystem::create_directories(fake.output() / "server-0.end" / "full");

  const auto ran = supervise(optionsFor(fake, 1, 1));

  BOOST_TEST(ran.result.stop_signal == SIGTERM);
  std::ostringstream told;
  explainStop(ran.result, told);
  BOOST_TEST(told.str().find("  worker 1 did not answer\n") != std::string::npos, told.str());
}

BOOST_AUTO_TEST_CASE(keeps_what_a_member_said_last) {
  const FakePrograms fake(kListen, "echo 'no data' >&5; exit 78");

  supervise(optionsFor(fake, 1, 1));

  BOOST_TEST(contentOf(fake.output() / "worker-0.end") == "no data\n");
}

BOOST_AUTO_TEST_CASE(tells_workers_where_everything_is) {
  const FakePrograms fake(kListen, "echo \"$@\"");
  auto options = optionsFor(fake, 1, 2);
  options.log_level = "debug";
  options.log_format = "json";
  const std::string folder = fake.output().string();

  supervise(options);

  BOOST_TEST(contentOf(fake.output() / "worker-1.log") ==
             "--job " + folder + "/job.yaml --index 1 --coordinator tcp://127.0.0.1:7 --output " +
                 folder + " --tensorboard true --checkpoint " + folder +
                 "/checkpoints --local-workers 2 --termination-file /proc/self/fd/5 "
                 "--log-level debug --log-format json\n");
}

BOOST_AUTO_TEST_CASE(tells_members_that_they_may_change) {
  const FakePrograms fake(kListen, "echo \"$@\"");
  auto options = optionsFor(fake, 1, 1);
  options.most_workers = 4;
  const std::string folder = fake.output().string();

  supervise(options);

  BOOST_TEST(contentOf(fake.output() / "worker-0.log") ==
             "--job " + folder +
                 "/job.yaml --index 0 --listen tcp://127.0.0.1:0 "
                 "--coordinator tcp://127.0.0.1:7 --output " +
                 folder + " --tensorboard true --checkpoint " + folder +
                 "/checkpoints --local-workers 1 --elastic true --orphan-seconds 60 "
                 "--termination-file /proc/self/fd/5\n");
}

BOOST_AUTO_TEST_CASE(starts_the_workers_that_an_observer_asks_for_and_says_so) {
  struct Asking final : JobObserver {
    void onEvent(const JobEvent& event, TimePoint now) override {
      if (std::holds_alternative<RosterBegan>(event)) wanted = Resize{now, 2, "workers 1 -> 2"};
    }
    std::optional<TimePoint> stopAt() const override { return std::nullopt; }
    std::optional<Resize> resizeAt() const override { return wanted; }
    void onResize() override { wanted.reset(); }
    std::optional<Resize> wanted;
  };
  const std::string await = "until [ -e $(dirname $2)/second ]; do sleep 0.01; done\n";
  const FakePrograms fake(kListen + R"(
echo '{"event":"roster","members":{"server":[0],"worker":[0]}}' >&4
)" + await + R"(echo '{"event":"result","state":"done"}' >&4)",
                          "echo \"$@\"\n[ $index = 0 ] || touch $(dirname $2)/second\n" + await);
  Asking observer;
  auto options = optionsFor(fake, 1, 1);
  options.most_workers = 4;
  options.sharing_workers = 3;
  options.observer = &observer;

  const auto ran = supervise(options);

  BOOST_TEST(toInt(ran.result.code) == 0);
  BOOST_TEST(ran.shown.find("workers 1 -> 2\n") != std::string::npos, ran.shown);
  // Both have their share of the processors as if there were three.
  for (const char* const log : {"worker-0.log", "worker-1.log"})
    BOOST_TEST(contentOf(fake.output() / log).find("--local-workers 3 ") != std::string::npos);
}

// With pipes of its own, where the others look for it.
BOOST_AUTO_TEST_CASE(starts_the_coordinator_again_where_it_listened) {
  const FakePrograms fake("echo \"$@\"\n" + kListen + R"(
echo '{"event":"roster","members":{"server":[0],"worker":[0]}}' >&4
first=$(dirname $2)/first
if [ ! -e $first ]; then printf '{"event":' >&4; touch $first; kill -KILL $$; fi
echo '{"event":"checkpoint","step":2}' >&4
touch $(dirname $2)/second)",
                          "until [ -e $(dirname $2)/second ]; do sleep 0.01; done");
  auto options = optionsFor(fake, 1, 1);
  options.most_workers = 4;
  options.restarts = 1;

  const auto ran = supervise(options);

  BOOST_TEST(toInt(ran.result.code) == 0);
  BOOST_TEST(ran.result.restarts == 1);
  BOOST_TEST(ran.result.newest_checkpoint.value_or(0) == 2);  // not cut by what the first began
  const std::string said = contentOf(fake.output() / "server-0.log");
  BOOST_TEST(said.find("--listen tcp://127.0.0.1:0 ") != std::string::npos, said);
  BOOST_TEST(said.find("--listen tcp://127.0.0.1:7 ") != std::string::npos, said);
  BOOST_TEST(ran.shown.find("server 0 was killed") == 0U, ran.shown);
}

BOOST_AUTO_TEST_CASE(names_the_member_that_was_lost_not_those_that_follow) {
  // The others notice the loss, as real members do, and end with 75.
  const FakePrograms fake(
      kListen + "\n" + "while [ ! -e $(dirname $2)/lost ]; do sleep 0.01; done; exit 75",
      R"(if [ $index = 1 ]; then touch $(dirname $2)/lost; kill -KILL $$; fi
while [ ! -e $(dirname $2)/lost ]; do sleep 0.01; done; exit 75)");

  const auto ran = supervise(optionsFor(fake, 1, 3));

  BOOST_TEST(toInt(ran.result.code) == 75);
  BOOST_REQUIRE(ran.result.failure.has_value());
  BOOST_TEST((ran.result.failure->slot == Slot{Role::kWorker, 1}));
  BOOST_TEST(ran.result.failure->ending.signal == SIGKILL);
}

BOOST_AUTO_TEST_CASE(passes_on_the_code_of_a_bad_job) {
  const FakePrograms fake("echo cannot read the data; exit 78", "");

  const auto ran = supervise(optionsFor(fake, 1, 1));

  BOOST_TEST(toInt(ran.result.code) == 78);
  BOOST_TEST(contentOf(fake.output() / "server-0.log") == "cannot read the data\n");
}

BOOST_AUTO_TEST_CASE(says_which_program_is_missing) {
  const FakePrograms fake(kListen + "\n" + "read forever", "");
  std::filesystem::remove(fake.programs() / "sumac-worker");

  const auto ran = supervise(optionsFor(fake, 1, 1));

  BOOST_TEST(toInt(ran.result.code) == 1);
  BOOST_REQUIRE(ran.result.failure.has_value());
  BOOST_TEST(ran.result.failure->text().find("sumac-worker: No such file") != std::string::npos,
             ran.result.failure->text());
}

BOOST_AUTO_TEST_CASE(ignores_hostile_progress) {
  const FakePrograms fake(kListen + R"(
head -c 300000 /dev/zero | tr '\0' x >&4
printf '\n\033[2Jboo\n[[[[\n{"event":"progress"}\n' >&4)",
                          "");

  const auto ran = supervise(optionsFor(fake, 1, 1));

  BOOST_TEST(toInt(ran.result.code) == 0);
  BOOST_TEST(ran.shown.empty());
}

BOOST_AUTO_TEST_CASE(leaves_no_process_behind_when_it_is_killed) {
  const FakePrograms fake(kListen + "\n" + kUp + kForever, kUp + kForever);
  Supervised supervised(optionsFor(fake, 2, 3));
  supervised.awaitBytes(5);

  ::kill(supervised.pid(), SIGKILL);

  supervised.awaitEndOfAll();
  supervised.awaitExitStatus();
}

BOOST_AUTO_TEST_CASE(stops_all_members_at_the_first_signal) {
  const std::string script = "trap 'exit 143' TERM\n" + kUp + "while :; do sleep 0.01; done";
  const FakePrograms fake(kListen + "\n" + script, script);

  for (const auto& [signal, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    Supervised supervised(optionsFor(fake, 1, 2));
    supervised.awaitBytes(3);

    ::kill(supervised.pid(), signal);

    supervised.awaitEndOfAll();
    const int status = supervised.awaitExitStatus();
    BOOST_TEST(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == code);
  }
}

BOOST_AUTO_TEST_CASE(kills_at_the_second_signal_those_that_ignore_the_first) {
  // The shell keeps the ignored signal over exec.
  const std::string script = "trap '' TERM\n" + kUp + kForever;
  const FakePrograms fake(kListen + "\n" + script, script);
  Supervised supervised(optionsFor(fake, 1, 1));
  supervised.awaitBytes(2);

  ::kill(supervised.pid(), SIGINT);
  ::kill(supervised.pid(), SIGTERM);

  supervised.awaitEndOfAll();
  BOOST_TEST(WEXITSTATUS(supervised.awaitExitStatus()) == 130);
}

BOOST_AUTO_TEST_CASE(hides_variables_that_would_change_a_member_s_flags) {
  const FakePrograms fake(kListen, "echo $SUMAC_WORKERS-$SUMAC_LOG_FORMAT-$SUMAC_KERNELS");
  ::setenv("SUMAC_WORKERS", "7", 1);
  ::setenv("SUMAC_LOG_FORMAT", "odd", 1);
  ::setenv("SUMAC_KERNELS", "avx2", 1);

  supervise(optionsFor(fake, 1, 1));

  ::unsetenv("SUMAC_WORKERS");
  ::unsetenv("SUMAC_LOG_FORMAT");
  ::unsetenv("SUMAC_KERNELS");
  BOOST_TEST(contentOf(fake.output() / "worker-0.log") == "--avx2\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::local_job_test
