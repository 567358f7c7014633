#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/node.h"

namespace sumac::job {

/// A warning for each field in the pod templates of a document that Kubernetes does not know at the
/// levels of PodSpec and Container: the API server drops it from the pods without a word; and for
/// each amount of a container's resources that it cannot read: it refuses the pods. Warnings only,
/// as a later Kubernetes may know more. `file` is for their beginning.
std::vector<std::string> podFieldWarnings(const yaml::Node& root, std::string_view file);

}  // namespace sumac::job
