#pragma once

#include <string_view>
#include <vector>

#include "common/job/job.h"
#include "common/yaml/node.h"

namespace sumac::job {

/// All problems of a document that already has its schema defaults and V, in no particular order.
/// `needs_to_run`: what this version cannot run yet is a problem too.
std::vector<Problem> check(const yaml::Node& root, std::string_view file, bool needs_to_run);

}  // namespace sumac::job
