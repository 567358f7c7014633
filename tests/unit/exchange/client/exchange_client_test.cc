#include "exchange/client/exchange_client.h"

#include <algorithm>
#include <array>
#include <future>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include <sys/signalfd.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "exchange/wire/job_hash.h"
#include "server/service/service.h"

namespace sumac::worker::exchange_client_test {
namespace {

constexpr const char* kPlan = "batchSize=8\n";

void addValues(float* out, const float* a, const float* b, std::size_t n) {
  std::transform(a, a + n, b, out, [](float left, float right) { return left + right; });
}

/// How the servers of a test are numbered, and where server 0 listens.
struct ServerPlace {
  int index = 0;
  int servers = 1;
  std::string coordinator;
};

/// A server for `workers` workers on a thread of its own.
class ServerThread {
 public:
  ServerThread(link::Context& context, int workers, const ServerPlace& place = {}) {
    kernels_.add = addValues;
    setup_.name = "test";
    setup_.workers = workers;
    setup_.servers = place.servers;
    plan_ = makeExchangePlan(std::vector<std::int64_t>{40000, 3}, /*parts=*/2);
    setup_.plan_of = [plan = plan_](std::int64_t /*size*/) -> Result<SumPlan> {
      return SumPlan{plan, kPlan};
    };
    setup_.plan_text = kPlan;
    server::ServiceOptions options;
    options.self = {{Role::kServer, place.index}, 77};
    options.coordinator = place.coordinator;
    options.listen = "tcp://127.0.0.1:0";
    if (::pipe(signals_.data()) != 0) throw std::runtime_error("pipe");
    options.signal_fd = signals_[0];
    service_ = server::Service::open(context, options, setup_, kernels_, Log::discarding()).value();
    end_ = std::async(std::launch::async, [this] { return service_->run(); });
  }

  ~ServerThread() {
    if (end_.valid()) end_.wait();
    for (const int fd : signals_)
      ::close(fd);
  }

  const ExchangePlan& plan() const { return plan_; }
  const std::string& endpoint() const { return service_->endpoint(); }
  ProcessEnd awaitEnd() { return end_.get(); }

  /// As if a SIGTERM had come.
  void stop() const {
    const signalfd_siginfo info{};
    if (::write(signals_[1], &info, sizeof(info)) < 0) throw std::runtime_error("write");
  }

 private:
  KernelTable kernels_{};
  ExchangePlan plan_;
  JobSetup setup_;
  std::array<int, 2> signals_{};
  std::unique_ptr<server::Service> service_;
  std::future<ProcessEnd> end_;
};

std::unique_ptr<ExchangeClient> openWorker(link::Context& context, const ServerThread& server,
                                           int index, const std::string& plan_text = kPlan) {
  MemberIdentity identity;
  identity.self = {{Role::kWorker, index}, 100 + static_cast<Incarnation>(index)};
  identity.job = wire::jobHash("test", "");
  identity.coordinator_endpoint = server.endpoint();
  identity.request.plan_text = plan_text;
  identity.request.kernels = {"baseline"};
  auto link = link::ZmqLink::open(context, {identity.job, identity.self, {}}, Log::discarding());
  return std::make_unique<ExchangeClient>(std::move(link).value(), identity, server.plan(),
                                          ExchangeOptions{.stays_awake = index == 1},
                                          Log::discarding());
}

/// Shared: messages may leave when the test is over, and they are made of it.
std::shared_ptr<std::vector<float>> valuesOf(const ServerThread& server) {
  return std::make_shared<std::vector<float>>(static_cast<std::size_t>(server.plan().values));
}

// Boost.Test is for one thread: what runs on others throws (std::get does) or returns what it saw.

/// A worker's trainer, with a set of buffers for odd steps and one for even ones.
class TestTrainer {
 public:
  TestTrainer(ExchangeClient& worker, const ServerThread& server, TreeNode block)
      : worker_(worker), values_{valuesOf(server), valuesOf(server)} {
    for (std::size_t i = 0; i < values_.size(); ++i)
      contributions_[i] = {block, *values_[i], values_[i]};
  }
  ~TestTrainer() { worker_.close(); }
  TestTrainer(const TestTrainer&) = delete;
  TestTrainer& operator=(const TestTrainer&) = delete;

  /// Trains one step with gradients that are all `value`; returns what awaitSum() says.
  StepEvent step(Step step, float value, TimePoint until = kNever) {
    const auto parity = static_cast<std::size_t>(step % 2);
    if (const auto over = worker_.awaitBuffers(step)) return *over;
    std::ranges::fill(*values_[parity], value);
    worker_.submit(step, std::span(contributions_).subspan(parity, 1));
    return worker_.awaitSum(step, until);
  }

 private:
  ExchangeClient& worker_;
  std::array<std::shared_ptr<std::vector<float>>, 2> values_;
  std::array<Contribution, 2> contributions_;
};

bool isNotYet(const auto& event) {
  return std::holds_alternative<NotYet>(event);
}

struct Fixture {
  link::Context context;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(exchange_client, *boost::unit_test::timeout(60))

BOOST_FIXTURE_TEST_CASE(gives_every_worker_the_sums_and_the_result, Fixture) {
  ServerThread server(context, /*workers=*/2);
  const auto train = [&](int index) {
    const auto worker = openWorker(context, server, index);
    const TreeNode block = std::get<Start>(worker->join()).block;
    TestTrainer trainer(*worker, server, block);
    std::vector<float> sums;
    for (Step s = 1; s <= 20; ++s) {
      const auto outcome = trainer.step(s, static_cast<float>(s + index));
      const auto values = std::get<Sum>(outcome).values;
      const auto [least, most] = std::ranges::minmax(values);
      sums.push_back(least == most ? least : -1);
    }
    worker->finished(index == 0 ? R"({"loss":1})" : "");
    const ProcessEnd end = worker->awaitEnd();
    return std::pair(sums, end);
  };

  auto first = std::async(std::launch::async, train, 0);
  auto second = std::async(std::launch::async, train, 1);
  const auto [sums, end] = first.get();
  const auto [other_sums, other_end] = second.get();

  std::vector<float> expected;
  for (int s = 1; s <= 20; ++s)
    expected.push_back(static_cast<float>(2 * s + 1));
  BOOST_TEST(sums == expected, boost::test_tools::per_element());
  BOOST_TEST(other_sums == expected, boost::test_tools::per_element());
  BOOST_TEST((end.code == ExitCode::kDone));
  BOOST_TEST(end.reason == R"({"loss":1})");
  BOOST_TEST(other_end.reason == end.reason);
  BOOST_TEST((server.awaitEnd().code == ExitCode::kDone));
}

// Two trainers that send each range once it is final, what is not being spoilt, and read each sum
// as it comes.
BOOST_FIXTURE_TEST_CASE(sends_ranges_as_they_become_final_and_gives_their_sums_as_they_come,
                        Fixture) {
  ServerThread server(context, /*workers=*/2);
  const std::vector<Range> ranges = server.plan().ranges;
  BOOST_TEST_REQUIRE(ranges.size() > 2U);
  const auto train = [&](int index) {
    const auto worker = openWorker(context, server, index);
    const TreeNode block = std::get<Start>(worker->join()).block;
    const std::array values{valuesOf(server), valuesOf(server)};
    std::size_t wrong = 0;
    for (Step step = 1; step <= 20; ++step) {
      const auto& own = values.at(static_cast<std::size_t>(step % 2));
      if (worker->awaitBuffers(step)) return std::size_t{1};
      std::ranges::fill(*own, 1e30F);
      const std::array contributions{Contribution{block, *own, own}};
      worker->begin(step, contributions);
      for (std::size_t i = ranges.size(); i-- > 0;) {
        std::fill_n(own->begin() + ranges[i].first, ranges[i].count,
                    static_cast<float>(step + index));
        worker->announce(std::array{FinalRange{0, ranges[i].id}});
      }
      for (std::uint32_t done = 0; done < ranges.size();) {
        const PartialSum sum =
            worker->awaitRanges(step, done, static_cast<std::uint32_t>(ranges.size()));
        if (sum.ranges == 0) return std::size_t{1};
        const float expected = static_cast<float>(2 * step + 1);
        for (const std::uint32_t end = done + sum.ranges; done < end; ++done) {
          const auto first = sum.values.begin() + ranges[done].first;
          wrong += std::count(first, first + ranges[done].count, expected) == ranges[done].count
                       ? 0U
                       : 1U;
        }
      }
      if (!std::holds_alternative<Sum>(worker->awaitSum(step))) return std::size_t{1};
    }
    worker->finished("{}");
    worker->awaitEnd();
    worker->close();
    return wrong;
  };
  auto first = std::async(std::launch::async, train, 0);
  auto second = std::async(std::launch::async, train, 1);
  BOOST_TEST(first.get() == 0U);
  BOOST_TEST(second.get() == 0U);
  BOOST_TEST((server.awaitEnd().code == ExitCode::kDone));
}

BOOST_FIXTURE_TEST_CASE(gathers_the_sums_of_several_servers, Fixture) {
  ServerThread first(context, /*workers=*/1, {/*index=*/0, /*servers=*/2, {}});
  ServerThread second(context, /*workers=*/1, {/*index=*/1, /*servers=*/2, first.endpoint()});
  const ShardMap shards = ShardMap::shareOut(ExchangeMethod::kServers, first.plan(), {0, 1});
  BOOST_REQUIRE(shards.valuesOf({Role::kServer, 0}, first.plan()) > 0);
  BOOST_REQUIRE(shards.valuesOf({Role::kServer, 1}, first.plan()) > 0);
  const auto worker = openWorker(context, first, 0);
  const TreeNode block = std::get<Start>(worker->join()).block;
  const auto values = valuesOf(first);
  std::iota(values->begin(), values->end(), 1.0F);

  const std::array contributions{Contribution{block, *values, values}};
  worker->submit(1, contributions);
  const auto outcome = worker->awaitSum(1);

  BOOST_REQUIRE(std::holds_alternative<Sum>(outcome));
  BOOST_TEST(std::ranges::equal(std::get<Sum>(outcome).values, *values));
  worker->finished("{}");
  BOOST_TEST((worker->awaitEnd().code == ExitCode::kDone));
  BOOST_TEST((first.awaitEnd().code == ExitCode::kDone));
  BOOST_TEST((second.awaitEnd().code == ExitCode::kDone));
}

BOOST_FIXTURE_TEST_CASE(says_what_differs_when_it_is_refused, Fixture) {
  ServerThread server(context, /*workers=*/1);
  const auto other = openWorker(context, server, 0, "batchSize=9\n");

  const auto joined = other->join();

  BOOST_REQUIRE(std::holds_alternative<ProcessEnd>(joined));
  BOOST_TEST((std::get<ProcessEnd>(joined).code == ExitCode::kBadConfiguration));
  BOOST_TEST(std::get<ProcessEnd>(joined).reason.find("batchSize") != std::string::npos);
  const auto good = openWorker(context, server, 0);
  BOOST_TEST(std::holds_alternative<Start>(good->join()));
  good->fail(ExitCode::kFailed, "the test is over");
  BOOST_TEST((good->awaitEnd().code == ExitCode::kFailed));
  server.awaitEnd();
}

BOOST_FIXTURE_TEST_CASE(stops_all_after_the_same_step_when_one_is_asked_to_leave, Fixture) {
  ServerThread server(context, /*workers=*/2);
  const auto train = [&](int index) {
    const auto worker = openWorker(context, server, index);
    const TreeNode block = std::get<Start>(worker->join()).block;
    TestTrainer trainer(*worker, server, block);
    if (index == 1) worker->leave();
    Step done = 0;
    std::optional<Step> after;
    while (!after) {
      const auto outcome = trainer.step(done + 1, 1);
      if (std::holds_alternative<Sum>(outcome)) ++done;
      // As the trainer does: it begins no step that it knows not to be finished.
      const auto known = worker->stopOrder().after;
      if (known && done >= *known) after = known;
      if (!std::holds_alternative<Sum>(outcome)) after = std::get<StopAfter>(outcome).step;
    }
    const Step last = *after;
    if (index == 0) worker->checkpointed(last);
    worker->stopped();
    return std::tuple(done, last, worker->stopOrder().after, worker->awaitEnd().code);
  };

  auto first = std::async(std::launch::async, train, 0);
  auto second = std::async(std::launch::async, train, 1);
  const auto seen = first.get();
  const auto seen_by_other = second.get();

  BOOST_TEST((seen == seen_by_other));
  const auto [done, last, known, code] = seen;
  BOOST_TEST(done == last);
  BOOST_TEST((known == last));
  BOOST_TEST((code == ExitCode::kStopped));
  BOOST_TEST((server.awaitEnd().code == ExitCode::kStopped));
}

BOOST_FIXTURE_TEST_CASE(ends_a_wait_when_a_worker_fails, Fixture) {
  ServerThread server(context, /*workers=*/2);
  const auto waiting = openWorker(context, server, 0);
  const auto failing = openWorker(context, server, 1);
  const TreeNode block = std::get<Start>(waiting->join()).block;
  failing->join();

  const std::jthread other([&] { failing->fail(ExitCode::kFailed, "loss is not finite"); });
  TestTrainer trainer(*waiting, server, block);
  const auto outcome = trainer.step(1, 1);

  BOOST_REQUIRE(std::holds_alternative<ProcessEnd>(outcome));
  BOOST_TEST(std::get<ProcessEnd>(outcome).reason.find("loss is not finite") != std::string::npos);
  BOOST_TEST((failing->awaitEnd().code == ExitCode::kFailed));
  server.awaitEnd();
}

// A program that calls us has signals of its own to answer meanwhile.
BOOST_FIXTURE_TEST_CASE(a_wait_with_a_deadline_ends_without_what_it_waited_for_and_may_be_repeated,
                        Fixture) {
  constexpr TimePoint kPast{};
  ServerThread server(context, /*workers=*/2);
  const auto worker = openWorker(context, server, 0);
  BOOST_TEST(isNotYet(worker->join(kPast)));
  const auto other = openWorker(context, server, 1);
  const Start start = std::get<Start>(worker->join());
  const TreeNode other_block = std::get<Start>(other->join()).block;

  TestTrainer trainer(*worker, server, start.block);
  BOOST_TEST(isNotYet(trainer.step(1, 1, kPast)));
  BOOST_TEST(isNotYet(worker->awaitSum(1, kPast)));
  BOOST_TEST(worker->awaitRanges(1, 0, 1, kPast).ranges == 0U);
  BOOST_TEST(isNotYet(worker->awaitState(kPast)));
  BOOST_TEST(isNotYet(worker->awaitRoster(start.roster.order, kPast)));
  BOOST_TEST(isNotYet(worker->awaitAgreement(1, kPast)));
  BOOST_TEST(isNotYet(worker->awaitEndOrHalt(kPast)));
  BOOST_TEST(!worker->awaitEnd(kPast).has_value());

  TestTrainer other_trainer(*other, server, other_block);
  BOOST_TEST(std::holds_alternative<Sum>(other_trainer.step(1, 2)));
  const auto sum = worker->awaitSum(1);
  BOOST_TEST_REQUIRE(std::holds_alternative<Sum>(sum));
  BOOST_TEST(std::get<Sum>(sum).values.front() == 3);
  const auto buffers = worker->awaitBuffers(3, kPast);  // read until the first sum of step 2
  BOOST_TEST_REQUIRE(buffers.has_value());
  BOOST_TEST(isNotYet(*buffers));
  worker->fail(ExitCode::kFailed, "the test is over");
  BOOST_TEST((worker->awaitEnd().code == ExitCode::kFailed));
  other->awaitEnd();
  server.awaitEnd();
}

BOOST_FIXTURE_TEST_CASE(leaves_while_it_waits_for_others_to_join, Fixture) {
  ServerThread server(context, /*workers=*/2);
  const auto worker = openWorker(context, server, 0);

  const std::jthread other([&] { worker->leave(); });
  const auto joined = worker->join();

  BOOST_REQUIRE(std::holds_alternative<ProcessEnd>(joined));
  BOOST_TEST((std::get<ProcessEnd>(joined).code == ExitCode::kStopped));
  server.stop();  // it may never have heard of this worker
  BOOST_TEST((server.awaitEnd().code == ExitCode::kStopped));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::exchange_client_test
