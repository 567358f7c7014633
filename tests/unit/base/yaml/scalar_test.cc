#include "base/yaml/scalar.h"

#include <limits>
#include <string>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::yaml::scalar_test {

namespace {

Node integerNode(const std::string& text) {
  Node node;
  node.kind = Kind::kInteger;
  node.text = text;
  return node;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(scalar)

BOOST_DATA_TEST_CASE(words_of_yaml_1_1_are_booleans,
                     boost::unit_test::data::make({"true", "True", "TRUE", "yes", "Yes", "YES", "y",
                                                   "Y", "on", "On", "ON", "false", "no", "n", "N",
                                                   "off", "OFF"}),
                     word) {
  BOOST_TEST((plainKind(word) == Kind::kBoolean));
}

BOOST_DATA_TEST_CASE(integers_are_those_of_go_with_base_0,
                     boost::unit_test::data::make({"0", "7", "-3", "+3", "0x1F", "0o17", "017",
                                                   "0b101", "1_000", "-0x10"}),
                     text) {
  BOOST_TEST((plainKind(text) == Kind::kInteger));
}

BOOST_DATA_TEST_CASE(decimals_have_a_point_or_an_exponent_or_no_other_meaning,
                     boost::unit_test::data::make({"0.1", ".5", "5.", "1e3", "-1.5E-7", "08",
                                                   "99999999999999999999", "+.5", ".inf", ".nan",
                                                   "1e-999", "-9223372036854775809"}),
                     text) {
  BOOST_TEST((plainKind(text) == Kind::kDecimal));
}

BOOST_DATA_TEST_CASE(everything_else_is_a_string,
                     boost::unit_test::data::make({"tRUE", "yES", "2026-11-21", "1.2.3", "0x", "-",
                                                   "+", ".", "1e", "e3", "0b2", "12a", "nil", "inf",
                                                   "_1", "1:30", "1e999", "-0x8000000000000001"}),
                     text) {
  BOOST_TEST((plainKind(text) == Kind::kString));
}

BOOST_DATA_TEST_CASE(nothing_is_null, boost::unit_test::data::make({"", "~", "null", "NULL"}),
                     text) {
  BOOST_TEST((plainKind(text) == Kind::kNull));
}

BOOST_AUTO_TEST_CASE(integers_have_the_value_that_go_gives_them) {
  BOOST_TEST(integerOf(integerNode("0x1F")).value() == 31);
  BOOST_TEST(integerOf(integerNode("010")).value() == 8);
  BOOST_TEST(integerOf(integerNode("0b101")).value() == 5);
  BOOST_TEST(integerOf(integerNode("-1_000")).value() == -1000);
  BOOST_TEST(integerOf(integerNode("9223372036854775807")).value() ==
             std::numeric_limits<std::int64_t>::max());
  BOOST_TEST(integerOf(integerNode("-9223372036854775808")).value() ==
             std::numeric_limits<std::int64_t>::min());
  BOOST_TEST(!integerOf(integerNode("9223372036854775808")).has_value());
  BOOST_TEST(!integerOf(integerNode("-9223372036854775809")).has_value());
}

BOOST_AUTO_TEST_CASE(integers_that_are_not_negative_have_64_bits) {
  BOOST_TEST(unsignedOf(integerNode("0xFFFFFFFFFFFFFFFF")).value() ==
             std::numeric_limits<std::uint64_t>::max());
  BOOST_TEST(!unsignedOf(integerNode("-1")).has_value());
}

BOOST_AUTO_TEST_CASE(a_quoted_number_has_no_integer_value) {
  Node node = integerNode("3");
  node.kind = Kind::kString;

  BOOST_TEST(!integerOf(node).has_value());
  BOOST_TEST(!booleanOf(node).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::yaml::scalar_test
