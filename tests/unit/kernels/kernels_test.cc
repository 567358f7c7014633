#include "kernels/kernels.h"

#include <filesystem>
#include <fstream>

#include <boost/test/unit_test.hpp>

#include "tests/support/kernel_variants.h"
#include "tests/support/temporary_folder.h"

namespace sumac::kernels_test {

BOOST_AUTO_TEST_SUITE(kernels)

BOOST_AUTO_TEST_CASE(are_there_for_every_variant_of_this_machine) {
  for (const Kernels& kernels : everyVariant()) {
    BOOST_TEST(kernels->name == toString(kernels.variant()));
    BOOST_TEST(kernels->abi == SUMAC_KERNEL_ABI);
  }
}

BOOST_AUTO_TEST_CASE(begin_with_baseline_and_end_at_the_limit) {
  BOOST_TEST((availableKernelVariants("baseline").value() ==
              std::vector<KernelVariant>{KernelVariant::kBaseline}));
  const auto all = availableKernelVariants({}).value();
  BOOST_TEST((all.front() == KernelVariant::kBaseline));
  const auto limited = availableKernelVariants("avx2").value();
  for (const KernelVariant variant : limited) {
    BOOST_TEST((variant <= KernelVariant::kAvx2));
  }
}

BOOST_AUTO_TEST_CASE(are_all_those_up_to_the_limit_and_no_other) {
  const auto all = availableKernelVariants({}).value();
  for (const KernelVariant limit :
       {KernelVariant::kBaseline, KernelVariant::kAvx2, KernelVariant::kAvx512}) {
    std::vector<KernelVariant> expected;
    for (const KernelVariant variant : all) {
      if (variant <= limit) expected.push_back(variant);
    }
    BOOST_TEST((availableKernelVariants(toString(limit)).value() == expected), toString(limit));
  }
}

BOOST_AUTO_TEST_CASE(refuse_a_limit_that_does_not_exist) {
  const auto variants = availableKernelVariants("avx1024");
  BOOST_REQUIRE(!variants);
  BOOST_TEST(variants.error().code == ErrorCode::kInvalid);
  BOOST_TEST(variants.error().message.find("avx512") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(name_the_folder_where_the_library_is_missing) {
  const TemporaryFolder folder;
  const auto kernels = Kernels::load(KernelVariant::kBaseline, folder.path().string());
  BOOST_REQUIRE(!kernels);
  BOOST_TEST(kernels.error().code == ErrorCode::kNotFound);
  BOOST_TEST(kernels.error().message.find(folder.path().string()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(refuse_a_file_that_is_no_library) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "libsumac_kernels_baseline.so") << "not ELF";
  const auto kernels = Kernels::load(KernelVariant::kBaseline, folder.path().string());
  BOOST_REQUIRE(!kernels);
  BOOST_TEST(kernels.error().code == ErrorCode::kUnavailable);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kernels_test
