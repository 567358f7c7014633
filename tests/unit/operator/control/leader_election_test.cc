#include "operator/control/leader_election.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/operator/control/election_fixture.h"

namespace sumac::control::leader_election_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = LeaderElection::State;

}  // namespace

BOOST_AUTO_TEST_SUITE(leader_election)

BOOST_AUTO_TEST_CASE(periods_must_leave_time_to_notice) {
  BOOST_TEST(checkElectionOptions({"a", seconds(15), seconds(10), seconds(2)}).has_value());
  const std::pair<const char*, ElectionOptions> cases[] = {
      {"lease as short as the deadline", {"a", seconds(10), seconds(10), seconds(2)}},
      {"deadline of 1.2 retries", {"a", seconds(15), seconds(6), seconds(5)}},
      {"no pause", {"a", seconds(15), seconds(10), seconds(0)}}};
  test::Transcript said;
  for (const auto& [name, options] : cases) {
    const auto checked = checkElectionOptions(options);
    BOOST_TEST_REQUIRE(!checked.has_value(), name);
    said.add(name, checked.error().message);
  }
  test::checkGolden("operator/control/election_options.txt", said.text());
}

BOOST_AUTO_TEST_CASE(makes_the_lease_where_there_is_none_and_leads) {
  Server server;
  Candidate a("a");

  a.round(server, kStart);

  BOOST_TEST(a.leads(kStart));
  BOOST_TEST(server.lease()->holder == "a");
  BOOST_TEST(server.lease()->duration.count() == 15);
  BOOST_TEST(server.lease()->transitions == 0);
  BOOST_TEST((server.lease()->acquired == kNoon));
}

BOOST_AUTO_TEST_CASE(takes_a_lease_that_was_released_at_once) {
  LeaderElection election(optionsOf("a"));

  const auto write = election.observe({heldBy("", "7"), false}, kStart, kNoon);

  BOOST_REQUIRE(write.has_value());
  BOOST_TEST(!write->create);
  BOOST_TEST(write->record.holder == "a");
  BOOST_TEST(write->record.transitions == 4);
  BOOST_TEST(write->record.resource_version == "7");
}

BOOST_AUTO_TEST_CASE(renewing_moves_the_time_and_nothing_else) {
  Server server;
  Candidate a("a");
  a.round(server, kStart);

  a.round(server, kStart + seconds(2));

  BOOST_TEST(server.lease()->transitions == 0);
  BOOST_TEST((server.lease()->acquired == kNoon));
  BOOST_TEST((server.lease()->renewed == kNoon + seconds(2)));
}

BOOST_AUTO_TEST_CASE(waits_for_the_duration_since_it_last_saw_the_lease_change) {
  LeaderElection election(optionsOf("b"));
  const auto look = [&](const std::string& version, Duration at) {
    return election.observe({heldBy("a", version), false}, kStart + at, kNoon).has_value();
  };

  BOOST_TEST(!look("1", seconds(0)));
  BOOST_TEST(!look("2", seconds(14)));  // renewed: from here
  BOOST_TEST(!look("2", seconds(28)));
  BOOST_TEST(look("2", seconds(29)));
}

BOOST_AUTO_TEST_CASE(times_in_the_record_do_not_matter_however_wrong_clocks_are) {
  for (const auto skew : {-std::chrono::hours(24), std::chrono::hours(24)}) {
    LeaderElection election(optionsOf("b"));
    const auto record = heldBy("a", "1", kNoon + skew);

    BOOST_TEST(!election.observe({record, false}, kStart, kNoon).has_value());
    BOOST_TEST(!election.observe({record, false}, kStart + seconds(14), kNoon).has_value());
    BOOST_TEST(election.observe({record, false}, kStart + seconds(15), kNoon).has_value());
  }
}

BOOST_AUTO_TEST_CASE(a_record_cannot_make_others_wait_for_years) {
  LeaderElection election(optionsOf("b"));
  auto record = heldBy("a", "1");
  record.duration = std::chrono::hours(1000);

  BOOST_TEST(!election.observe({record, false}, kStart, kNoon).has_value());
  BOOST_TEST(
      election.observe({record, false}, kStart + std::chrono::minutes(10), kNoon).has_value());
}

BOOST_AUTO_TEST_CASE(of_two_who_write_at_once_the_one_with_the_conflict_waits) {
  Server server;
  Candidate a("a");
  Candidate b("b");
  const auto first = a.election.observe(server.get(), kStart, kNoon);
  const auto second = b.election.observe(server.get(), kStart, kNoon);
  kube::LeaseRecord stored;
  a.election.wrote(server.put(*first, kStart, stored), stored, kStart, kStart);
  kube::LeaseRecord nothing;
  const Written result = server.put(*second, kStart, nothing);
  b.election.wrote(result, nothing, kStart, kStart);

  BOOST_TEST((result == Written::kConflict));
  BOOST_TEST(a.leads(kStart));
  BOOST_TEST(!b.leads(kStart));
  b.round(server, kStart + seconds(2));
  BOOST_TEST(!b.leads(kStart + seconds(2)));
}

BOOST_AUTO_TEST_CASE(a_leader_renews_without_reading_until_a_write_goes_wrong) {
  Server server;
  Candidate a("a");
  BOOST_TEST(!a.election.renewal(kStart, kNoon).has_value());
  a.round(server, kStart);
  BOOST_TEST(a.election.renewal(kStart + seconds(2), kNoon).has_value());

  a.election.wrote(Written::kFailed, {}, kStart + seconds(2), kStart + seconds(4));

  BOOST_TEST(!a.election.renewal(kStart + seconds(4), kNoon).has_value());
  a.round(server, kStart + seconds(4));
  BOOST_TEST(a.election.renewal(kStart + seconds(6), kNoon).has_value());
}

BOOST_AUTO_TEST_CASE(a_renewal_that_meets_a_conflict_finds_out_who_leads_in_the_same_round) {
  Server server;
  Candidate a("a");
  a.round(server, kStart);
  kube::LeaseRecord stored;
  auto taken = *server.lease();
  taken.holder = "b";
  BOOST_REQUIRE((server.put({taken, false}, kStart, stored) == Written::kDone));

  a.round(server, kStart + seconds(2));

  BOOST_TEST((a.election.state() == State::kLost));
  BOOST_TEST(server.lease()->holder == "b");
}

BOOST_AUTO_TEST_CASE(a_leader_outlives_an_api_server_that_is_away_for_less_than_the_deadline) {
  Server server;
  Candidate a("a");
  a.round(server, kStart);
  server.is_away = true;
  for (int s = 2; s < 10; s += 2)
    a.round(server, kStart + seconds(s));
  BOOST_TEST(a.leads(kStart + seconds(9)));

  server.is_away = false;
  a.round(server, kStart + seconds(9));

  BOOST_TEST(a.leads(kStart + seconds(18)));
}

BOOST_AUTO_TEST_CASE(a_leader_that_cannot_renew_is_lost_at_the_deadline_and_for_good) {
  Server server;
  Candidate a("a");
  a.round(server, kStart);
  server.is_away = true;
  a.round(server, kStart + seconds(8));

  BOOST_TEST(a.leads(kStart + seconds(10) - milliseconds(1)));
  BOOST_TEST(!a.leads(kStart + seconds(10)));
  BOOST_TEST((a.election.state() == State::kLost));
  BOOST_TEST(a.election.loss().find(" 10 s") != std::string::npos);

  server.is_away = false;
  a.round(server, kStart + seconds(11));
  BOOST_TEST((a.election.state() == State::kLost));
  BOOST_TEST(!a.election.release(kNoon).has_value());
  BOOST_TEST(server.writes("a").size() == 1U);
}

BOOST_AUTO_TEST_CASE(
    a_process_that_stood_still_does_not_write_although_the_lease_is_still_its_own) {
  Server server;
  Candidate a("a");
  a.round(server, kStart);

  a.round(server, kStart + seconds(12));  // woke up; nobody else was there

  BOOST_TEST((a.election.state() == State::kLost));
  BOOST_TEST(server.writes("a").size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_process_that_stands_still_while_it_writes_does_not_lead_by_that_write) {
  Server server;
  Candidate a("a");

  a.round(server, kStart, /*latency=*/seconds(30));

  BOOST_TEST((a.election.state() == State::kLost));
}

BOOST_AUTO_TEST_CASE(the_deadline_counts_from_when_the_renewal_was_sent) {
  Server server;
  Candidate a("a");

  a.round(server, kStart, /*latency=*/seconds(4));

  BOOST_TEST((a.election.leaderUntil() == kStart + seconds(10)));
}

BOOST_AUTO_TEST_CASE(a_leader_that_sees_another_holder_is_lost_at_once) {
  Server server;
  Candidate a("a");
  a.round(server, kStart);

  const auto write = a.election.observe({heldBy("b", "99"), false}, kStart + seconds(2), kNoon);

  BOOST_TEST(!write.has_value());
  BOOST_TEST((a.election.state() == State::kLost));
  BOOST_TEST(a.election.loss().find('b') != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_lease_that_somebody_deleted_is_made_again) {
  Server server;
  Candidate a("a");
  a.round(server, kStart);
  server.remove();

  a.round(server, kStart + seconds(2));

  BOOST_TEST(a.leads(kStart + seconds(2)));
  BOOST_TEST(server.lease()->holder == "a");
}

BOOST_AUTO_TEST_CASE(a_released_lease_keeps_nobody_waiting) {
  Server server;
  Candidate a("a");
  a.round(server, kStart);
  Candidate b("b");
  b.round(server, kStart + seconds(1));

  const auto released = a.election.release(kNoon);
  BOOST_REQUIRE(released.has_value());
  BOOST_TEST(released->holder.empty());
  BOOST_TEST(released->duration.count() == 1);
  kube::LeaseRecord stored;
  BOOST_TEST((server.put({*released, false}, kStart + seconds(2), stored) == Written::kDone));
  b.round(server, kStart + seconds(3));

  BOOST_TEST(b.leads(kStart + seconds(3)));
}

BOOST_AUTO_TEST_CASE(waits_are_spread_and_end_when_the_lease_of_the_other_does) {
  LeaderElection election(optionsOf("b"));
  BOOST_TEST((election.nextRound(kStart, 0.0) == seconds(2)));
  BOOST_TEST((election.nextRound(kStart, 0.5) == milliseconds(3200)));

  election.observe({heldBy("a", "1"), false}, kStart, kNoon);
  BOOST_TEST((election.nextRound(kStart + seconds(14), 0.5) == seconds(1)));
  BOOST_TEST((election.nextRound(kStart + seconds(16), 0.0) == seconds(2)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::leader_election_test
