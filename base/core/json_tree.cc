#include "base/core/json_tree.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace sumac {

using nlohmann::ordered_json;

JsonTree::JsonTree() : JsonTree(ordered_json::object()) {}

JsonTree::JsonTree(ordered_json value)
    : value_(std::make_shared<const ordered_json>(std::move(value))) {}

std::string JsonTree::text() const {
  return value_->dump(2);
}

bool JsonTree::operator==(const JsonTree& other) const {
  return value_ == other.value_ || *value_ == *other.value_;
}

}  // namespace sumac
