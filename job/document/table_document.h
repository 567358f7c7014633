#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/node.h"
#include "job/document/field.h"
#include "job/document/job.h"

namespace sumac::job {

/// A document that fits its table of fields, with schema defaults, or all its problems in order.
struct TableDocument {
  std::optional<yaml::Node> root;  // a map; present exactly when `problems` is empty
  std::vector<Problem> problems;
};

/// The table of a whole document of this kind: apiVersion and kind, then `metadata` and `spec`.
Field documentTable(std::string kind, std::string text, Field metadata, Field spec);

/// `metadata` that has nothing but a name.
Field nameOnly(std::string text, std::string name_text);

/// `name` of an item of a list: letters, digits and -._ after a letter or digit.
Field itemName(std::string text, int longest);

/// Reads `text` as a document whose fields `schema` describes; `file` is for the messages, and
/// `noun` what it should be: "an Experiment". Plain numbers are taken for decimals.
TableDocument readTable(const Field& schema, std::string_view noun, std::string_view text,
                        std::string_view file);

}  // namespace sumac::job
