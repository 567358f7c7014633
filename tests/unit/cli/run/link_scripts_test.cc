#include "cli/run/link_scripts.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::cli::link_scripts_test {
namespace {

std::vector<LinkScript> scripts(int members) {
  return linkScripts(members, 100'000'000,
                     [](int member) { return "/ns/" + std::to_string(member); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(link_scripts)

BOOST_AUTO_TEST_CASE(each_member_has_an_address_of_its_own) {
  BOOST_TEST(linkAddress(0) == "10.77.0.1");
  BOOST_TEST(linkAddress(254) == "10.77.0.255");
  BOOST_TEST(linkAddress(255) == "10.77.1.0");
  BOOST_TEST(linkAddress(kMostLinks - 1) == "10.77.3.232");
}

BOOST_AUTO_TEST_CASE(the_hub_comes_first_and_what_leaves_either_end_is_limited) {
  test::Transcript all;
  for (const LinkScript& script : scripts(2)) {
    const std::string place =
        script.place == kHub ? "hub" : "member " + std::to_string(script.place);
    all.add(place + ": " + script.program, script.lines);
  }
  test::checkGolden("cli/run/link_scripts.txt", all.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::link_scripts_test
