#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/model/network.h"

namespace sumac::checkpoint {

/// A file in the safetensors format: all tensors of `network` from `values` (plan order, fp32,
/// little-endian).
Bytes encodeSafetensors(const model::Network& network, std::span<const float> values,
                        const std::map<std::string, std::string>& metadata);

struct Safetensors {
  std::vector<float> values;  // plan order
  std::map<std::string, std::string> metadata;
};

/// The reverse. The file is hostile until checked: header length, offsets, holes, overlaps, shapes,
/// names.
Result<Safetensors> decodeSafetensors(const model::Network& network, BytesView file);

}  // namespace sumac::checkpoint
