#include "kernels/kernels.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <dlfcn.h>

#include <boost/test/unit_test.hpp>

#include "base/core/installation.h"
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

// Of a program that has loaded it, such as Python's, no folder has our kernels.
BOOST_AUTO_TEST_CASE(of_a_shared_library_lie_beside_it) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const fs::path library = folder.path() / "libours.so";
  fs::copy_file(SUMAC_LIBRARY_WITH_KERNELS, library);
  const std::unique_ptr<void, int (*)(void*)> opened(::dlopen(library.c_str(), RTLD_NOW),
                                                     ::dlclose);
  BOOST_TEST_REQUIRE(opened.get() != nullptr);
  const auto say =
      reinterpret_cast<const char* (*)()>(::dlsym(opened.get(), "sumacKernelsOfLibrary"));
  BOOST_TEST_REQUIRE(say != nullptr);

  BOOST_TEST(std::string(say()).find(fs::canonical(folder.path()).string()) != std::string::npos);

  const std::string name = "libsumac_kernels_baseline.so";
  fs::create_symlink(ourLibraries().value() / name, folder.path() / name);
  BOOST_TEST(std::string(say()) == "baseline");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kernels_test
