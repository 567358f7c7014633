#include "exchange/coordinator/link_probe.h"

#include <boost/test/unit_test.hpp>

namespace sumac::link_probe_test {
namespace {

using boost::test_tools::tolerance;
using std::chrono::microseconds;

Slot worker(int index) {
  return {Role::kWorker, index};
}

struct Fixture {
  LinkProbe probe;
  TimePoint now{std::chrono::hours(1)};

  /// Answers as a link with these costs does, until nothing is asked any more; returns how often.
  int answerAll(double hop, double message, double byte) {
    int bursts = 0;
    while (const auto burst = probe.next(now)) {
      const double seconds = 2 * hop + (burst->messages - 1) * message +
                             static_cast<double>(burst->bytes) * burst->messages * byte;
      // The second round is the least disturbed one.
      const double disturbed = bursts++ / 3 == 1 ? seconds : seconds + 1e-3;
      now += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(disturbed));
      probe.answered(burst->to, burst->ticket, now);
    }
    return bursts;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(link_probe, Fixture)

BOOST_AUTO_TEST_CASE(tells_hops_messages_and_bytes_apart_by_the_fastest_of_three) {
  probe.add(worker(1));
  BOOST_TEST(!probe.isIdle());
  BOOST_TEST(answerAll(40e-6, 5e-6, 1e-9) == 9);
  BOOST_TEST(probe.isIdle());
  BOOST_TEST_REQUIRE(probe.links().size() == 1U);
  BOOST_TEST(probe.links()[0].hop == 40e-6, tolerance(1e-3));
  BOOST_TEST(probe.links()[0].message == 5e-6, tolerance(1e-2));
  BOOST_TEST(probe.links()[0].byte == 1e-9, tolerance(1e-2));
  BOOST_TEST(probe.links()[0].add == ExchangeCosts{}.add);
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_faster_than_a_shorter_burst_s_costs_nothing) {
  probe.add(worker(1));
  while (const auto burst = probe.next(now)) {
    now += microseconds(burst->messages == 1 ? 100 : 10);
    probe.answered(burst->to, burst->ticket, now);
  }
  BOOST_TEST(probe.links().at(0).message == 0);
  BOOST_TEST(probe.links().at(0).byte == 0);
}

BOOST_AUTO_TEST_CASE(measures_one_worker_after_the_other_and_a_few_in_all) {
  for (int i = 1; i <= 20; ++i) {
    probe.add(worker(i));
    probe.add(worker(i));
  }
  const auto first = probe.next(now);
  BOOST_TEST_REQUIRE(first.has_value());
  BOOST_TEST((first->to == worker(1)));
  BOOST_TEST(!probe.next(now).has_value());  // before it has answered
  probe.answered(worker(1), first->ticket, now);
  BOOST_TEST((probe.next(now)->to == worker(1)));
  probe.onTick(now + LinkProbe::kPatience);
  BOOST_TEST(answerAll(40e-6, 5e-6, 1e-9) == 7 * 9);
  BOOST_TEST(probe.links().size() == LinkProbe::kMostLinks - 1);
}

BOOST_AUTO_TEST_CASE(answers_that_were_not_asked_for_change_nothing) {
  probe.answered(worker(1), 1, now);
  probe.add(worker(1));
  const auto burst = probe.next(now);
  probe.answered(worker(2), burst->ticket, now);
  probe.answered(worker(1), burst->ticket + 1, now);
  probe.answered(worker(1), 0, now);
  BOOST_TEST(!probe.next(now).has_value());
  probe.answered(worker(1), burst->ticket, now);
  const auto second = probe.next(now);
  BOOST_TEST(second.has_value());
  probe.answered(worker(1), burst->ticket, now);  // again
  BOOST_TEST(!probe.next(now).has_value());
}

BOOST_AUTO_TEST_CASE(a_worker_that_does_not_answer_is_left_out) {
  probe.add(worker(1));
  probe.add(worker(2));
  BOOST_TEST(probe.next(now).has_value());
  probe.onTick(now + LinkProbe::kPatience - microseconds(1));
  BOOST_TEST(!probe.next(now).has_value());
  now += LinkProbe::kPatience;
  probe.onTick(now);
  BOOST_TEST(answerAll(40e-6, 5e-6, 1e-9) == 9);
  BOOST_TEST(probe.links().size() == 1U);
  BOOST_TEST(probe.isIdle());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link_probe_test
