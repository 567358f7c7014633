#include "kernels/kernels.h"

#include <array>
#include <cpuid.h>
#include <filesystem>
#include <system_error>
#include <utility>

#include <dlfcn.h>

#include "base/core/installation.h"

namespace sumac {
namespace {

constexpr std::array kVariants{KernelVariant::kBaseline, KernelVariant::kAvx2,
                               KernelVariant::kAvx512};

/// Clang 14 knows no name for it.
bool hasF16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool machineHas(KernelVariant variant) {
  switch (variant) {
    case KernelVariant::kBaseline: return true;
    case KernelVariant::kAvx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && hasF16c();
    case KernelVariant::kAvx512:
      return machineHas(KernelVariant::kAvx2) && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0;
  }
  return false;
}

Result<std::filesystem::path> findLibrary(KernelVariant variant, std::filesystem::path folder) {
  if (folder.empty()) {
    const auto ours = ourLibraries();
    if (!ours) return ours.error();
    folder = *ours;
  }
  const std::string name = "libsumac_kernels_" + std::string(toString(variant)) + ".so";
  std::error_code error;
  if (std::filesystem::exists(folder / name, error)) return folder / name;
  return Error{ErrorCode::kNotFound,
               "there is no " + name + " in " + folder.string() + "; " + kPartsBelongTogether};
}

// The loader's words for what just failed, which come once.
std::string loaderError() {
  // glibc keeps them per thread.
  const char* const text = dlerror();  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? "unknown reason" : text;
}

}  // namespace

std::string_view toString(KernelVariant variant) {
  switch (variant) {
    case KernelVariant::kBaseline: return "baseline";
    case KernelVariant::kAvx2: return "avx2";
    case KernelVariant::kAvx512: return "avx512";
  }
  return "unknown";
}

Result<KernelVariant> kernelVariantFromName(std::string_view name) {
  for (const KernelVariant variant : kVariants) {
    if (toString(variant) == name) return variant;
  }
  return Error{ErrorCode::kInvalid,
               "no kernels \"" + std::string(name) + "\"; there are baseline, avx2, avx512"};
}

Result<std::vector<KernelVariant>> availableKernelVariants(std::string_view limit) {
  KernelVariant best = kVariants.back();
  if (!limit.empty()) {
    const auto named = kernelVariantFromName(limit);
    if (!named) return named.error();
    best = *named;
  }
  std::vector<KernelVariant> available;
  for (const KernelVariant variant : kVariants) {
    if (variant <= best && machineHas(variant)) available.push_back(variant);
  }
  return available;
}

Result<Kernels> Kernels::load(KernelVariant variant, const std::string& folder) {
  const std::string name(toString(variant));
  if (!machineHas(variant)) {
    return Error{ErrorCode::kUnsupported, "this machine cannot run the " + name + " kernels"};
  }
  const auto path = findLibrary(variant, folder);
  if (!path) return path.error();
  std::shared_ptr<void> library(dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle != nullptr) dlclose(handle);
  });
  if (library == nullptr) {
    // The loader does not say which: its errno is its own.
    return Error{ErrorCode::kUnavailable, "cannot open " + path->string() + ": " + loaderError() +
                                              "; it is damaged, or memory (`ulimit -v`) is short"};
  }
  using GetTable = const KernelTable* (*)();
  const auto get_table = reinterpret_cast<GetTable>(dlsym(library.get(), SUMAC_KERNEL_SYMBOL));
  const KernelTable* const table = get_table == nullptr ? nullptr : get_table();
  if (table == nullptr || table->abi != SUMAC_KERNEL_ABI || table->name != name) {
    return Error{ErrorCode::kConflict,
                 path->string() + " does not belong to this program; install both from one build"};
  }
  return Kernels(variant, std::move(library), table);
}

Result<Kernels> Kernels::loadBest(std::string_view limit) {
  const auto variants = availableKernelVariants(limit);
  if (!variants) return variants.error();
  return load(variants->back());
}

}  // namespace sumac
