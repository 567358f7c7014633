#include "common/link/sum_places.h"

#include <vector>

#include <boost/test/unit_test.hpp>

#include "server/sync/sum_exchange.h"
#include "tests/support/plain_kernels.h"
#include "tests/support/recording_link.h"
#include "tests/unit/server/sync/worker_header.h"

// Where sums are written, and what goes on as it came.

namespace sumac::server::sum_places_test {
namespace {

using wire::Header;
using wire::MessageType;

constexpr std::int64_t kValues = 5;

/// Memory of a worker, which is there or not.
class Places final : public link::SumPlaces {
 public:
  float* placeOf(Step /*step*/, const RangeRun& run) override {
    return is_there ? &memory[static_cast<std::size_t>(run.first)] : nullptr;
  }

  bool is_there = true;
  std::vector<float> memory = std::vector<float>(kValues + 1);
};

struct Fixture {
  RecordingLink link;
  Places places;
  ExchangePlan plan = makeExchangePlan({kValues}, 2);
  SumExchange sums{base(), /*workers=*/2, kPlainKernels, link};

  Fixture() { sums.writeSumsTo(&places); }

  static Header base() {
    Header header;
    header.job = 7;
    header.sender = {{Role::kWorker, 0}, 100};
    return header;
  }
  void open(const ShardMap& shards, int workers = 2) {
    Roster roster;
    roster.order = {1, 1};
    for (int i = 0; i < workers; ++i)
      roster.members.push_back({{{Role::kWorker, i}, 100U + static_cast<unsigned>(i)}, "e"});
    roster.shards = shards;
    sums.onRoster(roster, plan);
  }
  link::PayloadPtr push(int worker, TreeNode node, float value) {
    Header header = fromWorker(worker, MessageType::kPush, 1);
    header.count = static_cast<std::uint32_t>(plan.values);
    header.node = node;
    const std::vector<float> values(header.count, value);
    const auto payload = link::makePayload(std::as_bytes(std::span(values)));
    sums.onMessage(worker, header, payload);
    return payload;
  }
  /// Where the only sum that was sent lies.
  const void* placeOfSum() const {
    BOOST_TEST_REQUIRE(!link.payloads.empty());
    return link.payloads.front()->bytes().data();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sum_places, Fixture)

BOOST_AUTO_TEST_CASE(a_sum_for_the_own_worker_alone_is_written_where_it_reads_it) {
  open(ShardMap::direct(plan.ranges.size()));
  push(0, {0, 1}, 1);
  push(1, {1, 2}, 2);
  BOOST_TEST(placeOfSum() == places.memory.data());
  BOOST_TEST(places.memory.front() == 3.0F);
  BOOST_TEST(places.memory.back() == 3.0F);
}

BOOST_AUTO_TEST_CASE(without_a_place_it_has_memory_of_its_own) {
  places.is_there = false;
  open(ShardMap::direct(plan.ranges.size()));
  push(0, {0, 1}, 1);
  push(1, {1, 2}, 2);
  BOOST_TEST(link.count(MessageType::kSum) == 1U);
  BOOST_TEST(places.memory.front() == 0.0F);
}

BOOST_AUTO_TEST_CASE(a_sum_that_others_get_waits_for_them_in_memory_of_its_own) {
  open(ShardMap::shareOut(plan, Role::kWorker, {0}));
  push(0, {0, 1}, 1);
  push(1, {1, 2}, 2);
  BOOST_TEST(link.count(MessageType::kSum) == 2U);
  BOOST_TEST(places.memory.front() == 0.0F);
}

BOOST_AUTO_TEST_CASE(what_nobody_adds_to_goes_on_as_it_came) {
  open(ShardMap::shareOut(plan, Role::kWorker, {0}), /*workers=*/1);
  const auto came = push(0, {0, 2}, 1);
  BOOST_TEST_REQUIRE(link.payloads.size() == 1U);
  BOOST_TEST((link.payloads.front() == came));  // and with it its checksum
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::server::sum_places_test
