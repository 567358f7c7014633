#include "base/yaml/node.h"

#include "base/core/check.h"

namespace sumac::yaml {

std::string_view toString(Kind kind) {
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kBoolean: return "a boolean";
    case Kind::kInteger: return "an integer";
    case Kind::kDecimal: return "a decimal number";
    case Kind::kString: return "a string";
    case Kind::kList: return "a list";
    case Kind::kMap: return "a map";
  }
  failCheck("kind is one of the enumerators", "yaml::Kind");
}

const Node* Node::find(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace sumac::yaml
