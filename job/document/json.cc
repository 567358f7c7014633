#include "job/document/json.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/yaml/scalar.h"

namespace sumac::job {

namespace {

using Json = nlohmann::ordered_json;

Json decimal(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    if (c != '_' && !(c == '+' && plain.empty())) plain += c;
  }
  double value = 0;
  std::from_chars(plain.data(), plain.data() + plain.size(), value);
  return value;
}

Json integer(const yaml::Node& node) {
  if (const auto value = yaml::integerOf(node)) return *value;
  if (const auto value = yaml::unsignedOf(node)) return *value;
  return decimal(node.text);
}

}  // namespace

Json toJson(const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Kind::kNull: return nullptr;
    case yaml::Kind::kBoolean: return *yaml::booleanOf(node);
    case yaml::Kind::kInteger: return integer(node);
    case yaml::Kind::kDecimal: return decimal(node.text);
    case yaml::Kind::kString: return node.text;
    case yaml::Kind::kList: {
      Json list = Json::array();
      for (const yaml::Node& item : node.items)
        list.push_back(toJson(item));
      return list;
    }
    case yaml::Kind::kMap: {
      Json map = Json::object();
      for (const auto& [name, value] : node.fields)
        map[name] = toJson(value);
      return map;
    }
  }
  failCheck("kind is one of the enumerators", "toJson");
}

}  // namespace sumac::job
