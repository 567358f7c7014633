#include "planner/sizing/memory_model.h"

#include <optional>
#include <string>

#include "base/core/checked.h"
#include "base/core/units.h"

namespace sumac::planner {
namespace {

constexpr std::int64_t kBytesPerValue = 4;  // fp32

Error memoryError(const std::string& reason) {
  return Error{ErrorCode::kInvalid, "memory model: " + reason};
}

std::string inBytes(std::int64_t bytes) {
  return counted(bytes, "byte");
}

bool givesFeatureMap(LayerKind kind) {
  switch (kind) {
    case LayerKind::kConvolution:
    case LayerKind::kPool:
    case LayerKind::kNormalization:
    case LayerKind::kEmbedding:
    case LayerKind::kRecurrent: return true;
    case LayerKind::kDense:
    case LayerKind::kActivation:
    case LayerKind::kOther: return false;
  }
  return false;
}

/// Words of text: each has its own outputs of a dense layer.
bool isSequence(const Layer& layer) {
  return layer.kind == LayerKind::kDense && !layer.output_extents.empty();
}

bool isClassifier(LayerKind kind) {
  return kind == LayerKind::kDense || kind == LayerKind::kEmbedding ||
         kind == LayerKind::kRecurrent;
}

/// Bytes of values, `copies` times; nothing if they do not fit into 2^62.
std::optional<std::int64_t> bytesOf(std::int64_t values, std::int64_t copies) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;
  const auto bytes = checkedMultiply(values, kBytesPerValue);
  const auto all = bytes ? checkedMultiply(*bytes, copies) : std::nullopt;
  return all && *all < kMostBytes ? all : std::nullopt;
}

}  // namespace

Result<MemoryUse> memoryUse(const LayerList& list, MemoryCopies copies) {
  if (auto checked = checkLayers(list); !checked) return checked.error();
  if (copies.parameters < 1 || copies.feature_maps < 1) {
    return memoryError("found " + std::to_string(copies.parameters) + " copies of parameters and " +
                       std::to_string(copies.feature_maps) +
                       " of feature maps, must be at least one of each");
  }
  std::int64_t maps = list.layers.front().inputs();
  std::int64_t convolutions = 0;
  std::int64_t classifier = 0;
  for (const Layer& layer : list.layers) {
    if (givesFeatureMap(layer.kind) || isSequence(layer)) maps += layer.outputs();
    if (layer.kind == LayerKind::kConvolution) convolutions += layer.weights;
    if (isClassifier(layer.kind)) classifier += layer.weights;
  }
  const auto map_bytes = bytesOf(maps, copies.feature_maps);
  const auto convolution_bytes = bytesOf(convolutions, copies.parameters);
  const auto classifier_bytes = bytesOf(classifier, copies.parameters);
  if (!map_bytes || !convolution_bytes || !classifier_bytes) {
    return memoryError("network " + list.name + ": its values take more than 2^62 bytes");
  }
  return MemoryUse{*map_bytes, *convolution_bytes, *classifier_bytes};
}

Result<std::int64_t> workspaceBound(const MemoryUse& use, std::int64_t device_bytes,
                                    std::int64_t batch) {
  if (batch < 1) {
    return memoryError("found a mini-batch of " + std::to_string(batch) + " samples, must be >= 1");
  }
  if (device_bytes < 1) {
    return memoryError("found a memory of " + inBytes(device_bytes) + ", must be > 0");
  }
  const auto maps = checkedMultiply(use.feature_map_bytes_per_sample, batch);
  const auto needed = maps ? checkedAdd(*maps, use.parameterBytes()) : std::nullopt;
  if (!needed) {
    return memoryError("a mini-batch of " + counted(batch, "sample") +
                       " takes more than 2^63 bytes");
  }
  if (*needed > device_bytes) {
    return memoryError("a mini-batch of " + counted(batch, "sample") + " needs " +
                       inBytes(*needed) + ", " + inBytes(*needed - device_bytes) +
                       " more than the device's " + inBytes(device_bytes) +
                       "; choose a smaller mini-batch or a larger memory");
  }
  return device_bytes - *needed;
}

Result<std::int64_t> largestBatch(const MemoryUse& use, std::int64_t device_bytes,
                                  std::int64_t workspace_bytes) {
  if (workspace_bytes < 0) {
    return memoryError("found workspaces of " + inBytes(workspace_bytes) + ", must be >= 0");
  }
  if (use.feature_map_bytes_per_sample < 1) return memoryError("a sample has no feature maps");
  const auto left = workspaceBound(use, device_bytes, 1);
  if (!left) return left.error();
  if (*left < workspace_bytes) {
    return memoryError("one sample leaves " + inBytes(*left) + " of the device's " +
                       inBytes(device_bytes) + " for workspaces, which need " +
                       inBytes(workspace_bytes) + "; choose a larger memory");
  }
  return 1 + (*left - workspace_bytes) / use.feature_map_bytes_per_sample;
}

}  // namespace sumac::planner
