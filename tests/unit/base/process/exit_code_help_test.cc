#include "base/process/exit_code_help.h"

#include <boost/test/unit_test.hpp>

namespace sumac::exit_code_help_test {

BOOST_AUTO_TEST_SUITE(exit_code_help)

BOOST_AUTO_TEST_CASE(has_one_line_a_code_with_the_programs_own_text_where_it_has_one) {
  BOOST_TEST(exitCodeHelp({{ExitCode::kDone, "the job is complete"}, ExitCode::kUsage}) ==
             "Exit codes:\n    0  the job is complete\n    2  invalid command line");
}

BOOST_AUTO_TEST_CASE(explains_every_code) {
  for (const ExitCode code :
       {ExitCode::kDone, ExitCode::kFailed, ExitCode::kUsage, ExitCode::kLostPeers,
        ExitCode::kBadConfiguration, ExitCode::kInterrupted, ExitCode::kBrokenInvariant,
        ExitCode::kStopped}) {
    const std::string help = exitCodeHelp({code});
    BOOST_TEST(!help.ends_with("  "), help);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::exit_code_help_test
