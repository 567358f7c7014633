#include "engine/checkpoint/safetensors_head.h"

#include <cstring>
#include <set>
#include <utility>

namespace sumac::checkpoint {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
constexpr const char* kMetadataKey = "__metadata__";

/// Parses the header; a key that comes twice in one map is refused, as json would keep only one.
Result<json> parseHeader(std::string_view text) {
  if (text.empty() || text.front() != '{') return unusable("its header does not begin with {");
  constexpr int kMaxDepth = 3;
  bool twice = false;
  bool deep = false;
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) deep = true;
    if (deep) return false;
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      twice = !keys.back().insert(parsed.get<std::string>()).second || twice;
    }
    return true;
  };
  json header = json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
  if (deep) return unusable("its header is nested too deep");
  if (header.is_discarded() || !header.is_object()) return unusable("its header is not JSON");
  if (twice) return unusable("its header has a duplicate key");
  return header;
}

}  // namespace

Error unusable(const std::string& what) {
  return Error{ErrorCode::kInvalid, "not a usable safetensors file: " + what};
}

std::string quoted(const std::string& name) {
  constexpr std::size_t kMaxShown = 64;
  return json(name.substr(0, kMaxShown)).dump(-1, ' ', true, json::error_handler_t::replace);
}

std::optional<std::vector<std::uint64_t>> unsignedList(const nlohmann::json& node) {
  constexpr std::size_t kMaxItems = 16;
  if (!node.is_array() || node.size() > kMaxItems) return std::nullopt;
  std::vector<std::uint64_t> items;
  for (const json& item : node) {
    if (!item.is_number_unsigned()) return std::nullopt;
    items.push_back(item.get<std::uint64_t>());
  }
  return items;
}

Result<FileParts> fileParts(BytesView file) {
  if (file.size() < kLengthBytes) return unusable("it ends within the header's length");
  const auto length = loadLittleEndian<std::uint64_t>(file.data());
  if (length > kMaxHeaderBytes || length > file.size() - kLengthBytes) {
    return unusable("its header of " + std::to_string(length) + " bytes does not fit");
  }
  auto header = parseHeader(asText(file.subspan(kLengthBytes, length)));
  if (!header) return header.error();
  return FileParts{*std::move(header), file.subspan(kLengthBytes + length)};
}

Result<std::map<std::string, std::string>> takeMetadata(json& header) {
  std::map<std::string, std::string> metadata;
  const auto found = header.find(kMetadataKey);
  if (found == header.end()) return metadata;
  if (!found->is_object()) return unusable("its metadata is not a map");
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) return unusable("metadata " + quoted(key) + " is not text");
    metadata.emplace(key, value.get<std::string>());
  }
  header.erase(found);
  return metadata;
}

nlohmann::ordered_json headWith(const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  return header;
}

Bytes headBytes(const nlohmann::ordered_json& header) {
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  // Spaces up to a multiple of 8, so that the data is aligned for readers that map the file.
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  Bytes head(kLengthBytes + text.size());
  storeLittleEndian<std::uint64_t>(head.data(), text.size());
  std::memcpy(head.data() + kLengthBytes, text.data(), text.size());
  return head;
}

}  // namespace sumac::checkpoint
