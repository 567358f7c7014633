#pragma once

#include "base/core/result.h"
#include "operator/program/operator_flags.h"
#include "operator/trainingjob/state/record.h"

namespace sumac::program {

/// The defaults of all jobs, from the flags and the template files that they name. Fails with
/// kInvalid, naming the file, if a file is not a PodTemplateSpec.
Result<trainingjob::Defaults> readDefaults(const OperatorFlags& flags,
                                           const std::string& operator_namespace);

}  // namespace sumac::program
