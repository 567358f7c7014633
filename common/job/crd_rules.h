#pragma once

#include <string>
#include <vector>

#include "common/job/field.h"

namespace sumac::job {

/// One entry of x-kubernetes-validations.
struct CrdRule {
  std::string cel;
  std::string message;
};

/// The CEL rules of one field: its range, its own rules, the rules between its fields, and for
/// `spec` the fields that must not change.
std::vector<CrdRule> crdRules(const Field& field);

}  // namespace sumac::job
