#include "server/service/service.h"

#include <array>
#include <csignal>
#include <string>

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

namespace sumac::server::service_test {
namespace {

struct Fixture {
  Fixture() {
    setup.name = "test";
    setup.plan_of = [](std::int64_t /*size*/) -> Result<SumPlan> {
      return SumPlan{makeExchangePlan(std::vector<std::int64_t>{3}, /*parts=*/1), {}};
    };
    options.self = {{Role::kServer, 0}, 7};
    options.listen = "tcp://127.0.0.1:0";
  }

  JobSetup setup;
  KernelTable kernels{};
  ServiceOptions options;
  link::Context context;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(service, *boost::unit_test::timeout(30))

BOOST_FIXTURE_TEST_CASE(tells_whoever_started_it_where_it_listens, Fixture) {
  std::array<int, 2> ready{};
  BOOST_REQUIRE(::pipe(ready.data()) == 0);
  options.ready_fd = ready[1];

  const auto service = Service::open(context, options, setup, kernels, Log::discarding());

  BOOST_REQUIRE(service);
  std::array<char, 100> text{};
  const auto size = ::read(ready[0], text.data(), text.size());
  BOOST_REQUIRE(size > 0);
  BOOST_TEST(std::string(text.data(), static_cast<std::size_t>(size)) ==
             (*service)->endpoint() + "\n");
  ::close(ready[0]);
  ::close(ready[1]);
}

BOOST_FIXTURE_TEST_CASE(goes_when_it_is_asked_to, Fixture) {
  sigset_t signals;
  sigset_t before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  options.signal_fd = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  auto service = Service::open(context, options, setup, kernels, Log::discarding()).value();

  // Blocked above: it is read from the descriptor, and ends nothing.
  pthread_kill(pthread_self(), SIGTERM);  // NOLINT(bugprone-bad-signal-to-kill-thread)
  const ProcessEnd end = service->run();

  BOOST_TEST((end.code == ExitCode::kStopped));
  ::close(options.signal_fd);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

BOOST_FIXTURE_TEST_CASE(says_when_its_place_to_listen_is_taken, Fixture) {
  const auto first = Service::open(context, options, setup, kernels, Log::discarding()).value();
  options.listen = first->endpoint();

  const auto second = Service::open(context, options, setup, kernels, Log::discarding());

  BOOST_REQUIRE(!second);
  BOOST_TEST(second.error().message.find(first->endpoint()) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::server::service_test
