#include "job/document/unquoted.h"

#include <cstddef>

namespace sumac::job {
namespace {

using yaml::Kind;

/// Adds to `first` unless it is known already.
void quoteBelow(const Field& field, const std::string& path, yaml::Node& node, std::string& first) {
  if (field.type == Type::kDecimal &&
      (node.kind == Kind::kInteger || node.kind == Kind::kDecimal) &&
      kDecimalPattern.matches(node.text)) {
    node.kind = Kind::kString;
    if (first.empty()) first = path;
  }
  if (field.type == Type::kList && node.kind == Kind::kList && !field.fields.empty()) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      quoteBelow(field.fields.front(), path + "[" + std::to_string(i) + "]", node.items[i], first);
    }
  }
  if (field.type != Type::kObject || node.kind != Kind::kMap) return;
  for (auto& [key, value] : node.fields) {
    if (const Field* const child = field.find(key))
      quoteBelow(*child, path.empty() ? key : path + "." + key, value, first);
  }
}

}  // namespace

std::string quoteDecimals(const Field& table, yaml::Node& root) {
  std::string first;
  quoteBelow(table, "", root, first);
  return first;
}

}  // namespace sumac::job
