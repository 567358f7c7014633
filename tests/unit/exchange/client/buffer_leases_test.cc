#include "exchange/client/buffer_leases.h"

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"

namespace sumac::worker::buffer_leases_test {
namespace {

struct Fixture {
  std::shared_ptr<BufferLeases> leases = std::make_shared<BufferLeases>();

  /// Whether the set of `step` is free, without a wait.
  bool isFree(Step step) const {
    return leases->awaitReturn(
        step, [] { return false; }, /*until=*/TimePoint{});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(buffer_leases, Fixture, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(a_set_is_free_when_the_last_copy_of_its_lease_is_dropped) {
  BOOST_TEST(isFree(1));
  Lease lease = leases->take(1, {});
  Lease copy = lease;
  BOOST_TEST(!isFree(1));
  BOOST_TEST(!isFree(3));  // the same buffers
  BOOST_TEST(isFree(2));
  lease.reset();
  BOOST_TEST(!isFree(1));
  copy.reset();
  BOOST_TEST(isFree(1));
}

BOOST_AUTO_TEST_CASE(a_lease_keeps_the_owners_of_its_values_and_outlives_all_else) {
  auto owner = std::make_shared<int>();
  const std::weak_ptr<int> kept = owner;
  const std::array contributions{Contribution{{0, 1}, {}, std::move(owner)}};
  Lease lease = leases->take(1, contributions);
  leases.reset();
  BOOST_TEST(kept.use_count() == 2);
  lease.reset();
  BOOST_TEST(kept.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(who_overwrites_a_set_waits_for_its_lease) {
  Lease lease = leases->take(1, {});
  std::promise<void> looked;
  auto waiter = std::async(std::launch::async, [&] {
    bool first = true;
    const auto isOver = [&] {
      if (std::exchange(first, false)) looked.set_value();
      return false;
    };
    return leases->awaitReturn(3, isOver, kNever);
  });
  looked.get_future().wait();
  lease.reset();
  BOOST_TEST(waiter.get());
}

BOOST_AUTO_TEST_CASE(a_wait_ends_when_it_is_over) {
  const Lease lease = leases->take(1, {});
  std::atomic<bool> is_over = false;
  std::promise<void> looked;
  auto waiter = std::async(std::launch::async, [&] {
    bool first = true;
    const auto isOver = [&] {
      if (std::exchange(first, false)) looked.set_value();
      return is_over.load();
    };
    return leases->awaitReturn(3, isOver, kNever);
  });
  looked.get_future().wait();
  is_over = true;
  leases->look();
  BOOST_TEST(!waiter.get());
}

// A peer that reads nothing may keep those of the former buffers for minutes.
BOOST_AUTO_TEST_CASE(other_buffers_are_free_and_leases_of_the_former_ones_change_nothing) {
  Lease former = leases->take(1, {});
  leases->renew();
  BOOST_TEST(isFree(1));
  Lease lease = leases->take(3, {});
  former.reset();
  BOOST_TEST(!isFree(1));
  lease.reset();
  BOOST_TEST(isFree(1));
}

BOOST_AUTO_TEST_CASE(two_leases_of_one_set_are_a_mistake) {
  const Lease lease = leases->take(1, {});
  BOOST_CHECK_THROW(leases->take(3, {}), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::buffer_leases_test
