#pragma once

#include <string_view>
#include <vector>

#include "base/yaml/node.h"
#include "job/document/field.h"
#include "job/document/job.h"

namespace sumac::job {

struct Findings {
  std::vector<Problem> problems;
  std::vector<Problem> unavailable;  // valid, but this version cannot run it yet
};

/// All problems of a document that already has its schema defaults and V, in no particular order.
/// Of a document of another kind that alone: its fields would be many more.
Findings check(const yaml::Node& root, std::string_view file);

/// The same of another kind of document, whose fields `schema` describes.
Findings check(const Field& schema, const yaml::Node& root, std::string_view file);

}  // namespace sumac::job
