#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/core/file.h"
#include "base/yaml/node.h"
#include "base/yaml/scalar.h"

namespace sumac::job {

// Helpers for the rules in the field table. All accept documents with problems elsewhere.

inline bool has(const yaml::Node& self, std::string_view name) {
  return self.find(name) != nullptr;
}

/// The scalar's text; "" when there is none.
inline std::string_view textOf(const yaml::Node& self, std::string_view name) {
  const yaml::Node* const node = self.find(name);
  return node == nullptr ? std::string_view() : std::string_view(node->text);
}

/// The field `path` names a folder as it stands, or is absent or empty. In CEL: kNamesFolder.
inline bool namesFolder(const yaml::Node& self) {
  const std::string_view path = textOf(self, "path");
  return path.empty() || folderNameProblem(path).empty();
}
inline constexpr const char* kNamesFolder = "!has(self.path) || !self.path.matches('^~|://')";

inline std::optional<std::int64_t> integerIn(const yaml::Node& self, std::string_view name) {
  const yaml::Node* const node = self.find(name);
  return node == nullptr ? std::nullopt : yaml::integerOf(*node);
}

/// a <= b, or one of them is absent or not an integer.
inline bool ordered(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return !a || !b || *a <= *b;
}

}  // namespace sumac::job
