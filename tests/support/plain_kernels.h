#pragma once

#include <cstddef>

#include "common/kernels/kernel_table.h"

namespace sumac {

inline void addPlainly(float* out, const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = a[i] + b[i];
  }
}

/// Kernels of which only the addition is there, for tests that need no library.
inline constexpr KernelTable kPlainKernels = [] {
  KernelTable table{};
  table.abi = SUMAC_KERNEL_ABI;
  table.name = "plain";
  table.add = &addPlainly;
  return table;
}();

}  // namespace sumac
