#include "base/core/installation.h"

#include <boost/test/unit_test.hpp>

namespace sumac::installation_test {

BOOST_AUTO_TEST_SUITE(installation)

BOOST_AUTO_TEST_CASE(has_all_parts_beside_the_folder_of_the_program) {
  const Installation expected{"/opt/sumac/bin", "/opt/sumac/lib/sumac", "/opt/sumac/share/sumac"};
  BOOST_TEST((installationOf("/opt/sumac/bin/sumac-worker") == expected));
}

BOOST_AUTO_TEST_CASE(of_a_folder_in_the_root_begins_with_the_root) {
  BOOST_TEST(installationOf("/bin/sumac").libraries == "/lib/sumac");
}

BOOST_AUTO_TEST_CASE(is_that_of_the_file_that_runs) {
  const auto ours = ourInstallation();
  BOOST_REQUIRE(ours);
  BOOST_TEST(ours->programs.is_absolute());
  BOOST_TEST(std::filesystem::exists(ours->programs / "sumac_base_core_unit_tests"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::installation_test
