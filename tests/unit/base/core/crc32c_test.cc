#include "base/core/crc32c.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/crc32c_ways.h"

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

// RFC 3720, B.4
BOOST_AUTO_TEST_CASE(gives_the_values_of_the_iscsi_examples) {
  Bytes ascending(32);
  for (std::size_t i = 0; i < ascending.size(); ++i)
    ascending[i] = static_cast<std::byte>(i);
  for (const Crc32cWay of : crc32cWays()) {
    BOOST_TEST(of(Bytes(32), 0) == 0x8A9136AAU);
    BOOST_TEST(of(Bytes(32, std::byte{0xFF}), 0) == 0x62A8AB43U);
    BOOST_TEST(of(ascending, 0) == 0x46DD794EU);
  }
}

// Every length around those from which on more is computed at once, and every alignment.
BOOST_AUTO_TEST_CASE(every_way_gives_what_the_table_gives) {
  Bytes data(16'000);
  std::uint32_t state = 1;
  for (std::byte& byte : data) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::byte>(state >> 24U);
  }
  for (const std::size_t around : {256U, 512U, 768U, 1536U, 6144U, 6912U, 12'288U}) {
    for (std::size_t size = around - 20; size <= around + 20; ++size) {
      const BytesView part = BytesView(data).subspan(size % 8, size);
      const std::uint32_t expected = crc32cPortable(part, 5);
      BOOST_TEST(crc32c(part, 5) == expected, size);
      for (const Crc32cWay of : crc32cWays())
        BOOST_TEST(of(part, 5) == expected, size);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::crc32c_test
