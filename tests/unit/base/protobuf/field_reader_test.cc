#include "base/protobuf/field_reader.h"

#include <bit>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/protobuf/message.h"

namespace sumac::protobuf::field_reader_test {
namespace {

Bytes sample() {
  Message inner;
  inner.addText(1, "tag");
  Message message;
  message.addNumber(1, -1);
  message.addFloat(2, 0.5F);
  message.addDouble(3, 1e300);
  message.addMessage(4, inner);
  message.addNumber((1 << 29) - 1, 300);
  return message.bytes();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(protobuf_field_reader)

BOOST_AUTO_TEST_CASE(reads_the_fields_that_a_message_was_given) {
  const Bytes bytes = sample();
  FieldReader reader(bytes);

  const auto number = reader.next();
  BOOST_TEST_REQUIRE(number.has_value());
  BOOST_TEST(number->number == 1);
  BOOST_TEST(static_cast<std::int64_t>(number->value) == -1);
  const auto single = reader.next();
  BOOST_TEST(std::bit_cast<float>(static_cast<std::uint32_t>(single->value)) == 0.5F);
  const auto twice = reader.next();
  BOOST_TEST(std::bit_cast<double>(twice->value) == 1e300);
  const auto inner = reader.next();
  FieldReader within(inner->bytes);
  BOOST_TEST(asText(within.next()->bytes) == "tag");
  BOOST_TEST(reader.next()->number == (1 << 29) - 1);
  BOOST_TEST(!reader.next().has_value());
  BOOST_TEST(!reader.isMalformed());
}

BOOST_AUTO_TEST_CASE(ends_where_a_message_is_cut_within_a_field) {
  const Bytes whole = sample();
  std::vector<std::size_t> ends{0};  // of fields
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    FieldReader reader(BytesView(whole).first(size));
    std::size_t fields = 0;
    while (reader.next())
      ++fields;
    BOOST_TEST(fields <= 5U);
    BOOST_TEST((reader.isMalformed() || fields == ends.size()), size);
    if (!reader.isMalformed()) ends.push_back(size);
  }
  BOOST_TEST(ends.size() == 6U);
}

BOOST_AUTO_TEST_CASE(what_is_no_field_ends_the_reading) {
  const std::vector<std::string> wrong{
      std::string("\x00\x01", 2),                          // number 0
      "\x0b",                                              // a group
      "\x0f",                                              // wire type 7
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  // a varint of eleven bytes
      "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f",          // longer than the message
      "\xff\xff\xff\xff\xff\x01\x01"};                     // a number of more than 29 bits
  for (const std::string& text : wrong) {
    FieldReader reader(asBytes(text));
    BOOST_TEST(!reader.next().has_value());
    BOOST_TEST(reader.isMalformed());
    BOOST_TEST(!reader.next().has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::protobuf::field_reader_test
