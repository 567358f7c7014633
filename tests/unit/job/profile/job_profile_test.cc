#include "job/profile/job_profile.h"

#include <boost/test/unit_test.hpp>

namespace sumac::job_profile_test {

BOOST_AUTO_TEST_SUITE(job_profile)

BOOST_AUTO_TEST_CASE(a_timing_is_the_median_and_the_quartiles) {
  BOOST_TEST((timingOf({3}) == Timing{3, 3, 3}));
  BOOST_TEST((timingOf({4, 1}) == Timing{2.5, 1.75, 3.25}));
  BOOST_TEST((timingOf({5, 1, 4, 2, 3}) == Timing{3, 2, 4}));
}

BOOST_AUTO_TEST_CASE(a_disturbed_measurement_does_not_move_the_median) {
  BOOST_TEST(timingOf({1, 1, 1, 1, 900}).median == 1);
}

BOOST_AUTO_TEST_CASE(a_step_is_its_passes_and_the_update) {
  BatchProfile batch;
  batch.forward = {1, 1, 1};
  batch.backward = {2, 2, 2};
  batch.update = {0.5, 0.5, 0.5};
  BOOST_TEST(batch.computeSeconds() == 3.5);
}

BOOST_AUTO_TEST_CASE(a_cpu_limit_leaves_fewer_cores) {
  ProfileMachine machine;
  machine.cores = 4;
  BOOST_TEST(coresOf(machine) == 4);
  machine.quota = 1.5;
  BOOST_TEST(coresOf(machine) == 1.5);
  BOOST_TEST(sharedCoresOf(machine) == 2);
  machine.quota = 8;
  BOOST_TEST(sharedCoresOf(machine) == 4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job_profile_test
