#include <algorithm>
#include <numeric>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/membership/shard_map.h"
#include "tests/integration/simulation/sim_checks.h"

// What docs/design/exchange.md#strategies promises of the bytes that each node sends.

namespace sumac {
namespace {

using wire::MessageType;

constexpr Step kSteps = 2;

/// Of LeNet-5, cut as production does; each worker has one part.
SimOptions lenet5(int workers) {
  SimOptions options{.workers = workers, .parts = workers, .steps = kSteps};
  options.tensors = {150, 6, 2400, 16, 48'000, 120, 10'080, 84, 840, 10};
  options.cutting = Cutting{};
  return options;
}

std::vector<int> indices(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Payload bytes of that type that `slot` has sent in each step.
std::uint64_t sentBy(const SimJob& job, Slot slot, MessageType type) {
  const auto found = job.counts().bytes.find({slot, type});
  if (found == job.counts().bytes.end()) return 0;
  BOOST_TEST(found->second % kSteps == 0U);
  return found->second / kSteps;
}

std::uint64_t bytesOf(std::int64_t values) {
  return static_cast<std::uint64_t>(values) * sizeof(float);
}

/// The same of all values that travel in a step.
std::uint64_t sentByAll(const SimOptions& options) {
  SimJob job(options);
  runToTheEnd(job, options);
  std::uint64_t all = 0;
  for (const auto& [sender, bytes] : job.counts().bytes) {
    const MessageType type = sender.second;
    if (type == MessageType::kPush || type == MessageType::kSum || type == MessageType::kTotal)
      all += bytes;
  }
  return all / kSteps;
}

void checkBusiest(const ShardMap& map, const ExchangePlan& plan, const SimOptions& options) {
  std::int64_t largest = 0;
  for (const Range& range : plan.ranges)
    largest = std::max(largest, range.count);
  std::int64_t most = 0;
  for (int i = 0; i < options.sums(); ++i)
    most = std::max(most, map.valuesOf(options.sum(i), plan));
  BOOST_TEST(most - plan.values / options.sums() <= largest);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulation_bytes)

BOOST_AUTO_TEST_CASE(with_scatter_and_gather_workers_send_what_the_shard_map_says) {
  for (int workers = 2; workers <= 9; ++workers) {
    SimOptions options = lenet5(workers);
    options.sumBy(ExchangeMethod::kScatterGather);
    const ExchangePlan plan = simPlan(options, /*size=*/0);
    const ShardMap map = ShardMap::shareOut(ExchangeMethod::kScatterGather, plan, indices(workers));
    SimJob job(options);
    runToTheEnd(job, options);
    for (int i = 0; i < workers; ++i) {
      const std::int64_t own = map.valuesOf(options.sum(i), plan);
      BOOST_TEST_CONTEXT("worker " << i << " of " << workers) {
        BOOST_TEST(sentBy(job, {Role::kWorker, i}, MessageType::kPush) ==
                   bytesOf(plan.values - own));
        BOOST_TEST(sentBy(job, {Role::kWorker, i}, MessageType::kSum) ==
                   bytesOf((workers - 1) * own));
      }
    }
    checkBusiest(map, plan, options);
  }
}

BOOST_AUTO_TEST_CASE(sent_directly_everything_goes_to_each_peer_and_no_sum_travels) {
  for (int workers = 2; workers <= 9; ++workers) {
    SimOptions options = lenet5(workers);
    options.sumBy(ExchangeMethod::kDirect);
    const ExchangePlan plan = simPlan(options, /*size=*/0);
    SimJob job(options);
    runToTheEnd(job, options);
    for (int i = 0; i < workers; ++i) {
      BOOST_TEST_CONTEXT("worker " << i << " of " << workers) {
        BOOST_TEST(sentBy(job, {Role::kWorker, i}, MessageType::kPush) ==
                   bytesOf((workers - 1) * plan.values));
        BOOST_TEST(sentBy(job, {Role::kWorker, i}, MessageType::kSum) == 0U);
      }
    }
  }
}

// 2S(N-1)/N for each. What is passed on travels as pushes, what comes back as sums and totals.
BOOST_AUTO_TEST_CASE(by_halving_and_in_a_ring_each_sends_what_the_routes_say_and_no_more) {
  for (const ExchangeMethod method : {ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    const bool halves = method == ExchangeMethod::kHalvingDoubling;
    for (int workers = 2; workers <= 8; workers = halves ? 2 * workers : workers + 1) {
      SimOptions options = lenet5(workers);
      options.sumBy(method);
      const ExchangePlan plan = simPlan(options, /*size=*/0);
      const ShardMap map = ShardMap::shareOut(method, plan, indices(workers));
      SimJob job(options);
      runToTheEnd(job, options);
      std::uint64_t all = 0;
      for (int i = 0; i < workers; ++i) {
        const Slot slot{Role::kWorker, i};
        const std::int64_t own = map.valuesOf(slot, plan);
        BOOST_TEST_CONTEXT("worker " << i << " of " << workers) {
          BOOST_TEST(sentBy(job, slot, MessageType::kPush) == bytesOf(plan.values - own));
        }
        all += sentBy(job, slot, MessageType::kPush) + sentBy(job, slot, MessageType::kSum) +
               sentBy(job, slot, MessageType::kTotal);
      }
      BOOST_TEST(all == bytesOf(2 * (workers - 1) * plan.values));
      checkBusiest(map, plan, options);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_lossy_codec_halves_the_bytes_of_all_but_the_loss) {
  for (const Codec codec : {Codec::kBf16, Codec::kFp16}) {
    for (const ExchangeMethod method : kSimMethods) {
      SimOptions options = lenet5(/*workers=*/4);
      options.steps = kSteps;
      options.codec = codec;
      options.sumBy(method);
      const std::uint64_t exact = [&] {
        SimOptions fp32 = options;
        fp32.codec = Codec::kFp32;
        return sentByAll(fp32);
      }();
      const auto values = static_cast<std::uint64_t>(simPlan(options, 0).values);
      const std::uint64_t copies = exact / (values * sizeof(float));  // of the vector, and its loss
      BOOST_TEST(sentByAll(options) == exact / 2 + 2 * copies);
    }
  }
}

BOOST_AUTO_TEST_CASE(of_rare_rows_little_is_sent) {
  SimOptions options = lenet5(/*workers=*/2);
  options.tensors = {100'000, 1000};
  options.has_rare_rows = true;  // an eighth of 100,000 in a contribution, twice that in a sum
  const std::uint64_t all = bytesOf(4 * simPlan(options, 0).values);
  const std::uint64_t sent = sentByAll(options);
  BOOST_TEST(sent < all / 3);
  BOOST_TEST(sent > all / 6);
}

BOOST_AUTO_TEST_CASE(workers_send_servers_the_gradient_once_and_get_each_sum_once) {
  for (int servers = 1; servers <= 4; ++servers) {
    SimOptions options = lenet5(/*workers=*/4);
    options.servers = servers;
    const ExchangePlan plan = simPlan(options, /*size=*/0);
    const ShardMap map = ShardMap::shareOut(ExchangeMethod::kServers, plan, indices(servers));
    SimJob job(options);
    runToTheEnd(job, options);
    for (int i = 0; i < options.workers; ++i)
      BOOST_TEST(sentBy(job, {Role::kWorker, i}, MessageType::kPush) == bytesOf(plan.values));
    for (int i = 0; i < servers; ++i) {
      BOOST_TEST_CONTEXT("server " << i << " of " << servers) {
        BOOST_TEST(sentBy(job, options.sum(i), MessageType::kSum) ==
                   bytesOf(options.workers * map.valuesOf(options.sum(i), plan)));
      }
    }
    checkBusiest(map, plan, options);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
