#include "cli/run/link_scripts.h"

#include <boost/test/unit_test.hpp>

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

BOOST_AUTO_TEST_CASE(the_hub_comes_first_and_holds_a_port_for_each_member) {
  const auto all = scripts(2);
  BOOST_REQUIRE(all.size() == 6);
  BOOST_TEST(all[0].place == kHub);
  BOOST_TEST(all[0].program == "ip");
  BOOST_TEST(all[0].lines ==
             "link add hub type bridge stp_state 0 forward_delay 0\n"
             "link set hub up\n"
             "link add port0 type veth peer name eth0 netns /ns/0\n"
             "link set port0 master hub up\n"
             "link add port1 type veth peer name eth0 netns /ns/1\n"
             "link set port1 master hub up\n");
  BOOST_TEST(all[4].place == 1);
  BOOST_TEST(all[4].lines ==
             "link set lo up\naddress add 10.77.0.2/16 dev eth0\nlink set eth0 up\n"
             "route replace 10.77.0.0/16 dev eth0 proto kernel scope link src 10.77.0.2 cwnd lock "
             "64\n");
}

BOOST_AUTO_TEST_CASE(what_leaves_either_end_is_limited) {
  const std::string limit = " root tbf rate 100000000bit burst 262144 limit 1048576\n";
  const auto all = scripts(2);
  BOOST_TEST(all[1].program == "tc");
  BOOST_TEST(all[1].lines == "qdisc replace dev port0" + limit + "qdisc replace dev port1" + limit);
  BOOST_TEST(all[3].place == 0);
  BOOST_TEST(all[3].program == "tc");
  BOOST_TEST(all[3].lines == "qdisc replace dev eth0" + limit);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::link_scripts_test
