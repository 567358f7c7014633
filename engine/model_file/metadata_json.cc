#include "engine/model_file/metadata_json.h"

#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

namespace sumac::worker {

using nlohmann::json;

Error wrongMetadata(const std::string& name, const std::string& rule) {
  return Error{ErrorCode::kInvalid,
               "its description is damaged: metadata \"" + name + "\" " + rule};
}

json jsonOf(const Metadata& metadata, const char* name) {
  const auto found = metadata.find(name);
  if (found == metadata.end()) return nullptr;
  json parsed = json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? json(nullptr) : parsed;
}

json nameJson(const std::string& name) {
  json text(name);
  const std::string dumped = text.dump(-1, ' ', false, json::error_handler_t::ignore);
  if (json::parse(dumped).get_ref<const std::string&>() == name) return text;
  return json(std::vector<std::uint8_t>(name.begin(), name.end()));
}

json namesJson(const std::vector<std::string>& names) {
  json list = json::array();
  for (const std::string& name : names)
    list.push_back(nameJson(name));
  return list;
}

std::optional<std::string> nameIn(const json& node) {
  constexpr unsigned kLargestByte = 255;
  if (node.is_string() && !node.get_ref<const std::string&>().empty())
    return node.get<std::string>();
  if (!node.is_array() || node.empty()) return std::nullopt;
  std::string name;
  for (const json& byte : node) {
    if (!byte.is_number_unsigned() || byte.get<std::uint64_t>() > kLargestByte) return std::nullopt;
    name += static_cast<char>(byte.get<unsigned>());
  }
  return name;
}

std::optional<std::vector<std::string>> namesIn(const json& node) {
  constexpr std::size_t kMostNames = 10'000'000;
  if (!node.is_array() || node.size() > kMostNames) return std::nullopt;
  std::vector<std::string> names;
  for (const json& item : node) {
    auto name = nameIn(item);
    if (!name) return std::nullopt;
    names.push_back(std::move(*name));
  }
  return names;
}

}  // namespace sumac::worker
