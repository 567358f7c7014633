#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"

namespace sumac::checkpoint {

/// One tensor of any type, dense and row-major; its values are somebody else's memory, which
/// outlives the view.
struct TensorView {
  std::string name;
  std::string dtype;  // as in the safetensors format: "F32"
  std::vector<std::int64_t> shape;
  BytesView data;
};

/// The bytes of a tensor; nothing where there is no such type, an extent is negative, there are
/// more than 16 of them, or the number does not fit.
std::optional<std::uint64_t> tensorBytes(std::string_view dtype,
                                         std::span<const std::int64_t> shape);

/// How a safetensors file of these tensors begins; their data follow, one after the other. Requires
/// names that are there once, and data as long as tensorBytes() says.
Bytes tensorFileHead(std::span<const TensorView> tensors,
                     const std::map<std::string, std::string>& metadata);

/// The whole file.
Bytes encodeTensorFile(std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata);

struct TensorFile {
  std::vector<TensorView> tensors;  // in the order of their data; they refer to the file
  std::map<std::string, std::string> metadata;
};

/// Reads any tensors. Fails with kInvalid unless each is whole and they cover the data exactly
/// once: the file is not trusted.
Result<TensorFile> decodeTensorFile(BytesView file);

}  // namespace sumac::checkpoint
