#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "kernels/kernel_table.h"

namespace sumac {

/// An instruction set that kernels are built for, slowest first.
enum class KernelVariant : std::uint8_t { kBaseline = 0, kAvx2 = 1, kAvx512 = 2 };

std::string_view toString(KernelVariant variant);
Result<KernelVariant> kernelVariantFromName(std::string_view name);

/// The variants that this machine can run, slowest first. `SUMAC_KERNELS` (given as `limit`, empty
/// for none) names the best one to admit.
Result<std::vector<KernelVariant>> availableKernelVariants(std::string_view limit);

/// The kernels of one variant: a library opened with RTLD_LOCAL that stays open as long as this
/// lives.
///
/// Looked for in `folder`, or in ourLibraries() when that is empty. A value type; safe from any
/// thread, as the functions have no state.
class Kernels {
 public:
  /// Fails with kUnsupported when the machine lacks the instructions, with kNotFound (and the
  /// place looked at) when the library is missing.
  static Result<Kernels> load(KernelVariant variant, const std::string& folder = {});

  /// The best one of availableKernelVariants(); fails as that and load() do.
  static Result<Kernels> loadBest(std::string_view limit);

  KernelVariant variant() const { return variant_; }
  const KernelTable& operator*() const { return *table_; }
  const KernelTable* operator->() const { return table_; }

 private:
  Kernels(KernelVariant variant, std::shared_ptr<void> library, const KernelTable* table)
      : variant_(variant), library_(std::move(library)), table_(table) {}

  KernelVariant variant_;
  std::shared_ptr<void> library_;
  const KernelTable* table_;
};

}  // namespace sumac
