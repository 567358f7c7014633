#include "exchange/link/endpoint.h"

#include <string>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::link::endpoint_test {
namespace {

const char* const kGood[] = {"tcp://127.0.0.1:7070", "tcp://job-server-0.job.ns.svc:7070",
                             "tcp://[fd00::1]:7070", "tcp://fd00::1:7070"};
const char* const kNone[] = {"",
                             "tcp://",
                             "tcp://a",
                             "tcp://:1",
                             "a:1",
                             "ipc://a:1",
                             "http://a:1",
                             "tcp://a:b",
                             "tcp://a:65536",
                             "tcp://a:1 ",
                             "tcp://[::1]",
                             "tcp://[::1:1",
                             "tcp://::1]:1",
                             "tcp://[a]:1",
                             "tcp://a:b:1",
                             "tcp://[]:1",
                             "tcp://[1.2.3.4]:1"};
const char* const kEvery[] = {"tcp://*:7070", "tcp://0.0.0.0:7070", "tcp://[::]:0", "tcp://:::0",
                              "tcp://[0::0]:0"};

}  // namespace

BOOST_AUTO_TEST_SUITE(endpoint)

BOOST_DATA_TEST_CASE(takes_a_host_and_a_port, kGood) {
  BOOST_TEST(bool(checkEndpoint(sample)));
  BOOST_TEST(bool(checkListenEndpoint(sample)));
}

BOOST_DATA_TEST_CASE(refuses_what_is_none_and_shows_the_form, kNone) {
  const auto checked = checkEndpoint(sample);

  BOOST_REQUIRE(!checked);
  BOOST_TEST(checked.error().message.find("tcp://HOST:PORT") != std::string::npos);
  BOOST_TEST(!checkListenEndpoint(sample));
}

BOOST_AUTO_TEST_CASE(lets_only_who_listens_leave_the_port_open) {
  BOOST_TEST(!checkEndpoint("tcp://127.0.0.1:0"));
  BOOST_TEST(bool(checkListenEndpoint("tcp://127.0.0.1:0")));
}

BOOST_DATA_TEST_CASE(refuses_to_listen_where_nobody_could_connect_to, kEvery) {
  const auto checked = checkListenEndpoint(sample);

  BOOST_REQUIRE(!checked);
  BOOST_TEST(checked.error().message.find("all addresses") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(tells_names_from_addresses_of_both_kinds) {
  BOOST_TEST((hostKind("tcp://127.0.0.1:1") == HostKind::kV4));
  BOOST_TEST((hostKind("tcp://[::1]:1") == HostKind::kV6));
  BOOST_TEST((hostKind("tcp://::1:1") == HostKind::kV6));
  BOOST_TEST((hostKind("tcp://fe80.example:1") == HostKind::kName));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::endpoint_test
