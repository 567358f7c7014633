#pragma once

#include <string_view>

#include "base/core/result.h"
#include "base/core/step.h"
#include "job/document/training_job.h"

namespace sumac {

/// The kernel variant that spec.training.kernels asks for, such as "avx2"; empty for auto.
std::string_view nameOf(job::Kernels kernels);

/// The kernel variant in a numerics id: "avx2" of "avx2/1".
std::string_view variantIn(std::string_view numerics);

/// Whether a job that asks for `wanted` can resume from the checkpoint of `step`, which was
/// computed with `numerics` ("avx2/1"). Fails with kConflict: other kernels would change the bits.
Result<void> checkKernels(job::Kernels wanted, Step step, std::string_view numerics);

}  // namespace sumac
