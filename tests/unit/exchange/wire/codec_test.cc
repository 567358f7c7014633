#include "exchange/wire/codec.h"

#include <algorithm>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/crc32c.h"

namespace sumac::wire::codec_test {
namespace {

/// Every field has a value of its own, so that none can stand in another's place.
Header aPush() {
  Header header;
  header.type = MessageType::kPush;
  header.job = 0x0807060504030201;
  header.term = 0x73727170;
  header.generation = 0x13121110;
  header.sender = Member{{Role::kWorker, 0x0E1514}, 0x1F1E1D1C1B1A1918};
  header.sequence = 0x2726252423222120;
  header.acknowledged = 0x2F2E2D2C2B2A2928;
  header.credit = 0x33323130;
  header.connection = 0x37363534;
  header.step = 0x3F3E3D3C3B3A3938;
  header.range = 0x43424140;
  header.first = 0x4F4E4D4C4B4A4948;
  header.count = 2;
  header.node = TreeNode{0x03626160, 0x67666564};
  header.value = 0x6F6E6D6C6B6A6968;
  return header;
}

Bytes twoValues() {
  Bytes payload(2 * sizeof(float));
  for (std::size_t i = 0; i < payload.size(); ++i)
    payload[i] = static_cast<std::byte>(i + 1);
  return payload;
}

std::string hex(BytesView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

/// What decode() refuses the frames for; the test fails when it accepts them.
Rejection rejectionOf(BytesView header, BytesView payload) {
  const auto decoded = decode(header, payload);
  BOOST_REQUIRE(std::holds_alternative<Rejection>(decoded));
  return std::get<Rejection>(decoded);
}

bool isAccepted(BytesView header, BytesView payload) {
  return std::holds_alternative<Header>(decode(header, payload));
}

/// Makes the checksum right again, as whoever writes nonsense on purpose would.
template <typename Frame>
Frame sealed(Frame frame) {
  const BytesView view(frame);
  const auto front = crc32c(view.first(124));
  storeLittleEndian(frame.data() + 124, crc32c(view.subspan(kHeaderSize), front));
  return frame;
}

void checkEqual(const Header& left, const Header& right) {
  BOOST_TEST(left.type == right.type);
  BOOST_TEST(left.job == right.job);
  BOOST_TEST(left.term == right.term);
  BOOST_TEST(left.generation == right.generation);
  BOOST_TEST(left.sender == right.sender);
  BOOST_TEST(left.sequence == right.sequence);
  BOOST_TEST(left.acknowledged == right.acknowledged);
  BOOST_TEST(left.credit == right.credit);
  BOOST_TEST(left.connection == right.connection);
  BOOST_TEST(left.step == right.step);
  BOOST_TEST(left.range == right.range);
  BOOST_TEST(left.first == right.first);
  BOOST_TEST(left.count == right.count);
  BOOST_TEST(left.codec == right.codec);
  BOOST_TEST(left.is_sparse == right.is_sparse);
  BOOST_TEST(left.node.begin == right.node.begin);
  BOOST_TEST(left.node.end == right.node.end);
  BOOST_TEST(left.value == right.value);
}

}  // namespace

constexpr int kFormerType = 21;  // of a version that is gone

BOOST_AUTO_TEST_SUITE(codec)

BOOST_AUTO_TEST_CASE(gives_back_every_field) {
  const auto decoded = decode(encode(aPush(), twoValues()), twoValues());

  BOOST_REQUIRE(std::holds_alternative<Header>(decoded));
  checkEqual(std::get<Header>(decoded), aPush());
}

BOOST_AUTO_TEST_CASE(gives_back_how_values_are_written) {
  for (const Codec codec : {Codec::kFp32, Codec::kBf16, Codec::kFp16}) {
    for (const bool is_sparse : {false, true}) {
      Header header = aPush();
      header.codec = codec;
      header.is_sparse = is_sparse;

      const auto decoded = decode(encode(header, twoValues()), twoValues());

      BOOST_REQUIRE(std::holds_alternative<Header>(decoded));
      checkEqual(std::get<Header>(decoded), header);
    }
  }
}

BOOST_AUTO_TEST_CASE(gives_back_every_type) {
  for (int type = 1; type <= 32; ++type) {
    if (type == kFormerType) continue;
    Header header = aPush();
    header.type = static_cast<MessageType>(type);
    header.count = 0;

    const auto decoded = decode(encode(header, {}), {});

    BOOST_REQUIRE(std::holds_alternative<Header>(decoded));
    checkEqual(std::get<Header>(decoded), header);
    BOOST_TEST(toString(header.type) != "unknown");
  }
}

BOOST_AUTO_TEST_CASE(writes_the_documented_bytes) {
  BOOST_TEST(hex(encode(aPush(), twoValues())) ==
             "53554d43"          // magic
             "01001005"          // version 1.0, 16 * 8 bytes, push
             "0102030405060708"  // job
             "10111213"          // generation
             "14150e01"          // worker 0x0e1514
             "18191a1b1c1d1e1f"  // incarnation
             "2021222324252627"  // sequence
             "28292a2b2c2d2e2f"  // acknowledged
             "3031323334353637"  // credit, connection
             "38393a3b3c3d3e3f"  // step
             "4041424300000000"  // range, reserved
             "48494a4b4c4d4e4f"  // first
             "0200000001000000"  // count, fp32
             "08000000811f8946"  // payload's length and checksum
             "6061620364656667"  // node
             "68696a6b6c6d6e6f"  // value
             "7071727300000000"
             "00000000740a2d23");  // term, reserved, checksum
}

BOOST_AUTO_TEST_CASE(refuses_every_flipped_bit) {
  const Bytes payload = twoValues();
  const HeaderBytes header = encode(aPush(), payload);

  for (std::size_t bit = 0; bit < 8 * kHeaderSize; ++bit) {
    HeaderBytes flipped = header;
    flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    BOOST_TEST(!isAccepted(flipped, payload), "header bit " << bit);
  }
  for (std::size_t bit = 0; bit < 8 * payload.size(); ++bit) {
    Bytes flipped = payload;
    flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    BOOST_TEST(rejectionOf(header, flipped) == Rejection::kPayloadChecksum);
  }
}

BOOST_AUTO_TEST_CASE(refuses_frames_cut_at_every_length) {
  const Bytes payload = twoValues();
  const HeaderBytes header = encode(aPush(), payload);

  for (std::size_t length = 0; length < kHeaderSize; ++length) {
    const Bytes cut(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(length));
    BOOST_TEST(rejectionOf(cut, payload) == Rejection::kHeaderLength);
  }
  for (std::size_t length = 0; length < payload.size(); ++length) {
    const Bytes cut(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(length));
    BOOST_TEST(rejectionOf(header, cut) == Rejection::kPayloadLength);
  }
}

BOOST_AUTO_TEST_CASE(refuses_unknown_types) {
  for (const int type : {0, kFormerType, 33, 255}) {
    HeaderBytes header = encode(aPush(), twoValues());
    header[7] = static_cast<std::byte>(type);
    BOOST_TEST(rejectionOf(sealed(header), twoValues()) == Rejection::kType);
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_is_not_ours_by_its_first_bytes) {
  HeaderBytes foreign = encode(aPush(), twoValues());
  foreign[0] = std::byte{'G'};
  HeaderBytes newer = encode(aPush(), twoValues());
  newer[4] = std::byte{2};

  BOOST_TEST(rejectionOf(sealed(foreign), twoValues()) == Rejection::kMagic);
  BOOST_TEST(rejectionOf(sealed(newer), twoValues()) == Rejection::kVersion);
}

BOOST_AUTO_TEST_CASE(refuses_a_payload_above_the_limit_of_its_kind) {
  Header control = aPush();
  control.type = MessageType::kRoster;
  Header data = aPush();
  for (const std::size_t excess : {0UL, 1UL}) {
    const Bytes text(kMaxControlPayload + excess);
    HeaderBytes header = encode(control, {});
    storeLittleEndian(header.data() + 88, static_cast<std::uint32_t>(text.size()));
    storeLittleEndian(header.data() + 92, crc32c(text));
    BOOST_TEST(isAccepted(sealed(header), text) == (excess == 0));

    const Bytes values(kMaxDataPayload + 4 * excess);
    data.count = 0;
    header = encode(data, {});
    storeLittleEndian(header.data() + 80, static_cast<std::uint32_t>(values.size() / 4));
    storeLittleEndian(header.data() + 88, static_cast<std::uint32_t>(values.size()));
    storeLittleEndian(header.data() + 92, crc32c(values));
    BOOST_TEST(isAccepted(sealed(header), values) == (excess == 0));
  }
}

BOOST_AUTO_TEST_CASE(refuses_values_that_are_not_as_many_as_counted) {
  for (const std::uint32_t count : {0U, 1U, 3U, 0x40000002U}) {  // the last times 4 wraps to 8
    HeaderBytes header = encode(aPush(), twoValues());
    storeLittleEndian(header.data() + 80, count);
    BOOST_TEST(rejectionOf(sealed(header), twoValues()) == Rejection::kPayloadLength);
  }
}

BOOST_AUTO_TEST_CASE(refuses_a_length_that_no_values_of_the_codec_have) {
  const auto isAccepted16 = [](std::uint32_t count, std::size_t size, std::uint8_t form) {
    const Bytes payload(size);
    Header header = aPush();
    header.count = 0;
    HeaderBytes bytes = encode(header, {});
    storeLittleEndian(bytes.data() + 80, count);
    bytes[84] = std::byte{2};  // bf16
    bytes[85] = std::byte{form};
    storeLittleEndian(bytes.data() + 88, static_cast<std::uint32_t>(size));
    storeLittleEndian(bytes.data() + 92, crc32c(payload));
    const auto decoded = decode(sealed(bytes), payload);
    const auto* rejection = std::get_if<Rejection>(&decoded);
    if (rejection != nullptr) BOOST_TEST(*rejection == Rejection::kPayloadLength);
    return rejection == nullptr;
  };
  // Each of three values has two bytes or, after the gradient, four.
  for (std::size_t size = 0; size <= 16; ++size)
    BOOST_TEST(isAccepted16(3, size, 0) == (size >= 6 && size <= 12 && size % 2 == 0), size);
  for (std::size_t size = 0; size <= 16; ++size)
    BOOST_TEST(isAccepted16(3, size, 1) == (size <= 12), size);
  // A few bytes must not stand for more than a message may have.
  BOOST_TEST(isAccepted16(kMaxDataPayload / 2, 100, 1));
  BOOST_TEST(!isAccepted16(kMaxDataPayload / 2 + 1, 100, 1));
  BOOST_TEST(!isAccepted16(~0U, 100, 1));
}

BOOST_AUTO_TEST_CASE(refuses_fields_that_cannot_be) {
  struct Case {
    std::size_t offset;
    std::uint32_t value;
  };
  const std::vector<Case> cases{{20, 0x02000000},   // a role that does not exist
                                {20, 0x010F4240},   // worker 1,000,000: no job has so many
                                {60, 0x80000000},   // a negative step
                                {84, 0},            // values of no codec
                                {84, 4},            // values of an unknown codec
                                {84, 0x0201},       // in an unknown form
                                {100, 0x80000000},  // a part above all numbers
                                {100, 1}};          // a node that ends before it begins
  for (const Case& one : cases) {
    HeaderBytes header = encode(aPush(), twoValues());
    storeLittleEndian(header.data() + one.offset, one.value);
    BOOST_TEST(rejectionOf(sealed(header), twoValues()) == Rejection::kField, one.offset);
  }
}

BOOST_AUTO_TEST_CASE(refuses_a_sender_without_incarnation) {
  Header header = aPush();
  header.sender.incarnation = 0;

  BOOST_TEST(rejectionOf(encode(header, twoValues()), twoValues()) == Rejection::kField);
}

BOOST_AUTO_TEST_CASE(skips_fields_that_a_later_minor_version_appended) {
  const HeaderBytes header = encode(aPush(), twoValues());
  for (const std::size_t size : {136UL, kMaxHeaderSize, kMaxHeaderSize + 8}) {
    Bytes longer(header.begin(), header.end());
    longer.resize(size, std::byte{7});
    longer[5] = std::byte{1};
    longer[6] = static_cast<std::byte>(size / 8);
    BOOST_TEST(isAccepted(sealed(longer), twoValues()) == (size <= kMaxHeaderSize));
  }
}

BOOST_AUTO_TEST_CASE(refuses_a_header_that_is_not_as_long_as_it_says) {
  HeaderBytes header = encode(aPush(), twoValues());
  header[6] = std::byte{17};

  BOOST_TEST(rejectionOf(sealed(header), twoValues()) == Rejection::kHeaderLength);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::wire::codec_test
