#pragma once

#include <cstddef>

#include "kernels/kernel_table.h"
#include "tests/support/plain_codecs.h"

namespace sumac {

inline void addPlainly(float* out, const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = a[i] + b[i];
  }
}

/// Kernels of which only the addition and the codecs are there, for tests that need no library.
inline constexpr KernelTable kPlainKernels = [] {
  KernelTable table{};
  table.abi = SUMAC_KERNEL_ABI;
  table.name = "plain";
  table.add = &addPlainly;
  table.toBf16 = &writePlainly<Codec::kBf16>;
  table.toFp16 = &writePlainly<Codec::kFp16>;
  table.fromBf16 = &readPlainly<Codec::kBf16>;
  table.fromFp16 = &readPlainly<Codec::kFp16>;
  table.countHalves = &countHalvesPlainly;
  return table;
}();

}  // namespace sumac
