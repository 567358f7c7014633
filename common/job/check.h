#pragma once

#include <string_view>
#include <vector>

#include "common/job/job.h"
#include "common/yaml/node.h"

namespace sumac::job {

/// Everything that is wrong with a document that has its schema defaults and V, in no order.
/// `needs_to_run`: what is not available yet is wrong too.
std::vector<Problem> check(const yaml::Node& root, std::string_view file, bool needs_to_run);

}  // namespace sumac::job
