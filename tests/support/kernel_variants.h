#pragma once

#include <string>
#include <vector>

#include "kernels/kernels.h"

namespace sumac {

/// The kernels of every variant that this machine can run.
inline std::vector<Kernels> everyVariant() {
  std::vector<Kernels> all;
  const auto variants = availableKernelVariants({});
  for (const KernelVariant variant : variants.value()) {
    all.push_back(Kernels::load(variant).value());
  }
  return all;
}

}  // namespace sumac
