#include <string>

#include "kernels/kernels.h"

/// What code in a shared library says of the kernels that it loads: their name, or why there are
/// none. Valid until the next call.
extern "C" __attribute__((visibility("default"))) const char* sumacKernelsOfLibrary() {
  static thread_local std::string said;
  const auto kernels = sumac::Kernels::load(sumac::KernelVariant::kBaseline);
  said = kernels ? std::string((*kernels)->name) : kernels.error().message;
  return said.c_str();
}
