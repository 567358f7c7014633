#pragma once

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sumac {

/// A JSON value that is parsed once, where it enters the process. Copies share it, and it never
/// changes; its fields keep their order. An empty map at first. A value type.
class JsonTree {
 public:
  JsonTree();
  explicit JsonTree(nlohmann::ordered_json value);

  const nlohmann::ordered_json& operator*() const { return *value_; }
  const nlohmann::ordered_json* operator->() const { return value_.get(); }

  /// For files, ConfigMaps and terminals: indented by two.
  std::string text() const;

  /// Compares what the trees hold.
  bool operator==(const JsonTree& other) const;

 private:
  std::shared_ptr<const nlohmann::ordered_json> value_;  // never null
};

}  // namespace sumac
