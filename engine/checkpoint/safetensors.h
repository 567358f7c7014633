#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "job/model/network.h"

namespace sumac::checkpoint {

/// A file in the safetensors format with the tensors of `network`, fp32, little-endian; `values`
/// are in their order. For a network with an LSTM, convert first: file_tensors.h.
Bytes encodeSafetensors(const model::Network& network, std::span<const float> values,
                        const std::map<std::string, std::string>& metadata);

struct Safetensors {
  std::vector<float> values;  // in the order of the network's tensors
  std::map<std::string, std::string> metadata;
};

/// The reverse. Fails with kInvalid unless the file has exactly these tensors: header length,
/// offsets, gaps, overlaps, shapes and names are checked before they are used.
Result<Safetensors> decodeSafetensors(const model::Network& network, BytesView file);

/// The shape of one tensor, by the header alone: its values are not looked at. Fails with kInvalid
/// for a file without such a tensor, and for a header that decodeSafetensors() would refuse.
Result<model::Shape> shapeInFile(BytesView file, const std::string& tensor);

}  // namespace sumac::checkpoint
