#include "base/process/exit_code_help.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::exit_code_help_test {

BOOST_AUTO_TEST_SUITE(exit_code_help)

BOOST_AUTO_TEST_CASE(has_one_line_a_code_with_the_programs_own_text_where_it_has_one) {
  test::checkGolden(
      "base/process/exit_codes.txt",
      exitCodeHelp({ExitCode::kDone, ExitCode::kFailed, ExitCode::kUsage, ExitCode::kResourceFailed,
                    ExitCode::kLostPeers, ExitCode::kBadConfiguration, ExitCode::kInterrupted,
                    ExitCode::kBrokenInvariant, ExitCode::kStopped}) +
          "\n\n" + exitCodeHelp({{ExitCode::kDone, "own text"}, ExitCode::kUsage}) + "\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::exit_code_help_test
