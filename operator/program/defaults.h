#pragma once

#include "common/base/result.h"
#include "operator/program/flags.h"
#include "operator/trainingjob/record.h"

namespace sumac {

/// What jobs get that say nothing else: flags, and the template files that they name. Fails with
/// kInvalid where a file is no PodTemplateSpec, and names it.
Result<trainingjob::Defaults> readDefaults(const OperatorFlags& flags,
                                           const std::string& operator_namespace);

}  // namespace sumac
