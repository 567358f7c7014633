#include <nlohmann/json.hpp>

#include "base/yaml/builder.h"
#include "base/yaml/reader.h"

namespace sumac::yaml {
namespace {

using nlohmann::ordered_json;

/// Passes a tree's values to a Builder, in order. As deep as the Builder allows.
class JsonEvents {
 public:
  explicit JsonEvents(Builder& builder) : builder_(builder) {}

  void pass(const ordered_json& value) {
    ++position_.column;
    if (value.is_string()) {
      builder_.scalar(position_, value.get<std::string>(), /*plain=*/false, 0);
    } else if (value.is_null()) {
      builder_.null(position_, 0);
    } else if (value.is_object()) {
      builder_.begin(Kind::kMap, position_, 0);
      for (const auto& [key, field] : value.items()) {
        ++position_.column;
        builder_.scalar(position_, key, /*plain=*/false, 0);
        pass(field);
      }
      builder_.end();
    } else if (value.is_array()) {
      builder_.begin(Kind::kList, position_, 0);
      for (const ordered_json& item : value)
        pass(item);
      builder_.end();
    } else {
      builder_.scalar(position_, value.dump(), /*plain=*/true, 0);
    }
  }

 private:
  Builder& builder_;  // outlives us
  Position position_{1, 0};
};

}  // namespace

Document fromJson(const ordered_json& value) {
  try {
    Builder builder;
    JsonEvents(builder).pass(value);
    return {builder.take(), {}, {}};
  } catch (const Refusal& refusal) {
    return {std::nullopt, refusal.position(), refusal.what()};
  }
}

}  // namespace sumac::yaml
