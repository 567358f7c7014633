#include <array>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/exchange/member/contribution_exchange_fixture.h"

// Whom a worker asks, and whom it says that it waits for.

namespace sumac::contribution_exchange_test {

BOOST_FIXTURE_TEST_SUITE(exchange_waits, Fixture)

BOOST_AUTO_TEST_CASE(asks_who_sums_once_in_three_seconds_while_it_waits) {
  begin(1);
  exchange.onTick(kStart + 2999ms);
  BOOST_TEST(link.count(MessageType::kQuery) == 0U);
  exchange.onTick(kStart + 3s);
  exchange.onTick(kStart + 5999ms);
  BOOST_TEST_REQUIRE(link.count(MessageType::kQuery) == 1U);
  BOOST_TEST((link.sent.back().to == link::Peer{kServer0, link::Lane::kData}));
  BOOST_TEST(link.sent.back().header.step == 1);
  BOOST_TEST(link.sent.back().header.range == 0U);
  sum(sumHeader(1, 0));
  exchange.onTick(kStart + 6s);
  BOOST_TEST(link.count(MessageType::kQuery) == 2U);
  BOOST_TEST(link.sent.back().header.range == 1U);
  complete(1);
  exchange.onTick(kStart + 1h);
  BOOST_TEST(link.count(MessageType::kQuery) == 2U);
}

BOOST_AUTO_TEST_CASE(asks_nobody_without_credit) {
  begin(1);
  link.sent.clear();
  link.has_no_room = true;
  exchange.onTick(kStart + 3s);
  BOOST_TEST(link.sent.empty());
}

BOOST_AUTO_TEST_CASE(waits_for_who_sums_until_that_says_whom_it_waits_for) {
  test::Transcript said;
  begin(1);
  exchange.onTick(kStart + 999ms);
  BOOST_TEST(exchange.waits().empty());
  exchange.onTick(kStart + 1s);
  said.add("before an answer", waitsText());
  BOOST_TEST((exchange.waits().front().since == kStart));
  BOOST_TEST(exchange.waits().front().step == 1);

  exchange.onMessage(kServer0, missingHeader(1, 0, {0, 0}), {});
  said.add("nothing is missing", waitsText());
  exchange.onMessage(kServer0, missingHeader(1, 0, {0, 2}), {});
  said.add("what we have sent is missing, too", waitsText());
  exchange.onMessage(kServer0, missingHeader(1, 0, {1, 2}), {});
  said.add("that of another worker is missing", waitsText());

  sum(sumHeader(1, 0));  // the answer was about this range
  said.add("the sum has come", waitsText());
  complete(1);
  BOOST_TEST(exchange.waits().empty());
  test::checkGolden("exchange/member/waits.txt", said.text());
}

BOOST_AUTO_TEST_CASE(waits_for_whom_the_one_who_adds_waits_for) {
  begin(1);
  exchange.onTick(kStart + 1s);
  Header answer = missingHeader(1, 0, {0, 0});
  answer.value = 1 + 7;
  exchange.onMessage(kServer0, answer, {});
  BOOST_TEST(waitsText() == "worker 7: what server 0 awaits of range 0\n");
  answer.value = static_cast<std::uint64_t>(kLargestIndex) + 2;
  exchange.onMessage(kServer0, answer, {});
  BOOST_TEST(exchange.ignored() == 1U);
}

// By halving worker 0's contribution comes through worker 1, which has nothing to pass on without.
BOOST_AUTO_TEST_CASE(waits_for_who_passes_on_and_not_for_those_behind) {
  const ExchangePlan four = makeExchangePlan({1}, 4);
  Header base;
  base.sender = {{Role::kWorker, 2}, 102};
  ContributionExchange own(base, four, link);
  Roster halving = roster();
  halving.members.clear();
  for (int i = 0; i < 4; ++i)
    halving.members.push_back({{{Role::kWorker, i}, static_cast<Incarnation>(100 + i)}, "e"});
  halving.shards = ShardMap::ofOwners(ExchangeMethod::kHalvingDoubling, {3});
  own.onRoster(halving);
  own.onTick(kStart);
  const std::vector<float> values(static_cast<std::size_t>(four.values));
  own.begin(1, std::array{Contribution{{2, 3}, values}}, nullptr);
  own.announceRest();
  own.onTick(kStart + 1s);

  own.onMessage({Role::kWorker, 3}, missingHeader(1, 0, {0, 2}), {});

  const auto waits = own.waits();
  BOOST_TEST_REQUIRE(waits.size() == 1U);
  BOOST_TEST(waits.front().whom.index == 1);
  BOOST_TEST(waits.front().what ==
             "contribution of the parts [0,2) to range 0, summed by worker 3");
}

BOOST_AUTO_TEST_CASE(an_answer_of_another_step_range_or_roster_says_nothing) {
  begin(1);
  exchange.onTick(kStart + 1s);
  const std::string before = waitsText();
  exchange.onMessage(kServer0, missingHeader(2, 0, {1, 2}), {});
  exchange.onMessage(kServer0, missingHeader(1, 9, {1, 2}), {});
  exchange.onMessage(kServer0, missingHeader(1, 0, {1, 3}), {});
  exchange.onMessage(kServer0, missingHeader(1, 0, {1, 2}, /*generation=*/2), {});
  exchange.onMessage({Role::kServer, 1}, missingHeader(1, 0, {1, 2}), {});
  BOOST_TEST(waitsText() == before);
  BOOST_TEST(exchange.ignored() == 4U);
}

BOOST_AUTO_TEST_CASE(where_each_sums_for_itself_only_it_is_asked) {
  Header base;
  base.sender = {{Role::kWorker, 1}, 101};
  ContributionExchange own(base, plan, link);
  Roster all = roster();
  all.members = {{{{Role::kWorker, 0}, 100}, "e"}, {{{Role::kWorker, 1}, 101}, "f"}};
  all.shards = ShardMap::shareOut(ExchangeMethod::kDirect, plan, {0});
  own.onRoster(all);
  own.onTick(kStart);
  const std::vector<float> values(static_cast<std::size_t>(plan.values));
  const std::array contributions{Contribution{{1, 2}, values}};
  own.begin(1, contributions, nullptr);
  own.announceRest();
  own.onTick(kStart + 3s);
  BOOST_TEST_REQUIRE(link.count(MessageType::kQuery) == 1U);
  BOOST_TEST(link.sent.back().to.slot.index == 1);

  own.onMessage({Role::kWorker, 1}, missingHeader(1, 0, {0, 1}), {});
  BOOST_TEST_REQUIRE(own.waits().size() == 1U);
  BOOST_TEST(toString(own.waits().front().whom) == "worker 0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::contribution_exchange_test
