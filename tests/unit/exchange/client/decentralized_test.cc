#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/client/exchange_client.h"

// A worker that also sums and coordinates, without a job document: a vector of some size, and its
// plan. What it tells itself takes no network.

namespace sumac::worker::decentralized_test {
namespace {

constexpr std::uint64_t kJob = 7;
constexpr std::int64_t kSize = 100'003;
constexpr Member kSelf{{Role::kWorker, 0}, 100};

struct Fixture {
  Fixture() {
    JobSetup setup;
    setup.plan_text = "program=linear\n";
    setup.plan_of = [](std::int64_t size) -> Result<SumPlan> { return SumPlan{planOf(size), {}}; };
    setup.method = ExchangeMethod::kDirect;
    setup.servers = 0;
    sums = std::make_unique<WorkerSums>(setup, Kernels::loadBest({}).value(), WorkerSumsOptions{});

    MemberIdentity identity;
    identity.self = kSelf;
    identity.job = kJob;
    identity.coordinator = kSelf.slot;
    identity.request.plan_text = setup.plan_text;
    identity.request.kernels = {"baseline"};
    identity.request.size = kSize;
    auto link = link::ZmqLink::open(
        context, {.job = kJob, .self = kSelf, .listen = "tcp://127.0.0.1:0"}, Log::discarding());
    BOOST_REQUIRE(link);
    identity.request.endpoint = (*link)->endpoint();
    ExchangeOptions exchange;
    exchange.sums = sums.get();
    worker = std::make_unique<ExchangeClient>(*std::move(link), identity, plan, exchange,
                                              Log::discarding());
  }

  static ExchangePlan planOf(std::int64_t size) {
    return makeExchangePlan(std::vector{size}, /*parts=*/4);
  }

  const ExchangePlan plan = planOf(kSize);
  link::Context context;
  std::unique_ptr<WorkerSums> sums;
  std::unique_ptr<ExchangeClient> worker;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(decentralized, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(sums_for_its_worker_and_ends_its_job) {
  const TreeNode block = std::get<Start>(worker->join()).block;
  const auto values = std::make_shared<std::vector<float>>(static_cast<std::size_t>(plan.values));
  std::iota(values->begin(), values->end(), 1.0F);
  const Contribution contribution{block, *values, values};

  worker->submit(1, std::span(&contribution, 1));
  const auto outcome = worker->awaitSum(1);

  BOOST_REQUIRE(std::holds_alternative<Sum>(outcome));
  BOOST_TEST(std::ranges::equal(std::get<Sum>(outcome).values, *values));
  worker->finished(R"({"loss":1})");
  const ProcessEnd end = worker->awaitEnd();
  BOOST_TEST(toInt(end.code) == 0);
  BOOST_TEST(end.reason == R"({"loss":1})");
  worker->close();
  BOOST_TEST(worker->statistics().messages_sent == 0U);
}

BOOST_AUTO_TEST_CASE(a_stop_is_agreed_without_anybody_else) {
  const TreeNode block = std::get<Start>(worker->join()).block;
  const auto values =
      std::make_shared<const std::vector<float>>(static_cast<std::size_t>(plan.values));
  const Contribution contribution{block, *values, values};
  worker->leave();
  Step step = 0;
  // The step that may have begun when the stop is agreed on is the last one.
  while (worker->stopOrder().after.value_or(step + 1) > step) {
    worker->submit(++step, std::span(&contribution, 1));
    BOOST_REQUIRE(std::holds_alternative<Sum>(worker->awaitSum(step)));
  }
  BOOST_TEST((worker->stopOrder().after == step));
  worker->stopped();
  const ProcessEnd end = worker->awaitEnd();
  BOOST_TEST(toInt(end.code) == 143);
  BOOST_TEST(end.reason.starts_with("worker 0 "), end.reason);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::decentralized_test
