#include "cli/bench/size_text.h"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::cli::size_text_test {
namespace {

namespace data = boost::unit_test::data;

struct Size {
  const char* text;
  std::int64_t bytes;
};
std::ostream& operator<<(std::ostream& out, const Size& size) {
  return out << size.text;
}

const std::vector<Size> kSizes{{"0", 0},          {"248000", 248'000},    {"4kB", 4'000},
                               {"4 kB", 4'000},   {"64MB", 64'000'000},   {"1MiB", 1'048'576},
                               {"64KiB", 65'536}, {"1GB", 1'000'000'000}, {"8B", 8}};

}  // namespace

BOOST_AUTO_TEST_SUITE(size_text)

BOOST_DATA_TEST_CASE(reads_bytes_with_and_without_a_unit, data::make(kSizes), size) {
  const auto bytes = bytesFromText(size.text);

  BOOST_REQUIRE(bytes.has_value());
  BOOST_TEST(*bytes == size.bytes);
}

BOOST_DATA_TEST_CASE(rejects_what_is_no_size,
                     data::make({"", "kB", "-4kB", "4 k B", "4KB", "4kBs", "1.5MB", "0x10",
                                 "99999999999999999999", "9000000000000000GB"}),
                     text) {
  const auto bytes = bytesFromText(text);

  BOOST_REQUIRE(!bytes.has_value());
  BOOST_TEST(bytes.error().message.find("is no size") != std::string::npos);
}

BOOST_DATA_TEST_CASE(shows_a_size_in_the_largest_unit_that_divides_it,
                     data::make({4'000, 248'000, 64'000'000, 1'048'576, 1'000'000'000, 1'001, 0}) ^
                         data::make({"4 kB", "248 kB", "64 MB", "1 MiB", "1 GB", "1001 B", "0 B"}),
                     bytes, text) {
  BOOST_TEST(sizeText(bytes) == text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::size_text_test
