#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "base/yaml/node.h"

namespace sumac::yaml {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxKeyBytes = 1000;  // as JSON: YAML has none of more than 1,024
constexpr std::size_t kMaxNodes = 10'000;   // keys and values, after aliases are expanded

/// The tree of a document, or why and where it was rejected.
struct Document {
  std::optional<Node> root;
  Position position;    // of the problem
  std::string message;  // empty exactly when there is a root
};

/// Reads one YAML document of at most kMaxBytes.
///
/// Plain scalars mean what they mean to kubectl (plainKind). Rejected, each with its position:
/// bytes that are not UTF-8, NUL, trees deeper than kMaxDepth or larger than kMaxNodes, duplicate
/// keys, keys that are not strings, the merge key `<<`, aliases inside their own anchor, tags other
/// than !!str, .inf and .nan, keys of more than kMaxKeyBytes, and anything after the document. An
/// empty text is a null node.
Document parse(std::string_view text);

/// What parse() gives for the text of `value`, without that text: the positions only number keys
/// and values in their order, on line 1. Applies the limits on depth, nodes and keys; the caller
/// limits the size.
Document fromJson(const nlohmann::ordered_json& value);

/// parse() for callers that only pass the message on: "job.yaml:3:5: duplicate key ...".
Result<Node> read(std::string_view text, std::string_view file);

}  // namespace sumac::yaml
