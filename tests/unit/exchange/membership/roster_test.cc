#include "exchange/membership/roster.h"

#include <limits>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "job/document/limits.h"

namespace sumac::roster_test {

namespace {

Roster example() {
  Roster roster;
  roster.order = {1, 3};
  roster.members = {{{{Role::kServer, 0}, 18'000'000'000'000'000'000ULL}, "tcp://10.0.0.1:7070"},
                    {{{Role::kWorker, 0}, 7}, ""},
                    {{{Role::kWorker, 2}, 8}, ""}};
  roster.start_step = 500;
  roster.kernels = "avx2";
  roster.size = 6022;
  roster.shards = ShardMap::ofOwners(ExchangeMethod::kScatterGather, {0, 0, 2});
  roster.writer = {Role::kWorker, 2};
  roster.evaluated = 400;
  return roster;
}

/// Workers 0 to 3, of whom some lack the state.
Roster withSources(const std::map<int, int>& sources) {
  Roster roster = example();
  roster.members.clear();
  for (int i = 0; i < 4; ++i)
    roster.members.push_back({{{Role::kWorker, i}, 7}, ""});
  for (const auto& [receiver, source] : sources)
    roster.sources[{Role::kWorker, receiver}] = {Role::kWorker, source};
  return roster;
}

/// The example with other shards.
std::string withShards(const std::string& shards) {
  std::string text = toJson(example());
  const auto at = text.find("\"shards\":");
  const auto end = text.find("]]}", at);
  return text.replace(at, end + 3 - at, "\"shards\":" + shards);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(roster)

BOOST_AUTO_TEST_CASE(reads_back_what_it_wrote) {
  const Roster roster = example();
  const Result<Roster> read = rosterFromJson(toJson(roster));
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST((read->order == roster.order));
  BOOST_TEST((read->members == roster.members));
  BOOST_TEST(read->start_step == 500);
  BOOST_TEST(read->kernels == "avx2");
  BOOST_TEST(read->size == 6022);
  BOOST_TEST((read->shards == roster.shards));
  BOOST_TEST((read->writer == roster.writer));
  BOOST_TEST(read->evaluated == 400);
  BOOST_TEST(read->sources.empty());

  for (const auto& [method, by] : {std::pair(ExchangeMethod::kDecentralized, "worker"),
                                   {ExchangeMethod::kDirect, "direct"},
                                   {ExchangeMethod::kScatterGather, "worker"},
                                   {ExchangeMethod::kRing, "ring"},
                                   {ExchangeMethod::kHalvingDoubling, "halvingDoubling"}}) {
    Roster other = roster;
    other.shards = ShardMap::ofOwners(method, {0, 0, 2});
    const std::string text = toJson(other);
    BOOST_TEST(text.find(std::string(R"("by":")") + by + '"') != std::string::npos, text);
    const Result<Roster> again = rosterFromJson(text);
    BOOST_TEST_REQUIRE(again.has_value());
    BOOST_TEST((again->shards == other.shards));
  }
}

BOOST_AUTO_TEST_CASE(sources_lead_to_a_worker_that_has_the_state) {
  using Sources = std::map<int, int>;
  for (const Sources& sources : {Sources{{2, 0}},
                                 {{1, 0}, {2, 1}, {3, 2}},
                                 {{0, 3}, {1, 3}},
                                 {{1, 0}, {2, 3}},
                                 {{0, 3}, {1, 0}, {2, 0}}}) {
    const Roster roster = withSources(sources);
    const Result<Roster> read = rosterFromJson(toJson(roster));
    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST((read->sources == roster.sources));
  }
  for (const Sources& sources : {Sources{{0, 0}},
                                 {{0, 1}, {1, 0}},
                                 {{1, 2}, {2, 3}, {3, 1}},
                                 {{0, 1}, {1, 2}, {2, 1}},
                                 {{0, 3}, {1, 2}, {2, 2}},
                                 {{4, 0}},
                                 {{1, 4}},
                                 {{-1, 0}}}) {
    const std::string text = toJson(withSources(sources));
    BOOST_TEST(!rosterFromJson(text).has_value(), text);
  }
  const std::string text = toJson(withSources({}));
  const auto at = text.find("\"sources\":[]");
  for (const char* const sources : {"[[0,2],[0,2]]", "[[0,2],[1,2]]", "[2]", "[[2,-1]]", "[[0,4]]",
                                    R"([["2",0]])", "null", "{}", "[null]", "[[2,4294967296]]"}) {
    std::string other = text;
    other.replace(at, 12, std::string("\"sources\":") + sources);
    BOOST_TEST(!rosterFromJson(other).has_value(), sources);
  }
}

BOOST_AUTO_TEST_CASE(knows_who_sends_whom_a_state) {
  const Roster roster = withSources({{2, 0}});
  const auto are = [&](int a, int b) {
    return roster.areSourceAndReceiver({Role::kWorker, a}, {Role::kWorker, b});
  };
  BOOST_TEST((are(0, 2) && are(2, 0)));
  BOOST_TEST((!are(0, 1) && !are(2, 1) && !are(0, 0)));
}

BOOST_AUTO_TEST_CASE(reads_back_how_its_algorithm_was_chosen) {
  Roster roster = example();
  roster.shards = ShardMap::ofOwners(ExchangeMethod::kDirect, {0, 0, 0, 0, 0});
  roster.choice = MethodChoice{.method = ExchangeMethod::kDirect,
                               .is_resumed = true,
                               .links = 7,
                               .costs = {1.0 / 3, 1e-9, 0, 1e300},
                               .predicted = {{ExchangeMethod::kDirect, 0.1},
                                             {ExchangeMethod::kScatterGather, 1e-300},
                                             {ExchangeMethod::kHalvingDoubling, 0}}};
  const std::string text = toJson(roster);
  BOOST_TEST_REQUIRE(rosterFromJson(text).has_value());
  BOOST_TEST((rosterFromJson(text)->choice == roster.choice));
  const auto with = [&](const std::string& key, const std::string& value) {
    const auto at = text.find("\"" + key + "\":") + key.size() + 3;
    std::string other = text;
    return other.replace(at, text.find_first_of(",}", at) - at, value);
  };
  BOOST_TEST(rosterFromJson(with("links", "6")).has_value());
  for (const std::string& other :
       {with("links", "-1"), with("links", "1e3"), with("links", "99999999999"),
        with("resumed", "1"), with("direct", "-1"), with("direct", "\"1\""),
        with("direct", "1e999"), with("costs", "[{}"), with("costs", "[[]"), with("costs", "[-1"),
        with("costs", "null,\"x\":["), with("auto", "1,\"x\":{\"y\":1")}) {
    BOOST_TEST(!rosterFromJson(other).has_value(), other);
  }
}

// So many workers that listen nowhere, or some that do as their members change.
BOOST_DATA_TEST_CASE(the_largest_job_fits_one_message,
                     boost::unit_test::data::make({job::kMostWorkers, job::kMostPeers}), workers) {
  const std::string endpoint = "tcp://[1111:2222:3333:4444:5555:6666:7777:8888]:65535";
  Roster roster;
  roster.order = {~0U, ~0U};
  for (int i = 0; i < job::kMostServers; ++i)
    roster.members.push_back({{{Role::kServer, i}, ~0ULL}, endpoint});
  for (int i = 0; i < workers; ++i) {
    const bool listens = workers <= job::kMostPeers;
    roster.members.push_back({{{Role::kWorker, i}, ~0ULL}, listens ? endpoint : ""});
    if (i > 0) roster.sources[{Role::kWorker, i}] = {Role::kWorker, i - 1};
  }
  roster.writer = {Role::kWorker, workers - 1};
  roster.evaluated = std::numeric_limits<Step>::max();
  roster.start_step = std::numeric_limits<Step>::max();
  roster.kernels = "baseline";
  roster.size = kLargestSize;
  std::vector<int> owners(100'000);
  for (std::size_t i = 0; i < owners.size(); ++i)
    owners[i] = static_cast<int>(i * job::kMostServers / owners.size());
  roster.shards = ShardMap::ofOwners(ExchangeMethod::kServers, owners);
  const std::string text = toJson(roster);
  BOOST_TEST(text.size() <= 64U * 1024U);
  BOOST_TEST(rosterFromJson(text).has_value());
}

BOOST_AUTO_TEST_CASE(positions_count_workers_only_and_know_incarnations) {
  const Roster roster = example();
  BOOST_TEST(roster.workers() == 2);
  BOOST_TEST(roster.servers() == 1);
  BOOST_TEST(roster.positionOf({{Role::kWorker, 2}, 8}) == 1);
  BOOST_TEST(roster.positionOf({{Role::kWorker, 2}, 9}) == -1);
  BOOST_TEST((roster.find({Role::kWorker, 1}) == nullptr));
}

BOOST_AUTO_TEST_CASE(rosters_are_ordered_by_term_then_generation) {
  BOOST_TEST((RosterOrder{2, 1} > RosterOrder{1, 9}));
  BOOST_TEST((RosterOrder{1, 2} > RosterOrder{1, 1}));
}

BOOST_AUTO_TEST_CASE(refuses_rosters_that_cannot_be) {
  Roster twice = example();
  twice.members.push_back(twice.members.back());
  Roster unsorted = example();
  std::swap(unsorted.members[0], unsorted.members[1]);
  Roster no_worker = example();
  no_worker.members.resize(1);
  Roster nobody = example();
  nobody.members[1].member.incarnation = 0;
  Roster no_owner = example();
  no_owner.shards = ShardMap::ofOwners(ExchangeMethod::kScatterGather, {0, 1});
  Roster three = example();
  three.members.push_back({{{Role::kWorker, 7}, 9}, ""});
  three.shards = ShardMap::ofOwners(ExchangeMethod::kHalvingDoubling, {0, 2});
  Roster no_writer = example();
  no_writer.writer.index = 1;
  Roster not_evaluated = example();
  not_evaluated.evaluated = -1;
  Roster far = example();
  far.members.back().member.slot.index = kLargestIndex + 1;
  for (const std::string& text :
       {toJson(twice),
        toJson(unsorted),
        toJson(no_worker),
        toJson(nobody),
        toJson(far),
        toJson(no_owner),
        toJson(three),
        toJson(no_writer),
        toJson(not_evaluated),
        withShards("null"),
        withShards(R"({"by":"server"})"),
        withShards(R"({"by":"nobody","owners":[]})"),
        withShards(R"({"by":"server","owners":[1]})"),
        withShards(R"({"by":"server","owners":[[0,0]]})"),
        withShards(R"({"by":"server","owners":[[-1,1]]})"),
        withShards(R"({"by":"server","owners":[[0,4294967295]]})"),
        withShards(R"({"by":"direct","owners":[[0,1048576],[0,1]]})"),
        std::string(),
        std::string("null"),
        std::string(70'000, ' '),
        std::string(60'000, '['),
        std::string(R"({"term":1,"generation":1,"members":[["w",-1,1,""]],"startStep":0,)"
                    R"("kernels":"","size":0})"),
        std::string(R"({"term":1,"generation":1,"members":[["w",4294967296,1,""]],)"
                    R"("startStep":0,"kernels":"","size":0})"),
        std::string(R"({"term":1,"generation":1,"members":[["w",0,1,""]],"startStep":0,)"
                    R"("kernels":"","size":4294967296})"),
        std::string(R"({"term":1,"generation":1,"members":[["w",0,1,""]],)"
                    R"("startStep":18446744073709551615,"kernels":"","size":0})")}) {
    BOOST_TEST(!rosterFromJson(text).has_value(), text.substr(0, 90) << " was taken");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::roster_test
