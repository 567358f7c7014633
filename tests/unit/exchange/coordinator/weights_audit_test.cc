#include "exchange/coordinator/weights_audit.h"

#include <boost/test/unit_test.hpp>

namespace sumac::weights_audit_test {

namespace {

Slot worker(int index) {
  return {Role::kWorker, index};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(weights_audit)

BOOST_AUTO_TEST_CASE(equal_weights_agree_and_raise_nobody) {
  WeightsAudit audit(2);
  BOOST_TEST(!audit.report(worker(0), 100, 7).agreed);
  BOOST_TEST(!audit.agreed(100));
  BOOST_TEST(audit.report(worker(1), 100, 7).agreed);
  BOOST_TEST(audit.agreed(100));
  const auto again = audit.report(worker(0), 100, 7);  // on a new connection
  BOOST_TEST(again.agreed);
  BOOST_TEST(again.different.empty());
}

BOOST_AUTO_TEST_CASE(names_the_one_that_the_majority_contradicts) {
  WeightsAudit audit(3);
  audit.report(worker(0), 100, 7);
  audit.report(worker(1), 100, 8);
  BOOST_TEST((audit.report(worker(2), 100, 7).different == std::vector<Slot>{worker(1)}));
}

BOOST_AUTO_TEST_CASE(names_both_of_two) {
  WeightsAudit audit(2);
  audit.report(worker(0), 100, 7);
  BOOST_TEST(
      (audit.report(worker(1), 100, 8).different == std::vector<Slot>{worker(0), worker(1)}));
  BOOST_TEST(!audit.agreed(100));
}

BOOST_AUTO_TEST_CASE(steps_are_compared_apart_and_repeats_do_not_count) {
  WeightsAudit audit(2);
  audit.report(worker(0), 100, 7);
  BOOST_TEST(audit.report(worker(0), 100, 7).different.empty());
  BOOST_TEST(audit.report(worker(1), 200, 8).different.empty());
  BOOST_TEST(audit.report(worker(1), 100, 7).different.empty());
}

BOOST_AUTO_TEST_CASE(knows_the_newest_report_that_nobody_contradicts) {
  WeightsAudit audit(3);
  BOOST_TEST(!audit.uncontested(worker(0)).has_value());
  audit.report(worker(0), 100, 7);
  audit.report(worker(0), 200, 8);
  BOOST_TEST(audit.uncontested(worker(0))->step == 200);
  BOOST_TEST(audit.uncontested(worker(0))->crc == 8U);
  audit.report(worker(1), 200, 9);
  BOOST_TEST(!audit.uncontested(worker(0)).has_value());
}

BOOST_AUTO_TEST_CASE(knows_who_has_nothing_more_to_say_of_a_step) {
  WeightsAudit audit(3);
  BOOST_TEST(!audit.hasReported(worker(0), 100));
  audit.report(worker(0), 100, 7);
  BOOST_TEST(audit.hasReported(worker(0), 99));
  BOOST_TEST(audit.hasReported(worker(0), 100));
  BOOST_TEST(!audit.hasReported(worker(0), 101));
  BOOST_TEST(!audit.hasReported(worker(1), 100));
}

BOOST_AUTO_TEST_CASE(forgets_the_oldest_step_when_reports_never_come) {
  WeightsAudit audit(2);
  for (Step step = 0; step < 100; ++step) {
    audit.report(worker(0), step, 7);
  }
  BOOST_TEST(audit.report(worker(1), 0, 8).different.empty());
  BOOST_TEST(audit.report(worker(1), 99, 8).different.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::weights_audit_test
