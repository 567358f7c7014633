#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/core/enum_text.h"

namespace sumac::planner {

/// The parallel strategies of Kahira et al. 2021 (docs/papers.md).
enum class Strategy : std::uint8_t {
  kSerial,
  kData,         // each member its samples
  kSpatial,      // each member its part of every picture
  kLayer,        // each member its layers, one after the other
  kPipeline,     // the same, several micro-batches at once
  kFilter,       // each member its output channels
  kChannel,      // each member its input channels
  kDataFilter,   // groups by samples, filters inside a group
  kDataSpatial,  // groups by samples, space inside a group
};
inline constexpr std::array kStrategies = {
    Strategy::kSerial,  Strategy::kData,       Strategy::kSpatial,
    Strategy::kLayer,   Strategy::kPipeline,   Strategy::kFilter,
    Strategy::kChannel, Strategy::kDataFilter, Strategy::kDataSpatial};

std::string_view toString(Strategy strategy);
using sumac::operator<<;

/// How members are arranged: p = p1 p2.
struct Grid {
  std::int64_t groups = 1;  // p1: groups that share the samples
  std::int64_t inner = 1;   // p2: members of a group that share one model

  std::int64_t members() const { return groups * inner; }
  bool operator==(const Grid&) const = default;
};

/// Where the time of an epoch goes.
enum class Phase : std::uint8_t {
  kForwardBackward,   // computation
  kWeightUpdate,      // computation
  kGradientExchange,  // all-reduce of the weight gradients
  kLayerCollectives,  // activations and their gradients, layer by layer
  kHaloExchange,      // borders of the pictures' parts
  kSplitGather,       // of the last layer that is divided in space
  kStageTransfer,     // between stages of a pipeline
};
inline constexpr std::size_t kPhases = 7;

/// Seconds of an epoch by phase.
class EpochTime {
 public:
  double& operator[](Phase phase) { return seconds_.at(static_cast<std::size_t>(phase)); }
  double operator[](Phase phase) const { return seconds_.at(static_cast<std::size_t>(phase)); }

  double computation() const;    // T_comp
  double communication() const;  // T_comm
  double total() const { return computation() + communication(); }

 private:
  std::array<double, kPhases> seconds_{};
};

/// What a strategy costs.
struct Estimate {
  EpochTime time;
  double memory_bytes = 0;  // of the member that needs most
};

}  // namespace sumac::planner
