#include "exchange/plan/kernel_check.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::kernel_check_test {

BOOST_AUTO_TEST_SUITE(kernel_check)

BOOST_AUTO_TEST_CASE(takes_a_checkpoint_of_the_same_kernels_and_with_auto_any) {
  BOOST_TEST(checkKernels(job::Kernels::kAvx2, 7, "avx2/1").has_value());
  BOOST_TEST(checkKernels(job::Kernels::kAuto, 7, "avx512/1").has_value());
}

BOOST_AUTO_TEST_CASE(rejects_a_checkpoint_of_other_kernels_and_names_both) {
  const auto checked = checkKernels(job::Kernels::kAvx512, 7, "avx2/1");

  BOOST_REQUIRE(!checked);
  BOOST_TEST((checked.error().code == ErrorCode::kConflict));
  const std::string expected =
      "step 7 was computed with avx2 kernels, spec.training.kernels asks "
      "for avx512";
  BOOST_TEST(checked.error().message.find(expected) != std::string::npos, checked.error().message);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kernel_check_test
