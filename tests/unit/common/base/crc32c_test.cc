#include "common/base/crc32c.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::crc32c_test {

BOOST_AUTO_TEST_SUITE(crc32c_checksum)

BOOST_AUTO_TEST_CASE(gives_the_check_value_of_its_definition) {
  BOOST_TEST(crc32c(asBytes("123456789")) == 0xE3069283U);  // RFC 3720, B.4
}

BOOST_AUTO_TEST_CASE(of_nothing_is_zero) {
  BOOST_TEST(crc32c({}) == 0U);
}

BOOST_AUTO_TEST_CASE(of_two_pieces_is_that_of_the_whole_at_every_cut) {
  const std::string text = "a text that is longer than a few machine words";

  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const auto left = crc32c(asBytes(std::string_view(text).substr(0, cut)));
    BOOST_TEST(crc32c(asBytes(std::string_view(text).substr(cut)), left) == crc32c(asBytes(text)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::crc32c_test
