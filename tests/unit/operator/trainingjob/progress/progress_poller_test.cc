#include "operator/trainingjob/progress/progress_poller.h"

#include <future>

#include <boost/test/unit_test.hpp>

namespace sumac::trainingjob::progress_poller_test {
namespace {

BOOST_AUTO_TEST_SUITE(progress_poller)

BOOST_AUTO_TEST_CASE(the_key_of_a_job_is_woken_when_its_slot_0_answered,
                     *boost::unit_test::timeout(30)) {
  const SystemClock clock;
  std::promise<api::ObjectKey> woken;
  const auto fetch = [](const std::string& ip, const std::stop_token&) -> Result<std::string> {
    if (ip != "10.0.0.1") return Error{ErrorCode::kUnavailable, "nobody there"};
    return std::string(R"({"jobUid":"u","attempt":3,"step":40,"totalSteps":100})");
  };
  ProgressPoller poller(
      fetch, 2, [&](const api::ObjectKey& key) { woken.set_value(key); }, clock,
      Log::toStderr(LogLevel::kError));

  poller.follow({{"ns", "dead"}, "v", 0, "10.0.0.2"});
  poller.follow({{"ns", "a"}, "u", 3, "10.0.0.1"});

  BOOST_TEST(woken.get_future().get().text() == "ns/a");
  BOOST_TEST(poller.latest({"ns", "a"}, "u", 3)->progress.percentage() == 40);
  BOOST_TEST(!poller.latest({"ns", "dead"}, "v", 0).has_value());
}

BOOST_AUTO_TEST_CASE(a_poller_ends_while_somebody_keeps_it_waiting,
                     *boost::unit_test::timeout(30)) {
  const SystemClock clock;
  std::promise<void> asked;
  const auto fetch = [&](const std::string&, const std::stop_token& stop) -> Result<std::string> {
    std::promise<void> ended;
    const std::stop_callback on_stop(stop, [&] { ended.set_value(); });
    asked.set_value();
    ended.get_future().wait();
    return Error{ErrorCode::kUnavailable, "stopped"};
  };
  ProgressPoller poller(
      fetch, 1, [](const api::ObjectKey&) {}, clock, Log::toStderr(LogLevel::kError));
  poller.follow({{"ns", "a"}, "u", 0, "10.0.0.1"});
  asked.get_future().wait();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::progress_poller_test
