#include "operator/control/lease_runner.h"

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>

#include <boost/test/unit_test.hpp>

namespace sumac::control::lease_runner_test {
namespace {

using std::chrono::milliseconds;

/// One Lease in memory, shared by candidates; can be away.
class FakeLease final : public kube::LeaseClient {
 public:
  kube::LeaseReply get(const std::stop_token& /*stop*/) override {
    const std::lock_guard lock(mutex_);
    if (is_away_) return away();
    if (!record_) return refusal(404, "NotFound");
    return {*record_, std::nullopt};
  }
  kube::LeaseReply create(const kube::LeaseRecord& record, const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    if (is_away_) return away();
    if (record_) return refusal(409, "AlreadyExists");
    return store(record);
  }
  kube::LeaseReply update(const kube::LeaseRecord& record, const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    if (is_away_) return away();
    if (!record_ || record_->resource_version != record.resource_version) {
      return refusal(409, "Conflict");
    }
    return store(record);
  }

  void setAway(bool is_away) {
    const std::lock_guard lock(mutex_);
    is_away_ = is_away;
  }
  kube::LeaseRecord record() {
    const std::lock_guard lock(mutex_);
    return record_.value_or(kube::LeaseRecord());
  }

 private:
  static kube::LeaseReply refusal(int status, const char* reason) {
    kube::Failure failure;
    failure.status = status;
    failure.reason = reason;
    return {{}, failure};
  }
  static kube::LeaseReply away() { return refusal(0, ""); }
  kube::LeaseReply store(const kube::LeaseRecord& record) {
    record_ = record;
    record_->resource_version = std::to_string(++version_);
    return {*record_, std::nullopt};
  }

  std::mutex mutex_;
  std::optional<kube::LeaseRecord> record_;
  int version_ = 0;
  bool is_away_ = false;
};

/// Longer than any test: the gate of a leader stays open on however busy a machine.
constexpr std::chrono::hours kLong(1);

struct Candidate {
  Candidate(FakeLease& lease, const std::string& identity, Duration renew_deadline = kLong)
      : runner({lease, gate, clock, wall}, optionsOf(identity, renew_deadline),
               {[this] { leading.set_value(); },
                [this](const std::string& why) { lost.set_value(why); }},
               /*seed=*/1, Log::discarding()) {}

  static ElectionOptions optionsOf(const std::string& identity, Duration renew_deadline) {
    ElectionOptions options;
    options.identity = identity;
    options.lease_duration = 3 * renew_deadline;
    options.renew_deadline = renew_deadline;
    options.retry_period = milliseconds(10);
    return options;
  }

  bool mayWrite() const { return gate.isOpen(clock.now()); }

  const SystemClock clock;
  const SystemWallClock wall;
  WriteGate gate;
  std::promise<void> leading;
  std::promise<std::string> lost;
  LeaseRunner runner;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(lease_runner, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(leads_and_opens_the_gate) {
  FakeLease lease;
  Candidate a(lease, "a");

  a.leading.get_future().get();

  BOOST_TEST(a.mayWrite());
  BOOST_TEST(a.runner.isLeader());
  BOOST_TEST(lease.record().holder == "a");
}

BOOST_AUTO_TEST_CASE(a_released_lease_is_taken_by_the_other) {
  FakeLease lease;
  Candidate a(lease, "a");
  a.leading.get_future().get();
  Candidate b(lease, "b");
  BOOST_TEST(!b.mayWrite());

  a.runner.release();

  BOOST_TEST(!a.mayWrite());
  b.leading.get_future().get();
  BOOST_TEST(lease.record().holder == "b");
  BOOST_TEST(lease.record().transitions == 1);
}

BOOST_AUTO_TEST_CASE(a_leader_without_an_api_server_shuts_its_gate_and_says_why) {
  FakeLease lease;
  Candidate a(lease, "a", milliseconds(300));
  a.leading.get_future().get();

  lease.setAway(true);
  const std::string why = a.lost.get_future().get();

  BOOST_TEST(!a.mayWrite());
  BOOST_TEST(!a.runner.isLeader());
  BOOST_TEST(why.find("not renewed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_gate_is_shut_by_time_alone) {
  WriteGate gate;
  const TimePoint now{std::chrono::seconds(100)};
  BOOST_TEST(!gate.isOpen(now));

  gate.openUntil(now + milliseconds(10));

  BOOST_TEST(gate.isOpen(now));
  BOOST_TEST(!gate.isOpen(now + milliseconds(10)));
  gate.openUntil(TimePoint::max());
  BOOST_TEST(gate.isOpen(now));
  gate.shut();
  BOOST_TEST(!gate.isOpen(TimePoint{}));
}

BOOST_AUTO_TEST_CASE(who_never_led_releases_nothing) {
  FakeLease lease;
  Candidate a(lease, "a");
  a.leading.get_future().get();
  Candidate b(lease, "b");

  b.runner.release();

  BOOST_TEST(lease.record().holder == "a");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::lease_runner_test
