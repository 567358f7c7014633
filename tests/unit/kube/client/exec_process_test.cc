#include "kube/client/exec_process.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/kube/client/kube_environment.h"

namespace sumac::kube::exec_process_test {

namespace {

/// A real program.
struct ProcessFixture : TestEnvironment {
  ExecProcess script(const std::string& text) {
    return {.program = "/bin/sh",
            .arguments = {"-c", text},
            .variables = {{"PATH", "/usr/bin:/bin"}, {"GREETING", "hello"}},
            .has_input = false};
  }

  std::string run(const ExecProcess& process, const ExecLimits& limits = {}) {
    const auto output = runProcess(process, limits, clock);
    return output ? *output : "error: " + output.error().message;
  }

  static bool isAlive(int pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(stat, line);
    return !line.empty() && line.find(") Z") == line.npos && line.find(") X") == line.npos;
  }

  SystemClock clock;
};

/// Stands still until it was asked twice, and is two hours later then.
class JumpingClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(std::chrono::hours(calls_++ < 2 ? 0 : 2)); }

 private:
  mutable int calls_ = 0;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(exec_process, ProcessFixture, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(returns_what_was_printed_with_the_variables_that_were_given) {
  BOOST_TEST(run(script("printf '%s %s' \"$GREETING\" \"${HOME-none}\"")) == "hello none");
}

BOOST_AUTO_TEST_CASE(has_no_input_unless_asked) {
  BOOST_TEST(run(script("cat; echo end")) == "end\n");
}

BOOST_AUTO_TEST_CASE(gets_nothing_of_what_we_have_open) {
  const int open = ::dup(STDERR_FILENO);
  BOOST_REQUIRE(open > STDERR_FILENO);

  const std::string seen =
      run(script("test -e /proc/self/fd/" + std::to_string(open) + " && echo open || echo closed"));

  ::close(open);
  BOOST_TEST(seen == "closed\n");
}

BOOST_AUTO_TEST_CASE(says_how_the_program_ended_and_kills_what_prints_too_much) {
  test::Transcript said;
  for (const std::string text :
       {"echo partial; exit 3", "kill -9 $$", "while :; do echo 0123456789; done"})
    said.add(text, run(script(text), {.output = 1000}));
  test::checkGolden("kube/client/exec_process.txt", said.text());
}

BOOST_AUTO_TEST_CASE(kills_what_takes_too_long_and_its_children) {
  const auto pids = folder / "pids";
  const ExecProcess process =
      script("tail -f /dev/null & echo $! > '" + pids.string() + "'; echo started; wait");

  // The clock is asked for the deadline, before the wait for the output, and after it.
  const auto output = runProcess(process, {.time = std::chrono::hours(1)}, JumpingClock());

  BOOST_REQUIRE(!output);
  BOOST_TEST(output.error().message.ends_with(" 60 min"));

  int child = 0;
  std::ifstream(pids) >> child;
  BOOST_REQUIRE(child > 0);
  // Killed, it is gone soon, or a zombie that nobody has collected yet; else the test times out.
  while (isAlive(child))
    std::this_thread::yield();
}

BOOST_AUTO_TEST_CASE(does_not_wait_for_a_child_that_holds_the_output_open) {
  const std::string output = run(script("tail -f /dev/null & echo $!"));

  const int child = std::atoi(output.c_str());
  BOOST_REQUIRE(child > 0);
  BOOST_TEST(::kill(child, SIGKILL) == 0);
}

BOOST_AUTO_TEST_CASE(says_that_a_program_does_not_exist) {
  ExecProcess process;
  process.program = "/no/such/program";

  const auto output = runProcess(process, {}, clock);

  BOOST_REQUIRE(!output);
  BOOST_TEST(output.error().code == ErrorCode::kNotFound);
}

BOOST_AUTO_TEST_CASE(finds_programs_in_absolute_folders_of_the_path_only) {
  const auto program = write("tool", "#!/bin/sh\n");
  write("data", "not executable");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = ".::/nowhere:" + folder.path().string();

  BOOST_TEST(findProgram("tool", path) == program.string());
  BOOST_TEST(findProgram("data", path) == "");
  BOOST_TEST(findProgram("tool", "") == "");
  BOOST_TEST(findProgram("./tool", path) == "./tool");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::exec_process_test
