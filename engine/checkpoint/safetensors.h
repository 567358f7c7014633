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

/// The metadata of a file whose network is not known yet. Fails with kInvalid for a head that is
/// none; its tensors are not looked at.
Result<std::map<std::string, std::string>> metadataOf(BytesView file);

struct Safetensors {
  std::vector<float> values;  // in the order of the network's tensors
  std::map<std::string, std::string> metadata;
};

/// The reverse. Fails with kInvalid unless the file has exactly these tensors: header length,
/// offsets, gaps, overlaps, shapes and names are checked before they are used.
Result<Safetensors> decodeSafetensors(const model::Network& network, BytesView file);

}  // namespace sumac::checkpoint
