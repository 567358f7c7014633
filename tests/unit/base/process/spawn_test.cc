#include "base/process/spawn.h"

#include <csignal>
#include <string>

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::spawn_test {
namespace {

/// Shell scripts as child programs, and what they print.
struct Fixture {
  ChildProgram script(const std::string& text) const {
    ChildProgram child;
    child.program = "/bin/sh";
    child.arguments = {"-c", text};
    child.descriptors = {{STDOUT_FILENO, output.get()}};
    return child;
  }

  std::string run(const ChildProgram& child) const {
    const auto pid = startProgram(child);
    BOOST_REQUIRE(pid.has_value());
    int status = 0;
    ::waitpid(*pid, &status, 0);
    const auto text = readTextFile(folder / "output", 1 << 16);
    BOOST_REQUIRE(text.has_value());
    return *text;
  }

  TemporaryFolder folder;
  Descriptor output = openToAppend(folder / "output").value();
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(spawn, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(reads_nothing_and_has_our_environment_unless_told_otherwise) {
  BOOST_REQUIRE(::setenv("SUMAC_TEST_GREETING", "hello", 1) == 0);
  const auto child = script("cat; echo $SUMAC_TEST_GREETING");

  BOOST_TEST(run(child) == "hello\n");

  auto other = child;
  other.variables = {{"PATH", "/usr/bin:/bin"}, {"SUMAC_TEST_GREETING", "goodbye"}};
  BOOST_TEST(run(other) == "hello\ngoodbye\n");
  ::unsetenv("SUMAC_TEST_GREETING");
}

BOOST_AUTO_TEST_CASE(gets_the_descriptors_that_are_named_and_no_other) {
  const Descriptor stranger(::fcntl(STDERR_FILENO, F_DUPFD, 20));  // does not close on exec
  const Descriptor hole(::fcntl(STDERR_FILENO, F_DUPFD, 4));
  auto child = script("echo five >&5; for n in 3 4 6 " + std::to_string(stranger.get()) +
                      "; do test -e /proc/self/fd/$n && echo $n is open; done; true");
  child.descriptors.emplace(5, output.get());

  BOOST_TEST(run(child) == "five\n");
}

BOOST_AUTO_TEST_CASE(can_swap_descriptors) {
  auto child = script("echo to stdout; echo to stderr >&2");
  const Descriptor other = openToAppend(folder / "other").value();
  child.descriptors = {{STDOUT_FILENO, other.get()}, {STDERR_FILENO, output.get()}};

  BOOST_TEST(run(child) == "to stderr\n");
  BOOST_TEST(readTextFile(folder / "other", 100).value() == "to stdout\n");
}

BOOST_AUTO_TEST_CASE(blocks_and_ignores_no_signal) {
  sigset_t signals;
  sigset_t before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  const auto old_size = std::signal(SIGXFSZ, SIG_IGN);

  const std::string text = run(script("grep -E '^Sig(Blk|Ign)' /proc/self/status | cut -f2"));

  std::signal(SIGPIPE, old);
  std::signal(SIGXFSZ, old_size);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  BOOST_REQUIRE(text.size() > 17);
  BOOST_TEST(text.substr(0, 17) == "0000000000000000\n");
  const auto ignored = std::stoull(text.substr(17), nullptr, 16);
  BOOST_TEST((ignored >> (SIGPIPE - 1) & 1U) == 0U);
  BOOST_TEST((ignored >> (SIGXFSZ - 1) & 1U) == 0U);
}

BOOST_AUTO_TEST_CASE(is_in_a_group_of_its_own_where_wanted) {
  auto child = script("cut -d ' ' -f 5 /proc/$$/stat");
  child.has_own_group = false;

  BOOST_TEST(run(child) == std::to_string(::getpgrp()) + "\n");
}

BOOST_AUTO_TEST_CASE(says_why_it_cannot_start) {
  ChildProgram child;
  child.program = "/no/such/program";

  const auto missing = startProgram(child);
  child.program = folder.path();
  const auto folder_instead = startProgram(child);

  BOOST_REQUIRE(!missing);
  BOOST_TEST(missing.error().code == ErrorCode::kNotFound);
  BOOST_TEST(missing.error().message.find("/no/such/program") != std::string::npos);
  BOOST_REQUIRE(!folder_instead);
  BOOST_TEST(folder_instead.error().code == ErrorCode::kUnavailable);
  BOOST_TEST(::waitpid(-1, nullptr, WNOHANG) == -1);  // nothing is left to wait for
}

BOOST_AUTO_TEST_CASE(says_that_the_limit_of_open_files_is_too_low) {
  rlimit before{};
  BOOST_TEST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = 20;
  BOOST_TEST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);

  ChildProgram child;
  child.program = "/bin/true";
  const auto started = startProgram(child);

  BOOST_TEST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  BOOST_TEST_REQUIRE(!started);
  BOOST_TEST(started.error().message.find("`ulimit -n 1024`") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(becoming_a_program_that_does_not_exist_fails) {
  const Error error = becomeProgram("/no/such/program", {"a"});

  BOOST_TEST(error.code == ErrorCode::kNotFound);
  BOOST_TEST(error.message.find("/no/such/program") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pipe_does_not_block_its_reader) {
  const Pipe pipe = makePipe().value();
  char byte = 0;

  BOOST_TEST(::read(pipe.read.get(), &byte, 1) == -1);
  BOOST_TEST(::write(pipe.write.get(), "x", 1) == 1);
  BOOST_TEST(::read(pipe.read.get(), &byte, 1) == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::spawn_test
