#include <string>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <rapidcheck.h>

#include "tests/unit/operator/control/election_fixture.h"

namespace sumac::control::elections_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace

BOOST_AUTO_TEST_SUITE(elections)

// The leader dies at any moment, rounds fall as badly as they can: still within 25 s.
BOOST_AUTO_TEST_CASE(a_dead_leader_is_replaced_within_25_seconds) {
  const bool holds = rc::check(
      "from the last renewal to the takeover", [](const std::vector<std::uint8_t>& random) {
        Server server;
        Candidate a("a");
        a.round(server, kStart);
        Candidate b("b", /*wall_skew=*/std::chrono::hours(5));
        std::size_t n = 0;
        const auto next = [&] {
          return random.empty() ? 0.999 : static_cast<double>(random[n++ % random.size()]) / 256;
        };
        // The worst first look: right before the last renewal.
        TimePoint now = kStart - milliseconds(1);
        b.election.observe({heldBy("a", "0"), false}, now, kNoon);
        while (!b.leads(now)) {
          now += b.election.nextRound(now, next());
          b.round(server, now, /*latency=*/milliseconds(100));
          RC_ASSERT(now - kStart <= seconds(25));
        }
        RC_ASSERT(now - kStart >= seconds(15));
      });
  BOOST_TEST(holds);
}

// Whatever is delayed, away, paused: at no moment do two processes believe that they lead.
BOOST_AUTO_TEST_CASE(never_two_leaders) {
  const bool holds = rc::check(
      "rounds of three candidates at any times, with any pauses and outages",
      [](const std::vector<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>>& steps) {
        Server server;
        std::vector<Candidate> all;
        for (int i = 0; i < 3; ++i) {
          all.emplace_back(std::string(1, static_cast<char>('a' + i)), std::chrono::hours(i - 1));
        }
        TimePoint now = kStart;
        for (const auto& [who, pause, weather] : steps) {
          now += milliseconds(40 * pause);
          server.is_away = weather < 64;
          all[who % all.size()].round(server, now);
          int leaders = 0;
          for (Candidate& candidate : all)
            leaders += candidate.leads(now) ? 1 : 0;
          RC_ASSERT(leaders <= 1);
        }
      });
  BOOST_TEST(holds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::elections_test
