#include "base/protobuf/message.h"

#include <cstdint>
#include <limits>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/support/protobuf_fields.h"

namespace sumac::protobuf::message_test {
namespace {

/// "08 96 01".
std::string hex(const Message& message) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : message.bytes()) {
    const auto value = std::to_integer<unsigned>(byte);
    if (!text.empty()) text += ' ';
    text += kDigits[value / 16];
    text += kDigits[value % 16];
  }
  return text;
}

Message number(int field, std::int64_t value) {
  Message message;
  message.addNumber(field, value);
  return message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(protobuf_message)

// The bytes are those of protobuf.dev/programming-guides/encoding, or worked out by hand from it.
BOOST_AUTO_TEST_CASE(writes_numbers_seven_bits_a_byte) {
  BOOST_TEST(hex(number(1, 0)) == "08 00");
  BOOST_TEST(hex(number(1, 127)) == "08 7f");
  BOOST_TEST(hex(number(1, 128)) == "08 80 01");
  BOOST_TEST(hex(number(1, 150)) == "08 96 01");
  BOOST_TEST(hex(number(15, 1)) == "78 01");
  BOOST_TEST(hex(number(16, 1)) == "80 01 01");
  BOOST_TEST(hex(number(2, -1)) == "10 ff ff ff ff ff ff ff ff ff 01");
  BOOST_TEST(hex(number(2, std::numeric_limits<std::int64_t>::max())) ==
             "10 ff ff ff ff ff ff ff ff 7f");
}

BOOST_AUTO_TEST_CASE(writes_floats_and_text) {
  Message message;
  message.addFloat(1, 1.0F);
  message.addText(2, "testing");
  message.addText(3, "");
  BOOST_TEST(hex(message) == "0d 00 00 80 3f 12 07 74 65 73 74 69 6e 67 1a 00");
  BOOST_TEST(message.size() == 16U);
}

BOOST_AUTO_TEST_CASE(writes_messages_inside_messages_with_their_length) {
  Message outer;
  outer.addMessage(3, number(1, 150));
  BOOST_TEST(hex(outer) == "1a 03 08 96 01");
  Message outermost;
  outermost.addMessage(1, outer);
  outermost.addMessage(2, Message());
  BOOST_TEST(hex(outermost) == "0a 05 1a 03 08 96 01 12 00");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_copied_come_where_they_were_added) {
  const std::string first(200, 'a');
  const std::string second = "bc";
  Message inner;
  inner.addNumber(1, 7);
  inner.addView(2, asBytes(first));
  inner.addView(2, asBytes(second));
  inner.addNumber(3, 8);
  Message outer;
  outer.addText(1, "x");
  outer.addView(4, asBytes(second));
  outer.addMessage(5, inner);
  outer.addNumber(6, 9);

  const Bytes bytes = outer.bytes();
  BOOST_TEST(outer.size() == bytes.size());
  const ProtobufFields fields(bytes);
  BOOST_TEST(fields.only(1).text() == "x");
  BOOST_TEST(fields.only(4).text() == "bc");
  BOOST_TEST(fields.only(6).value == 9U);
  const ProtobufFields within(fields.only(5).bytes);
  BOOST_TEST(within.only(1).value == 7U);
  BOOST_TEST(within.of(2).at(0).text() == first);
  BOOST_TEST(within.of(2).at(1).text() == second);
  BOOST_TEST(within.only(3).value == 8U);
}

BOOST_AUTO_TEST_CASE(a_number_that_no_field_may_have_is_our_bug) {
  Message message;
  BOOST_CHECK_THROW(message.addNumber(0, 1), InvariantViolation);
  BOOST_CHECK_THROW(message.addNumber(1 << 29, 1), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::protobuf::message_test
