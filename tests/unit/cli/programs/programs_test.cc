#include "cli/programs/programs.h"

#include <boost/test/unit_test.hpp>

namespace sumac::cli::programs_test {

BOOST_AUTO_TEST_SUITE(programs)

BOOST_AUTO_TEST_CASE(of_one_version_may_start_each_other) {
  BOOST_TEST(checkVersion({"/opt/a/sumac", "0.2.0"}, {"/opt/b/sumac-worker", "0.2.0"}).has_value());
}

BOOST_AUTO_TEST_CASE(of_two_versions_are_named_with_their_versions) {
  for (const char* const version : {"0.1.0", "0.2.0-rc1", "0.2", "", "what?"}) {
    const auto checked = checkVersion({"/opt/a/sumac", "0.2.0"}, {"/opt/b/sumac-worker", version});
    BOOST_REQUIRE(!checked);
    BOOST_TEST(checked.error().code == ErrorCode::kConflict);
    for (const char* const part : {"/opt/a/sumac", "0.2.0", "/opt/b/sumac-worker", version})
      BOOST_TEST(checked.error().message.find(part) != std::string::npos, part);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::programs_test
