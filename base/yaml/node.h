#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sumac::yaml {

/// Where a node begins in its file; both count from 1. {0, 0} if it is not from the file (a
/// default, a flag).
struct Position {
  int line = 0;
  int column = 0;

  auto operator<=>(const Position&) const = default;
};

enum class Kind { kNull, kBoolean, kInteger, kDecimal, kString, kList, kMap };

std::string_view toString(Kind kind);

struct Field;

/// One value of a YAML document with its position: a plain tree, no aliases, no duplicate keys, all
/// keys strings.
///
/// Scalars keep their text as written; the kind of a plain scalar follows kubectl's rules (see
/// plainKind). A value type.
struct Node {
  Kind kind = Kind::kNull;
  Position position;
  std::string text;                       // of a scalar; a string's content, unquoted
  std::vector<Node> items;                // of a list
  std::vector<Field> fields;              // of a map, in order of the file
  std::vector<Position> field_positions;  // of each key of `fields`

  /// The field of this name; nullptr if there is none or this is not a map.
  const Node* find(std::string_view name) const;
};

/// One entry of a map.
struct Field {
  std::string key;
  Node value;
};

}  // namespace sumac::yaml
