#include "engine/checkpoint/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/core/checked.h"
#include "engine/checkpoint/safetensors_head.h"

namespace sumac::checkpoint {
namespace {

using nlohmann::json;

constexpr std::size_t kValueBytes = sizeof(float);

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

/// Checks one entry of the header by itself.
Result<Extent> readEntry(const std::string& name, const json& entry, const model::Tensor& tensor,
                         std::uint64_t data_bytes) {
  const std::string where = "tensor " + quoted(name) + ": ";
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets")) {
    return unusable(where + "its entry is not {dtype, shape, data_offsets}");
  }
  if (entry["dtype"] != "F32") return unusable(where + "its dtype is not F32");
  const auto shape = unsignedList(entry["shape"]);
  const auto offsets = unsignedList(entry["data_offsets"]);
  if (!shape || !offsets || offsets->size() != 2) {
    return unusable(where + "shape and data_offsets must be short lists of whole numbers");
  }
  const auto bytes = bytesOf(*shape);
  if (!bytes) return unusable(where + "its shape overflows");
  const Extent extent{(*offsets)[0], (*offsets)[1]};
  if (extent.begin > extent.end || extent.end > data_bytes) {
    return unusable(where + "its data lies outside the file");
  }
  if (extent.end - extent.begin != *bytes) {
    return unusable(where + "its shape needs " + std::to_string(*bytes) + " bytes, it has " +
                    std::to_string(extent.end - extent.begin));
  }
  const bool same = std::equal(
      shape->begin(), shape->end(), tensor.shape.begin(), tensor.shape.end(),
      [](std::uint64_t a, std::int64_t b) { return b >= 0 && a == static_cast<std::uint64_t>(b); });
  if (!same) return unusable(where + "its shape is not the network's");
  return extent;
}

/// All extents in the network's order. Together they cover the data exactly once.
Result<std::vector<Extent>> readExtents(const model::Network& network, const json& header,
                                        std::uint64_t data_bytes) {
  std::vector<Extent> extents;
  for (const model::Tensor& tensor : network.tensors) {
    const auto entry = header.find(tensor.name);
    if (entry == header.end()) return unusable("tensor " + quoted(tensor.name) + " is missing");
    auto extent = readEntry(tensor.name, *entry, tensor, data_bytes);
    if (!extent) return extent.error();
    extents.push_back(*extent);
  }
  if (header.size() != network.tensors.size()) {
    for (const auto& [name, entry] : header.items()) {
      const bool known = std::any_of(network.tensors.begin(), network.tensors.end(),
                                     [&key = name](const auto& t) { return t.name == key; });
      if (!known) return unusable("the network has no tensor " + quoted(name));
    }
  }
  std::vector<Extent> sorted = extents;
  std::sort(sorted.begin(), sorted.end(), [](const Extent& a, const Extent& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t end = 0;
  for (const Extent& extent : sorted) {
    if (extent.begin < end) return unusable("two tensors overlap");
    if (extent.begin > end) return unusable("there is a gap between tensors");
    end = extent.end;
  }
  if (end != data_bytes) return unusable("there are bytes after the last tensor");
  return extents;
}

}  // namespace

Bytes encodeSafetensors(const model::Network& network, std::span<const float> values,
                        const std::map<std::string, std::string>& metadata) {
  SUMAC_CHECK(values.size() == static_cast<std::size_t>(network.parameters), values.size(),
              network.parameters);
  nlohmann::ordered_json header = headWith(metadata);
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
  Bytes file = headBytes(header);
  const std::size_t before = file.size();
  file.resize(before + values.size_bytes());
  storeValues(file.data() + before, values);
  return file;
}

Result<std::map<std::string, std::string>> metadataOf(BytesView file) {
  auto parts = fileParts(file);
  if (!parts) return parts.error();
  return takeMetadata(parts->header);
}

Result<Safetensors> decodeSafetensors(const model::Network& network, BytesView file) {
  auto parts = fileParts(file);
  if (!parts) return parts.error();
  const BytesView data = parts->data;
  auto metadata = takeMetadata(parts->header);
  if (!metadata) return metadata.error();
  const auto extents = readExtents(network, parts->header, data.size());
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

}  // namespace sumac::checkpoint
