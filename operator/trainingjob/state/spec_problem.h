#pragma once

#include <string>

namespace sumac::trainingjob {

enum class SpecProblemKind {
  kInvalid,   // it cannot be run, and most fields of a job never change
  kNewer,     // it has fields or values that this operator does not know, and a later one may
  kTemplate,  // a pod template cannot be used; it may be corrected while the job is suspended
};

/// Why no pods can be made from the spec as it is now. A value type.
struct SpecProblem {
  SpecProblemKind kind = SpecProblemKind::kInvalid;
  std::string message;  // all problems, one per line

  bool operator==(const SpecProblem&) const = default;
};

}  // namespace sumac::trainingjob
