#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "exchange/coordinator/coordinator.h"
#include "tests/support/manual_clock.h"
#include "tests/support/recording_link.h"

namespace sumac::measuring_test {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using wire::Header;
using wire::MessageType;

constexpr Slot kSelf{Role::kWorker, 0};
constexpr Slot kWorker1{Role::kWorker, 1};
constexpr Slot kWorker2{Role::kWorker, 2};

Result<SumPlan> somePlan(std::int64_t /*size*/) {
  return SumPlan{makeExchangePlan(std::vector<std::int64_t>{100'000}, /*parts=*/4), {}};
}

/// The coordinator of a job of three workers whose algorithm is open, in worker 0's process.
struct Fixture : CoordinatorListener {
  ManualClock clock;
  RecordingLink link;
  Coordinator coordinator{
      {7, {kSelf, 10}, {std::nullopt, "", somePlan, std::nullopt, 3, 0}, &clock}, link, *this};

  std::vector<Roster> rosters;
  std::vector<std::string> progress;

  Fixture() { coordinator.start(clock.now()); }
  void onRosterIssued(const Roster& roster) override { rosters.push_back(roster); }
  void onProgress(const std::string& json) override { progress.push_back(json); }
  void onJobOver(ExitCode /*code*/, const std::string& /*reason*/) override {}

  void say(Slot from, MessageType type, std::string_view text = {}, std::uint64_t value = 0) {
    Header header;
    header.type = type;
    header.job = 7;
    header.sender = {from, Incarnation(10 + from.index)};
    header.value = value;
    coordinator.onMessage(from, header, asBytes(text));
  }
  void join(Slot from) {
    JoinRequest request;
    request.kernels = {"baseline"};
    request.endpoint = "tcp://w:1";
    request.add_rate = 4'000'000'000;
    say(from, MessageType::kJoin, toJson(request), planHash(""));
  }
  void joinAll() {
    for (const Slot slot : {kSelf, kWorker1, kWorker2})
      join(slot);
  }
  /// The answers of `only`, or of all, to what they were asked and have not answered: each a while
  /// later.
  void echo(std::optional<Slot> only = std::nullopt) {
    for (; answered < link.sent.size(); ++answered) {
      const auto [to, header, payload] = link.sent[answered];
      if (header.type != MessageType::kProbe || header.value == 0) continue;
      if (only && to.slot != *only) continue;
      clock.advance(microseconds(payload.empty() ? 100 : 500));
      say(to.slot, MessageType::kEcho, {}, header.value);
    }
  }
  void pass(Duration time) {
    for (const TimePoint until = clock.now() + time; clock.now() < until;) {
      clock.advance(milliseconds(50));
      for (const Slot slot : {kSelf, kWorker1, kWorker2})
        say(slot, MessageType::kHeartbeat);
      coordinator.onTick(clock.now());
    }
  }

  std::size_t answered = 0;  // of what was sent
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(measuring, Fixture)

BOOST_AUTO_TEST_CASE(the_first_roster_waits_for_links_and_says_what_they_cost) {
  joinAll();
  BOOST_TEST(rosters.empty());
  echo();
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  const MethodChoice& choice = rosters[0].choice.value();
  BOOST_TEST(choice.links == 2);
  BOOST_TEST(choice.costs.hop == 50e-6);
  BOOST_TEST(choice.costs.add == 0.25e-9);
  BOOST_TEST((choice.method == rosters[0].shards.method()));
  BOOST_TEST(progress.at(0).find("\"auto\":\"scatterGather, predicted ") != std::string::npos,
             progress.at(0));
  BOOST_TEST(link.count(MessageType::kRoster) == 3U);
  say(kWorker1, MessageType::kEcho, {}, 1);
  BOOST_TEST(coordinator.ignored() == 1U);
}

// Its own process is reached without a link.
BOOST_AUTO_TEST_CASE(workers_are_measured_one_by_one_from_when_they_join) {
  join(kSelf);
  BOOST_TEST(link.sent.empty());
  join(kWorker2);
  join(kWorker1);
  BOOST_TEST(link.count(MessageType::kProbe) == 1U);
  echo(kWorker2);
  for (const auto& sent : link.sent)
    BOOST_TEST((sent.to.slot == (&sent == &link.sent.back() ? kWorker1 : kWorker2)));
  BOOST_TEST(link.count(MessageType::kProbe) == 3 * (1 + 8 + 4) + 1);
}

BOOST_AUTO_TEST_CASE(a_job_begins_a_second_after_the_last_joined_although_nobody_answers) {
  joinAll();
  pass(milliseconds(950));
  BOOST_TEST(rosters.empty());
  pass(milliseconds(50));
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters[0].choice->links == 0);
  BOOST_TEST(rosters[0].choice->costs.hop == ExchangeCosts{}.hop);
}

BOOST_AUTO_TEST_CASE(who_does_not_answer_costs_the_others_half_a_second) {
  joinAll();
  echo(kWorker2);  // worker 1 is asked first
  BOOST_TEST(rosters.empty());
  pass(LinkProbe::kPatience);
  echo();
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters[0].choice->links == 1);
}

BOOST_AUTO_TEST_CASE(a_job_is_stopped_while_it_measures) {
  joinAll();
  coordinator.requestStop(kWorker1);
  echo();
  pass(std::chrono::seconds(2));
  BOOST_TEST(rosters.empty());
  BOOST_TEST(link.count(MessageType::kRelease) == 3U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::measuring_test
