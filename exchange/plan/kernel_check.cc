#include "exchange/plan/kernel_check.h"

#include <string>

namespace sumac {

std::string_view nameOf(job::Kernels kernels) {
  switch (kernels) {
    case job::Kernels::kAuto: return {};
    case job::Kernels::kBaseline: return "baseline";
    case job::Kernels::kAvx2: return "avx2";
    case job::Kernels::kAvx512: return "avx512";
  }
  return {};
}

std::string_view variantIn(std::string_view numerics) {
  return numerics.substr(0, numerics.find('/'));
}

Result<void> checkKernels(job::Kernels wanted, Step step, std::string_view numerics) {
  const std::string name(nameOf(wanted));
  const std::string found(variantIn(numerics));
  if (name.empty() || name == found) return {};
  return Error{ErrorCode::kConflict,
               "the checkpoint of step " + std::to_string(step) + " was computed with " + found +
                   " kernels, spec.training.kernels asks for " + name +
                   ", which would change the bits; resume with kernels: " + found +
                   ", or train from step 0 in another folder"};
}

}  // namespace sumac
