#include "base/keys/key_pair.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/test/unit_test.hpp>
#include <zmq.h>

#include "tests/support/golden.h"

namespace sumac::key_pair_test {
namespace {

using Text = std::array<char, kKeyTextLength + 1>;

}  // namespace

BOOST_AUTO_TEST_SUITE(key_pair)

BOOST_AUTO_TEST_CASE(has_the_public_half_that_zeromq_finds) {
  for (int i = 0; i < 100; ++i) {
    const auto pair = makeKeyPair();
    BOOST_REQUIRE(pair);
    Text public_text{};
    BOOST_REQUIRE(zmq_curve_public(public_text.data(), pair->private_key.text().c_str()) == 0);
    BOOST_TEST(toText(pair->public_key) == public_text.data());
  }
}

BOOST_AUTO_TEST_CASE(finds_the_public_half_of_zeromqs_own_keys) {
  for (int i = 0; i < 100; ++i) {
    Text public_text{};
    Text private_text{};
    BOOST_REQUIRE(zmq_curve_keypair(public_text.data(), private_text.data()) == 0);
    const auto key = PrivateKey::fromText(private_text.data());
    BOOST_REQUIRE(key);
    BOOST_TEST(toText(publicKeyOf(*key)) == public_text.data());
  }
}

BOOST_AUTO_TEST_CASE(is_another_each_time) {
  BOOST_TEST((makeKeyPair().value().public_key != makeKeyPair().value().public_key));
}

BOOST_AUTO_TEST_CASE(comes_back_from_its_texts) {
  const auto pair = makeKeyPair();
  BOOST_REQUIRE(pair);

  const auto key = PrivateKey::fromText(pair->private_key.text());
  BOOST_REQUIRE(key);

  BOOST_TEST((publicKeyOf(*key) == pair->public_key));
  BOOST_TEST((publicKeyFromText(toText(pair->public_key)).value() == pair->public_key));
}

BOOST_AUTO_TEST_CASE(leaves_nothing_behind_when_a_private_key_moves) {
  PrivateKey key = std::move(makeKeyPair().value().private_key);
  const BytesView held = key.bytes();
  const std::string text = key.text();

  const PrivateKey moved = std::move(key);

  BOOST_TEST(moved.text() == text);
  BOOST_TEST(std::ranges::all_of(held, [](std::byte byte) { return byte == std::byte{0}; }));
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_text_without_repeating_it) {
  const std::string secret = "secret secret secret secret secret secre";

  const auto key = PrivateKey::fromText(secret);
  const auto shorter = PrivateKey::fromText("abc");

  BOOST_REQUIRE(!key);
  BOOST_TEST(key.error().message.find("secret") == std::string::npos);
  BOOST_REQUIRE(!shorter);
  test::checkGolden("base/keys/private_key.txt",
                    key.error().message + "\n" + shorter.error().message + "\n");
}

BOOST_AUTO_TEST_CASE(wipes_texts_and_bytes) {
  std::string text = makeKeyPair().value().private_key.text();
  const char* held = text.data();
  Bytes bytes(40, std::byte{7});
  const std::byte* held_bytes = bytes.data();

  wipe(text);
  wipe(bytes);

  BOOST_TEST(text.empty());
  BOOST_TEST(bytes.empty());
  // The memory is still theirs: clear() keeps it.
  BOOST_TEST(std::string(held + 1, 39) == std::string(39, '\0'));
  BOOST_TEST((held_bytes[39] == std::byte{0}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::key_pair_test
