#include "common/process/process_end.h"

#include <new>
#include <sstream>
#include <stdexcept>

#include <boost/test/unit_test.hpp>

#include "common/base/check.h"
#include "common/base/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::process_end_test {
namespace {

/// How a body that throws `exception` ends.
template <typename Exception>
ProcessEnd endOf(const Exception& exception) {
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
  BOOST_TEST(toInt(endOf(std::runtime_error("disk full")).code) == 1);
  BOOST_TEST(endOf(std::runtime_error("disk full")).reason == "disk full");
  BOOST_TEST(toInt(endOf(std::bad_alloc()).code) == 1);
  BOOST_TEST(endOf(std::bad_alloc()).reason == "out of memory: buy more");
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
  BOOST_TEST(err.str().starts_with("error: cannot write to standard output"), err.str());
  BOOST_TEST(endOfOutput(78, out, err) == 78);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::process_end_test
