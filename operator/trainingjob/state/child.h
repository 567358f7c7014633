#pragma once

#include <array>

namespace sumac::trainingjob {

/// The objects of a job besides its pods: one of each, but one kReaders for each pair of namespaces
/// that the operator and the collectors of metrics have had.
enum class Child {
  kService,
  kConfigMap,
  kSecret,
  kNetworkPolicy,  // members reach each other
  kReaders,        // a NetworkPolicy too: who may read health, metrics and progress
  kCode,           // a ConfigMap that `sumac submit` makes, and we only look for
};

inline constexpr std::array kAllChildren = {Child::kService, Child::kConfigMap,
                                            Child::kSecret,  Child::kNetworkPolicy,
                                            Child::kReaders, Child::kCode};

enum class ChildState {
  kMissing,   // has to be created
  kUnknown,   // somebody may have deleted it: has to be looked up, and created if it is gone
  kPresent,   // exists and belongs to this job, by uid
  kForeign,   // an object that does not belong to this job has the name
  kDeleting,  // being deleted: the name will be free later
};

}  // namespace sumac::trainingjob
