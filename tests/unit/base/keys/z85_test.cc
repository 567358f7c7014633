#include "base/keys/z85.h"

#include <array>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::z85_test {
namespace {

/// The test case of ZeroMQ RFC 32.
constexpr std::array<std::byte, 8> kBytes{std::byte{0x86}, std::byte{0x4F}, std::byte{0xD2},
                                          std::byte{0x6F}, std::byte{0xB5}, std::byte{0x59},
                                          std::byte{0xF7}, std::byte{0x5B}};
constexpr std::string_view kText = "HelloWorld";

}  // namespace

BOOST_AUTO_TEST_SUITE(z85)

BOOST_AUTO_TEST_CASE(writes_the_example_of_the_standard) {
  BOOST_TEST(encodeZ85(kBytes) == kText);
}

BOOST_AUTO_TEST_CASE(reads_the_example_of_the_standard) {
  std::array<std::byte, 8> bytes{};

  BOOST_REQUIRE(decodeZ85(kText, bytes));

  BOOST_TEST((bytes == kBytes));
}

BOOST_AUTO_TEST_CASE(brings_every_byte_back_at_every_place) {
  for (unsigned value = 0; value < 256; ++value) {
    for (std::size_t at = 0; at < 4; ++at) {
      std::array<std::byte, 4> bytes{};
      bytes[at] = static_cast<std::byte>(value);
      std::array<std::byte, 4> again{};
      BOOST_REQUIRE(decodeZ85(encodeZ85(bytes), again));
      BOOST_TEST((again == bytes), value);
    }
  }
}

BOOST_AUTO_TEST_CASE(takes_the_largest_number_and_refuses_the_next) {
  std::array<std::byte, 4> bytes{};

  BOOST_TEST(decodeZ85("%nSc0", bytes).has_value());
  BOOST_TEST((bytes == std::array{std::byte{255}, std::byte{255}, std::byte{255}, std::byte{255}}));
  BOOST_TEST(!decodeZ85("%nSc1", bytes).has_value());
  BOOST_TEST(!decodeZ85("#####", bytes).has_value());
}

BOOST_AUTO_TEST_CASE(refuses_every_other_length) {
  std::array<std::byte, 8> bytes{};
  for (const std::string_view text : {"", "Hello", "HelloWorl", "HelloWorldHello"}) {
    BOOST_TEST(!decodeZ85(text, bytes).has_value(), text);
  }
}

BOOST_AUTO_TEST_CASE(refuses_characters_that_are_none_of_its_own_and_does_not_repeat_them) {
  std::array<std::byte, 8> bytes{};
  for (const char foreign :
       {' ', '"', '\'', ',', ';', '\\', '_', '`', '|', '~', '\0', '\n', '\xC3'}) {
    std::string text(kText);
    text[7] = foreign;
    const auto decoded = decodeZ85(text, bytes);
    BOOST_REQUIRE(!decoded);
    test::checkGolden("base/keys/z85.txt", decoded.error().message + "\n");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::z85_test
