#include "engine/checkpoint/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/core/checked.h"

namespace sumac::checkpoint {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::size_t kValueBytes = sizeof(float);
constexpr const char* kMetadataKey = "__metadata__";

Error invalid(const std::string& what) {
  return Error{ErrorCode::kInvalid, "not a usable safetensors file: " + what};
}

/// A name from the file, quoted, escaped and cut, for a message.
std::string quoted(const std::string& name) {
  constexpr std::size_t kMaxShown = 64;
  return json(name.substr(0, kMaxShown)).dump(-1, ' ', true, json::error_handler_t::replace);
}

void storeValues(std::byte* to, std::span<const float> values) {
  if constexpr (std::endian::native == std::endian::little) {
    if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
  } else {
    for (const float value : values) {
      storeLittleEndian(to, std::bit_cast<std::uint32_t>(value));
      to += kValueBytes;
    }
  }
}

void loadValues(const std::byte* from, std::span<float> values) {
  if constexpr (std::endian::native == std::endian::little) {
    if (!values.empty()) std::memcpy(values.data(), from, values.size_bytes());
  } else {
    for (float& value : values) {
      value = std::bit_cast<float>(loadLittleEndian<std::uint32_t>(from));
      from += kValueBytes;
    }
  }
}

/// Where a tensor lies behind the header, in bytes.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The product of the extents times four; nothing when it does not fit.
std::optional<std::uint64_t> bytesOf(const std::vector<std::uint64_t>& shape) {
  std::uint64_t bytes = kValueBytes;
  for (const std::uint64_t extent : shape) {
    const auto product = checkedMultiply(bytes, extent);
    if (!product) return std::nullopt;
    bytes = *product;
  }
  return bytes;
}

std::optional<std::vector<std::uint64_t>> unsignedList(const json& node) {
  constexpr std::size_t kMaxItems = 16;
  if (!node.is_array() || node.size() > kMaxItems) return std::nullopt;
  std::vector<std::uint64_t> items;
  for (const json& item : node) {
    if (!item.is_number_unsigned()) return std::nullopt;
    items.push_back(item.get<std::uint64_t>());
  }
  return items;
}

/// Checks one entry of the header by itself.
Result<Extent> readEntry(const std::string& name, const json& entry, const model::Tensor& tensor,
                         std::uint64_t data_bytes) {
  const std::string where = "tensor " + quoted(name) + ": ";
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets")) {
    return invalid(where + "its entry is not {dtype, shape, data_offsets}");
  }
  if (entry["dtype"] != "F32") return invalid(where + "its dtype is not F32");
  const auto shape = unsignedList(entry["shape"]);
  const auto offsets = unsignedList(entry["data_offsets"]);
  if (!shape || !offsets || offsets->size() != 2) {
    return invalid(where + "shape and data_offsets must be short lists of whole numbers");
  }
  const auto bytes = bytesOf(*shape);
  if (!bytes) return invalid(where + "its shape overflows");
  const Extent extent{(*offsets)[0], (*offsets)[1]};
  if (extent.begin > extent.end || extent.end > data_bytes) {
    return invalid(where + "its data lies outside the file");
  }
  if (extent.end - extent.begin != *bytes) {
    return invalid(where + "its shape needs " + std::to_string(*bytes) + " bytes, it has " +
                   std::to_string(extent.end - extent.begin));
  }
  const bool same = std::equal(
      shape->begin(), shape->end(), tensor.shape.begin(), tensor.shape.end(),
      [](std::uint64_t a, std::int64_t b) { return b >= 0 && a == static_cast<std::uint64_t>(b); });
  if (!same) return invalid(where + "its shape is not the network's");
  return extent;
}

/// Parses the header; a key that comes twice in one map is refused, as json would keep only one.
Result<json> parseHeader(std::string_view text) {
  if (text.empty() || text.front() != '{') return invalid("its header does not begin with {");
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
  if (deep) return invalid("its header is nested too deep");
  if (header.is_discarded() || !header.is_object()) return invalid("its header is not JSON");
  if (twice) return invalid("its header has a duplicate key");
  return header;
}

Result<std::map<std::string, std::string>> takeMetadata(json& header) {
  std::map<std::string, std::string> metadata;
  const auto found = header.find(kMetadataKey);
  if (found == header.end()) return metadata;
  if (!found->is_object()) return invalid("its metadata is not a map");
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) return invalid("metadata " + quoted(key) + " is not text");
    metadata.emplace(key, value.get<std::string>());
  }
  header.erase(found);
  return metadata;
}

/// All extents in the network's order. Together they cover the data exactly once.
Result<std::vector<Extent>> readExtents(const model::Network& network, const json& header,
                                        std::uint64_t data_bytes) {
  std::vector<Extent> extents;
  for (const model::Tensor& tensor : network.tensors) {
    const auto entry = header.find(tensor.name);
    if (entry == header.end()) return invalid("tensor " + quoted(tensor.name) + " is missing");
    auto extent = readEntry(tensor.name, *entry, tensor, data_bytes);
    if (!extent) return extent.error();
    extents.push_back(*extent);
  }
  if (header.size() != network.tensors.size()) {
    for (const auto& [name, entry] : header.items()) {
      const bool known = std::any_of(network.tensors.begin(), network.tensors.end(),
                                     [&key = name](const auto& t) { return t.name == key; });
      if (!known) return invalid("the network has no tensor " + quoted(name));
    }
  }
  std::vector<Extent> sorted = extents;
  std::sort(sorted.begin(), sorted.end(), [](const Extent& a, const Extent& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t end = 0;
  for (const Extent& extent : sorted) {
    if (extent.begin < end) return invalid("two tensors overlap");
    if (extent.begin > end) return invalid("there is a gap between tensors");
    end = extent.end;
  }
  if (end != data_bytes) return invalid("there are bytes after the last tensor");
  return extents;
}

/// A file cut in two.
struct Halves {
  std::string_view header;
  BytesView data;
};

Result<Halves> splitFile(BytesView file) {
  if (file.size() < kLengthBytes) return invalid("it ends within the header's length");
  const auto length = loadLittleEndian<std::uint64_t>(file.data());
  if (length > kMaxHeaderBytes || length > file.size() - kLengthBytes) {
    return invalid("its header of " + std::to_string(length) + " bytes does not fit");
  }
  return Halves{asText(file.subspan(kLengthBytes, length)), file.subspan(kLengthBytes + length)};
}

}  // namespace

Bytes encodeSafetensors(const model::Network& network, std::span<const float> values,
                        const std::map<std::string, std::string>& metadata) {
  SUMAC_CHECK(values.size() == static_cast<std::size_t>(network.parameters), values.size(),
              network.parameters);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  for (std::size_t i = 0; i < network.tensors.size(); ++i) {
    const model::Tensor& tensor = network.tensors[i];
    // Without gaps in plan order, so a tensor ends where the next one begins.
    const std::int64_t next =
        i + 1 == network.tensors.size() ? network.parameters : network.tensors[i + 1].offset;
    const auto begin = static_cast<std::size_t>(tensor.offset) * kValueBytes;
    const auto end = static_cast<std::size_t>(next) * kValueBytes;
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  // Spaces up to a multiple of 8, so that the data is aligned for readers that map the file.
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');

  Bytes file(kLengthBytes + text.size() + values.size_bytes());
  storeLittleEndian<std::uint64_t>(file.data(), text.size());
  std::memcpy(file.data() + kLengthBytes, text.data(), text.size());
  storeValues(file.data() + kLengthBytes + text.size(), values);
  return file;
}

Result<Safetensors> decodeSafetensors(const model::Network& network, BytesView file) {
  const auto split = splitFile(file);
  if (!split) return split.error();
  const BytesView data = split->data;
  auto header = parseHeader(split->header);
  if (!header) return header.error();
  auto metadata = takeMetadata(*header);
  if (!metadata) return metadata.error();
  const auto extents = readExtents(network, *header, data.size());
  if (!extents) return extents.error();

  Safetensors result;
  result.metadata = *std::move(metadata);
  // The extents cover the data once and have the network's shapes, so this is its parameter count.
  result.values.resize(data.size() / kValueBytes);
  SUMAC_CHECK(result.values.size() == static_cast<std::size_t>(network.parameters),
              result.values.size(), network.parameters);
  for (std::size_t i = 0; i < network.tensors.size(); ++i) {
    const Extent& extent = extents.value()[i];
    const auto offset = static_cast<std::size_t>(network.tensors[i].offset);
    const std::size_t count = (extent.end - extent.begin) / kValueBytes;
    loadValues(data.data() + extent.begin, std::span(result.values).subspan(offset, count));
  }
  return result;
}

Result<model::Shape> shapeInFile(BytesView file, const std::string& tensor) {
  const auto split = splitFile(file);
  if (!split) return split.error();
  const auto header = parseHeader(split->header);
  if (!header) return header.error();
  const auto entry = header->find(tensor);
  if (entry == header->end()) return invalid("tensor " + quoted(tensor) + " is missing");
  const bool has_shape = entry->is_object() && entry->contains("shape");
  const auto shape = has_shape ? unsignedList((*entry)["shape"]) : std::nullopt;
  const bool is_usable =
      shape && std::all_of(shape->begin(), shape->end(), [](std::uint64_t extent) {
        return extent <= static_cast<std::uint64_t>(model::kMaxCount);
      });
  if (!is_usable) return invalid("tensor " + quoted(tensor) + ": its shape cannot be used");
  return model::Shape(shape->begin(), shape->end());
}

}  // namespace sumac::checkpoint
