#include "exchange/coordinator/suspicions.h"

#include <boost/test/unit_test.hpp>

namespace sumac::suspicions_test {
namespace {

constexpr Slot server(int index) {
  return {Role::kServer, index};
}
constexpr Slot worker(int index) {
  return {Role::kWorker, index};
}

struct Fixture {
  Suspicions suspicions;
  TimePoint start{std::chrono::hours(1)};

  void add(Slot one, Slot other) { suspicions.add(one, other, start); }
  /// Of a job whose coordinator is server 0.
  std::optional<Slot> judged() const {
    return suspicions.judge(start + Suspicions::kGather, server(0));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(suspicions_, Fixture)

BOOST_AUTO_TEST_CASE(nobody_goes_before_others_had_the_time_to_be_named) {
  BOOST_TEST(!judged().has_value());
  add(worker(1), server(1));
  suspicions.add(worker(2), server(1), start + std::chrono::milliseconds(900));
  BOOST_TEST(!suspicions.judge(start + Suspicions::kGather - Duration(1), server(0)).has_value());
  BOOST_TEST((judged() == server(1)));
}

BOOST_AUTO_TEST_CASE(who_is_in_most_pairs_goes_whoever_said_so) {
  add(worker(2), worker(0));
  add(worker(0), server(1));
  BOOST_TEST((judged() == worker(0)));
}

BOOST_AUTO_TEST_CASE(the_same_pair_counts_once_whoever_names_it) {
  add(worker(0), server(1));
  add(worker(0), server(1));
  add(server(1), worker(0));
  add(worker(1), worker(2));
  add(worker(1), server(2));
  BOOST_TEST((judged() == worker(1)));
}

BOOST_AUTO_TEST_CASE(of_two_equal_ones_the_worker_goes_then_the_higher_index) {
  add(worker(0), server(3));
  BOOST_TEST((judged() == worker(0)));
  add(worker(1), worker(2));
  BOOST_TEST((judged() == worker(2)));
}

BOOST_AUTO_TEST_CASE(the_coordinator_never_goes) {
  add(worker(0), server(0));
  add(worker(1), server(0));
  BOOST_TEST((judged() == worker(1)));
  const auto of_workers = suspicions.judge(start + Suspicions::kGather, worker(1));
  BOOST_TEST((of_workers == server(0)));
}

BOOST_AUTO_TEST_CASE(who_is_gone_is_in_no_pair_and_the_next_one_is_gathered_for_again) {
  add(worker(0), server(1));
  add(worker(2), worker(0));
  suspicions.forget(worker(0));
  BOOST_TEST(!judged().has_value());
  suspicions.add(worker(2), server(1), start + Suspicions::kGather);
  BOOST_TEST(!judged().has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::suspicions_test
