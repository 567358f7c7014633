#include "exchange/link/authenticator.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "tests/support/job_keyring.h"

namespace sumac::link::authenticator_test {
namespace {

constexpr Slot kWorker{Role::kWorker, 1};

struct Fixture {
  zmq::context_t context;
  JobKeys keys = makeJobKeys(/*logical_workers=*/2, /*servers=*/1).value();
  std::shared_ptr<const Keyring> ring = keyringOf(keys, kWorker);
  Authenticator authenticator{context};
  std::string domain = authenticator.open(ring);
  zmq::socket_t asker{context, zmq::socket_type::req};

  Fixture() {
    asker.set(zmq::sockopt::linger, 0);
    asker.connect("inproc://zeromq.zap.01");
  }

  static std::string textOf(const PublicKey& key) { return std::string(asText(key)); }

  /// What ZeroMQ asks when somebody comes with `key`.
  std::vector<std::string> request(const std::string& key) const {
    return {"1.0", "7", domain, "127.0.0.1", "", "CURVE", key};
  }
  /// The frames of the answer.
  std::vector<std::string> ask(const std::vector<std::string>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const bool more = i + 1 < frames.size();
      asker.send(zmq::buffer(frames[i]), more ? zmq::send_flags::sndmore : zmq::send_flags::none);
    }
    std::vector<std::string> answer;
    for (bool more = true; more;) {
      zmq::message_t frame;
      BOOST_REQUIRE(asker.recv(frame));
      more = frame.more();
      answer.push_back(frame.to_string());
    }
    return answer;
  }
  std::string statusOf(const std::vector<std::string>& frames) { return ask(frames).at(2); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(authenticator, *boost::unit_test::timeout(30))

BOOST_FIXTURE_TEST_CASE(names_the_slot_whose_key_somebody_holds, Fixture) {
  const auto answer = ask(request(textOf(ring->publicKey())));

  BOOST_TEST((answer == std::vector<std::string>{"1.0", "7", "200", "OK", "worker-1", ""}));
}

BOOST_FIXTURE_TEST_CASE(refuses_a_key_that_nobody_holds, Fixture) {
  const auto answer = ask(request(textOf(makeKeyPair().value().public_key)));

  BOOST_TEST(answer.at(2) == "400");
  BOOST_TEST(answer.at(4) == "");
}

BOOST_FIXTURE_TEST_CASE(knows_the_keys_of_a_domain_only_there_and_while_it_is_open, Fixture) {
  const auto of_another_job = makeJobKeys(/*logical_workers=*/2, /*servers=*/1).value();
  const std::string other = authenticator.open(keyringOf(of_another_job, kWorker));
  const auto here = request(textOf(ring->publicKey()));
  auto there = here;
  there[2] = other;

  BOOST_TEST(statusOf(here) == "200");
  BOOST_TEST(statusOf(there) == "400");
  authenticator.close(domain);
  BOOST_TEST(statusOf(here) == "400");
}

BOOST_FIXTURE_TEST_CASE(refuses_every_question_that_is_not_as_it_should_be, Fixture) {
  const std::string key = textOf(ring->publicKey());
  auto other_version = request(key);
  other_version[0] = "2.0";
  auto plain = request(key);
  plain[5] = "NULL";
  auto longer = request(key);
  longer.emplace_back("more");

  BOOST_TEST(statusOf(other_version) == "400");
  BOOST_TEST(statusOf(plain) == "400");
  BOOST_TEST(statusOf(longer) == "400");
  BOOST_TEST(statusOf(request(key.substr(1))) == "400");
  BOOST_TEST(statusOf(request(key + "x")) == "400");
  BOOST_TEST(statusOf({"1.0", "7", domain, "127.0.0.1", "", "NULL"}) == "400");
  BOOST_TEST(statusOf({""}) == "400");
  BOOST_TEST(statusOf(request(key)) == "200");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::authenticator_test
