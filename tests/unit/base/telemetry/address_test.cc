#include "base/telemetry/address.h"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::address_test {
namespace {

struct Case {
  const char* text;
  const char* host;
  int port;
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.text;
}

const std::vector<Case> kGood = {{"127.0.0.1:7071", "127.0.0.1", 7071},
                                 {"[fd00::1]:7071", "fd00::1", 7071},
                                 {"fd00::1:7071", "fd00::1", 7071},
                                 {":0", "::", 0},
                                 {"[::]:65535", "::", 65535}};

const std::vector<const char*> kBad = {
    "",           "127.0.0.1",     "127.0.0.1:",     "127.0.0.1:x",
    "1.2.3.4:-1", "1.2.3.4:65536", "localhost:7071", "[::1:7071",
    "::1]:7071",  "1.2.3.4:80 ",   "1.2.3:7071"};

}  // namespace

BOOST_AUTO_TEST_SUITE(address)

BOOST_DATA_TEST_CASE(reads_host_and_port, kGood) {
  const auto read = parseAddress(sample.text);

  BOOST_REQUIRE(read);
  BOOST_TEST(read->host == sample.host);
  BOOST_TEST(read->port == sample.port);
}

BOOST_DATA_TEST_CASE(refuses_what_is_no_address_and_shows_the_form, kBad) {
  const auto read = parseAddress(sample);

  BOOST_REQUIRE(!read);
  BOOST_TEST(read.error().code == ErrorCode::kInvalid);
  BOOST_TEST(read.error().message.find("HOST:PORT") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(is_written_with_brackets_where_they_are_needed) {
  BOOST_TEST((Address{"127.0.0.1", 7071}).text() == "127.0.0.1:7071");
  BOOST_TEST((Address{"::1", 80}).text() == "[::1]:80");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::address_test
