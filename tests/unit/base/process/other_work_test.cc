#include "base/process/other_work.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"

namespace sumac::other_work_test {

BOOST_AUTO_TEST_SUITE(other_work)

BOOST_AUTO_TEST_CASE(the_kernel_tells_how_long_cores_have_worked) {
  const auto work = machineWorkIn(
      "cpu  100 20 30 9999 50 7 8 4 60 0\n"
      "cpu0 50 10 15 9999 25 3 4 2 30 0\n"
      "cpu1 50 10 15 9999 25 3 4 2 30 0\n"
      "intr 1234 5 6\n"
      "ctxt 99\n",
      100);
  BOOST_TEST((work == MachineWork{.cores = 2, .seconds = 1.54}));
}

BOOST_AUTO_TEST_CASE(what_is_no_such_file_tells_nothing) {
  for (const char* const text : {"", "cpu", "cpu 1 2 3", "intr 1 2", "cpu 1 2 3 4 5 6 7 x\ncpu0 1",
                                 "cpu 1 2 3 4 5 6 7 8\nintr 1"})
    BOOST_TEST(!machineWorkIn(text, 100), text);
}

BOOST_AUTO_TEST_CASE(others_take_what_a_job_could_have_used) {
  BOOST_TEST(lackingShare(0, 2, 4) == 0);
  BOOST_TEST(lackingShare(0.5, 2, 4) == 0.25);
  BOOST_TEST(lackingShare(2, 2, 4) == 1);
  BOOST_TEST(lackingShare(-0.1, 2, 4) == 0);  // clocks of the kernel differ by some ticks
  BOOST_TEST(lackingShare(3, 2, 4) == 1);
  // Of many cores there are enough left.
  BOOST_TEST(lackingShare(10, 64, 5) == 0);
  BOOST_TEST(lackingShare(60, 64, 5) == 0.2);
}

BOOST_AUTO_TEST_CASE(a_share_needs_time_to_pass) {
  const ManualClock clock;
  BOOST_TEST(!OtherWork(clock).lacking(1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::other_work_test
