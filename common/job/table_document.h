#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "common/job/field.h"
#include "common/job/job.h"
#include "common/yaml/node.h"

namespace sumac::job {

/// A document that fits its table of fields, with schema defaults, or all its problems in order.
struct TableDocument {
  std::optional<yaml::Node> root;  // a map; present exactly when `problems` is empty
  std::vector<Problem> problems;
};

/// Reads `text` as a document whose fields `schema` describes; `file` is for the messages, and
/// `noun` what it should be: "an Experiment".
TableDocument readTable(const Field& schema, std::string_view noun, std::string_view text,
                        std::string_view file);

}  // namespace sumac::job
