#include "engine/checkpoint/tensor_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/core/check.h"
#include "base/core/checked.h"
#include "engine/checkpoint/safetensors_head.h"

namespace sumac::checkpoint {
namespace {

constexpr std::size_t kMaxRank = 16;

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 13> kValueSizes{{{"F32", 4},
                                                                                  {"F64", 8},
                                                                                  {"BF16", 2},
                                                                                  {"F16", 2},
                                                                                  {"I64", 8},
                                                                                  {"I32", 4},
                                                                                  {"I16", 2},
                                                                                  {"I8", 1},
                                                                                  {"U64", 8},
                                                                                  {"U32", 4},
                                                                                  {"U16", 2},
                                                                                  {"U8", 1},
                                                                                  {"BOOL", 1}}};

/// A tensor of the header and where it lies.
struct Placed {
  TensorView view;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Result<std::vector<std::int64_t>> shapeFrom(const std::string& where, const nlohmann::json& node) {
  const auto extents = unsignedList(node);
  if (!extents) return unusable(where + "its shape must be a short list of whole numbers");
  std::vector<std::int64_t> shape;
  for (const std::uint64_t extent : *extents) {
    if (extent > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return unusable(where + "its shape overflows");
    shape.push_back(static_cast<std::int64_t>(extent));
  }
  return shape;
}

/// One entry of the header, checked by itself.
Result<Placed> placedFrom(const std::string& name, const nlohmann::json& entry, BytesView data) {
  const std::string where = "tensor " + quoted(name) + ": ";
  const bool has_all = entry.is_object() && entry.size() == 3 && entry.contains("dtype") &&
                       entry.contains("shape") && entry.contains("data_offsets") &&
                       entry["dtype"].is_string();
  if (!has_all) return unusable(where + "its entry is not {dtype, shape, data_offsets}");
  auto shape = shapeFrom(where, entry["shape"]);
  if (!shape) return shape.error();
  const auto offsets = unsignedList(entry["data_offsets"]);
  if (!offsets || offsets->size() != 2)
    return unusable(where + "data_offsets must be two whole numbers");
  Placed placed;
  placed.begin = (*offsets)[0];
  placed.end = (*offsets)[1];
  placed.view.name = name;
  placed.view.dtype = entry["dtype"].get<std::string>();
  placed.view.shape = *std::move(shape);
  const auto bytes = tensorBytes(placed.view.dtype, placed.view.shape);
  if (!bytes) return unusable(where + "there is no such type, or its shape overflows");
  if (placed.begin > placed.end || placed.end > data.size())
    return unusable(where + "its data lies outside the file");
  if (placed.end - placed.begin != *bytes) {
    return unusable(where + "its shape needs " + std::to_string(*bytes) + " bytes, it has " +
                    std::to_string(placed.end - placed.begin));
  }
  placed.view.data = data.subspan(placed.begin, *bytes);
  return placed;
}

}  // namespace

std::optional<std::uint64_t> tensorBytes(std::string_view dtype,
                                         std::span<const std::int64_t> shape) {
  const auto* const found = std::find_if(kValueSizes.begin(), kValueSizes.end(),
                                         [dtype](const auto& one) { return one.first == dtype; });
  if (found == kValueSizes.end() || shape.size() > kMaxRank) return std::nullopt;
  std::uint64_t bytes = found->second;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    const auto product = checkedMultiply(bytes, static_cast<std::uint64_t>(extent));
    if (!product) return std::nullopt;
    bytes = *product;
  }
  return bytes;
}

Bytes tensorFileHead(std::span<const TensorView> tensors,
                     const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = headWith(metadata);
  std::uint64_t at = 0;
  for (const TensorView& tensor : tensors) {
    SUMAC_CHECK(tensorBytes(tensor.dtype, tensor.shape) == tensor.data.size(), tensor.name,
                tensor.data.size());
    header[tensor.name] = {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", {at, at + tensor.data.size()}}};
    at += tensor.data.size();
  }
  return headBytes(header);
}

Bytes encodeTensorFile(std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const Bytes head = tensorFileHead(tensors, metadata);
  std::size_t size = head.size();
  for (const TensorView& tensor : tensors)
    size += tensor.data.size();
  Bytes file;
  file.reserve(size);
  file.insert(file.end(), head.begin(), head.end());
  for (const TensorView& tensor : tensors)
    file.insert(file.end(), tensor.data.begin(), tensor.data.end());
  return file;
}

Result<TensorFile> decodeTensorFile(BytesView file) {
  auto parts = fileParts(file);
  if (!parts) return parts.error();
  auto metadata = takeMetadata(parts->header);
  if (!metadata) return metadata.error();
  std::vector<Placed> placed;
  for (const auto& [name, entry] : parts->header.items()) {
    auto one = placedFrom(name, entry, parts->data);
    if (!one) return one.error();
    placed.push_back(*std::move(one));
  }
  std::ranges::stable_sort(placed, {},
                           [](const Placed& one) { return std::pair(one.begin, one.end); });
  TensorFile whole{{}, *std::move(metadata)};
  std::uint64_t end = 0;
  for (Placed& one : placed) {
    if (one.begin < end) return unusable("two tensors overlap");
    if (one.begin > end) return unusable("there is a gap between tensors");
    end = one.end;
    whole.tensors.push_back(std::move(one.view));
  }
  if (end != parts->data.size()) return unusable("there are bytes after the last tensor");
  return whole;
}

}  // namespace sumac::checkpoint
