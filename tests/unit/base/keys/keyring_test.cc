#include "base/keys/keyring.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "base/keys/job_keys.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::keyring_test {
namespace {

constexpr Slot kServer{Role::kServer, 0};
constexpr Slot kWorker0{Role::kWorker, 0};
constexpr Slot kWorker1{Role::kWorker, 1};

struct Fixture {
  JobKeys keys = makeJobKeys(/*logical_workers=*/2, /*servers=*/1).value();
  std::string public_text = keys.publicText();
  std::string private_text = pairOf(kWorker0).private_key.text();

  const KeyPair& pairOf(Slot slot) const {
    for (const SlotKeys& one : keys.slots) {
      if (one.slot == slot) return one.pair;
    }
    throw std::out_of_range("no such slot");
  }
  std::string textOf(Slot slot) const { return toText(pairOf(slot).public_key); }
  /// What parse() says about these public keys.
  std::string refusal(const std::string& text) const {
    const auto ring = Keyring::parse(kWorker0, private_text, text);
    return ring ? "" : ring.error().message;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(keyring)

BOOST_FIXTURE_TEST_CASE(knows_every_slot_by_its_key, Fixture) {
  const auto ring = Keyring::parse(kWorker0, private_text + "\n", public_text);
  BOOST_REQUIRE(ring);

  for (const SlotKeys& one : keys.slots) {
    BOOST_TEST((ring->keyOf(one.slot) == one.pair.public_key), one.slot);
    BOOST_TEST((ring->slotOf(one.pair.public_key) == one.slot), one.slot);
  }
  BOOST_TEST((ring->publicKey() == pairOf(kWorker0).public_key));
  BOOST_TEST(ring->privateKey().text() == private_text);
}

BOOST_FIXTURE_TEST_CASE(knows_no_stranger, Fixture) {
  const auto ring = Keyring::parse(kWorker0, private_text, public_text);
  BOOST_REQUIRE(ring);

  BOOST_TEST(!ring->slotOf(makeKeyPair().value().public_key).has_value());
  BOOST_TEST(!ring->keyOf(Slot{Role::kWorker, 2}).has_value());
}

BOOST_FIXTURE_TEST_CASE(refuses_the_private_key_of_another_slot, Fixture) {
  const auto ring = Keyring::parse(kWorker1, private_text, public_text);

  BOOST_REQUIRE(!ring);
  test::checkGolden("base/keys/another_slot.txt", ring.error().message + "\n");
}

BOOST_FIXTURE_TEST_CASE(refuses_public_keys_that_are_not_those_of_a_job, Fixture) {
  const std::string key = toText(makeKeyPair().value().public_key);
  const auto first = [this](const std::string& line) { return line + "\n" + public_text; };
  const std::pair<const char*, std::string> kCases[] = {
      {"none", ""},
      {"none of its own", "server-0 " + textOf(kServer)},
      {"a slot twice", public_text + "worker-0 " + key + "\n"},
      {"a key of two slots", public_text + "worker-9 " + textOf(kServer)},
      {"an unknown role", first("planner-0 " + key)},
      {"an index with a zero before it", first("worker-03 " + key)},
      {"an empty line", first("")},
      {"nothing but an empty line", "\n"},
      {"an empty line at the end", public_text + "\n"},
      {"a slot without a key", first("worker-7")},
      {"a space after the key", first("worker-7 " + key + " ")},
      {"a carriage return", first("worker-7 " + key + "\r")},
      {"two spaces before the key", first("worker-7  " + key)},
      {"zeros for a key", first("worker-7 " + std::string(40, '\0'))},
      {"a text that is too long", public_text + std::string(600 << 10, '\n')}};
  test::Transcript said;
  for (const auto& [name, text] : kCases) {
    const std::string message = refusal(text);
    BOOST_TEST(!message.empty(), name);
    said.add(name, message);
  }
  test::checkGolden("base/keys/keyring.txt", said.text());
  BOOST_TEST(!Keyring::parse(kWorker0, private_text + "\n\n", public_text).has_value());
}

BOOST_FIXTURE_TEST_CASE(reads_the_two_files_of_a_folder, Fixture) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "private", asBytes(private_text)));
  BOOST_REQUIRE(createFile(folder / "public", asBytes(public_text)));

  BOOST_TEST(Keyring::read(folder.path(), kWorker0).has_value());
  const auto other = Keyring::read(folder.path(), kWorker1);
  BOOST_REQUIRE(!other);
  BOOST_TEST(other.error().message.starts_with("keys of " + folder.path().string() + ": "));
  BOOST_TEST(other.error().message.find(private_text) == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(names_the_file_that_is_missing_or_too_long, Fixture) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "public", asBytes(public_text)));

  const auto missing = Keyring::read(folder.path(), kWorker0);
  BOOST_REQUIRE(createFile(folder / "private", asBytes(private_text + std::string(100, 'x'))));
  const auto longer = Keyring::read(folder.path(), kWorker0);

  BOOST_REQUIRE(!missing);
  BOOST_TEST(missing.error().code == ErrorCode::kNotFound);
  BOOST_TEST(missing.error().message.find("private") != std::string::npos);
  BOOST_REQUIRE(!longer);
  BOOST_TEST(longer.error().message.find("at most 64 are allowed") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::keyring_test
