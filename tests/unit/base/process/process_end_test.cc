#include "base/process/process_end.h"

#include <cerrno>
#include <new>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "base/core/file.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::process_end_test {
namespace {

/// How a body that throws `exception` ends.
template <typename Exception>
ProcessEnd endBy(const Exception& exception) {
  return runToEnd([&]() -> ProcessEnd { throw exception; }, "out of memory: buy more");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_end)

BOOST_AUTO_TEST_CASE(is_what_the_body_returns) {
  const ProcessEnd end = runToEnd([] { return ProcessEnd{ExitCode::kLostPeers, "worker 1"}; });

  BOOST_TEST(toInt(end.code) == 75);
  BOOST_TEST(end.reason == "worker 1");
}

BOOST_AUTO_TEST_CASE(tells_bugs_of_ours_from_failures) {
  const ProcessEnd bug = runToEnd([]() -> ProcessEnd {
    SUMAC_CHECK(1 > 2, 7);
    return {};
  });

  BOOST_TEST(toInt(bug.code) == 134);
  BOOST_TEST(bug.reason.find("broken invariant: 1 > 2") == 0U, bug.reason);
  BOOST_TEST(bug.reason.find("please report") != std::string::npos, bug.reason);
  BOOST_TEST(toInt(endBy(std::runtime_error("odd")).code) == 1);
  BOOST_TEST(endBy(std::runtime_error("odd")).reason == "odd");
}

BOOST_AUTO_TEST_CASE(tells_a_machine_that_fails_from_what_would_fail_again) {
  BOOST_TEST(toInt(endBy(std::bad_alloc()).code) == 74);
  BOOST_TEST(endBy(std::bad_alloc()).reason == "out of memory: buy more");
  const std::system_error no_thread(EAGAIN, std::generic_category());  // of std::thread
  BOOST_TEST(toInt(endBy(no_thread).code) == 74);
  test::checkGolden("base/process/no_thread.txt", endBy(no_thread).reason + "\n");

  const Error error{ErrorCode::kUnavailable, "cannot read /data/train.txt"};
  BOOST_TEST(toInt(endOf(error, ExitCode::kFailed).code) == 74);
  BOOST_TEST(endOf(error, ExitCode::kFailed).reason == error.message);
  for (const ErrorCode code : {ErrorCode::kInvalid, ErrorCode::kNotFound, ErrorCode::kDenied})
    BOOST_TEST(toInt(endOf({code, "bad"}, ExitCode::kBadConfiguration).code) == 78);
}

BOOST_AUTO_TEST_CASE(of_a_resource_that_fails_where_nobody_catches_is_no_bug) {
  const pid_t child = ::fork();
  if (child == 0) {
    reportFailedResources();
    const auto fail = [] { throw std::bad_alloc(); };
    [&fail]() noexcept { fail(); }();
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);

  BOOST_TEST(WIFEXITED(status));
  BOOST_TEST(WEXITSTATUS(status) == 74);
}

BOOST_AUTO_TEST_CASE(is_not_a_file_that_grows_too_large) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    reportFailedResources();
    const rlimit low{4, 4};
    ::setrlimit(RLIMIT_FSIZE, &low);
    const auto written = createFile(folder / "large", asBytes(std::string("five!")));
    const bool is_told = !written && written.error().message.ends_with(": File too large") &&
                         written.error().code == ErrorCode::kUnavailable;
    ::_exit(is_told ? 0 : 1);
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);

  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(is_logged_and_written_to_the_termination_file) {
  const TemporaryFolder folder;
  const Log log = Log::toFile(folder / "log", LogLevel::kInfo).value();

  const int status =
      reportEnd({ExitCode::kBadConfiguration, "no such field"}, log, folder / "termination");

  BOOST_TEST(status == 78);
  BOOST_TEST(readTextFile(folder / "termination", 100).value() == "no such field");
  const std::string line = readTextFile(folder / "log", 1000).value();
  BOOST_TEST(line.ends_with("error \"ended\" code=78 error=\"no such field\"\n"), line);
}

BOOST_AUTO_TEST_CASE(a_result_is_not_logged) {
  const TemporaryFolder folder;
  const Log log = Log::toFile(folder / "log", LogLevel::kInfo).value();

  BOOST_TEST(reportEnd({ExitCode::kDone, "{}"}, log) == 0);

  const std::string line = readTextFile(folder / "log", 1000).value();
  BOOST_TEST(line.ends_with("info \"done\" code=0\n"), line);
}

BOOST_AUTO_TEST_CASE(of_a_command_whose_output_cannot_be_written_is_a_failure) {
  std::ostringstream out;
  std::ostringstream err;
  BOOST_TEST(endOfOutput(0, out, err) == 0);
  BOOST_TEST(err.str() == "");

  out.setstate(std::ios::badbit);
  BOOST_TEST(endOfOutput(0, out, err) == 1);
  test::checkGolden("base/process/unwritten_output.txt", err.str());
  BOOST_TEST(endOfOutput(78, out, err) == 78);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::process_end_test
