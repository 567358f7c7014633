#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace sumac::worker {

/// The weights that an engine computes with, and how often they were set: each setting is a version
/// of its own, counted from 1. Owned by an engine.
struct WeightsInUse {
  std::span<const float> values;
  std::uint64_t version = 0;

  void set(std::span<const float> weights) {
    values = weights;
    ++version;
  }
};

/// Which version of the weights a layer's packed form was made from.
class PackedVersion {
 public:
  /// Whether the layer is to pack the weights of `version` now: true once for each.
  bool isNew(std::uint64_t version) { return std::exchange(version_, version) != version; }

 private:
  std::uint64_t version_ = 0;
};

}  // namespace sumac::worker
