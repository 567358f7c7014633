#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/result.h"
#include "planner/parallel/collectives.h"
#include "planner/parallel/network_cost.h"

namespace sumac::planner {

/// How the iterations of an epoch are counted.
enum class Iterations : std::uint8_t {
  kFraction,   // D / B, as the paper's table has it
  kRoundedUp,  // the last, smaller mini-batch exchanges as much as a whole one
};

struct Training {
  std::int64_t samples = 0;     // D, of the data set
  std::int64_t batch_size = 0;  // B, of all members together
  Iterations counting = Iterations::kFraction;
  double bytes_per_item = 4;  // delta

  double iterations() const;  // of an epoch
};

/// Links that groups of up to `members` use; a larger group is slower where it leaves a machine.
struct LinkTier {
  std::int64_t members = 0;
  LinkCost link;
};

/// Where the members run.
struct Machines {
  std::vector<LinkTier> collectives;  // by ascending members; the last serves all larger groups
  std::vector<LinkTier> messages;     // the same for halos and stages; empty: as collectives
  std::int64_t members_per_machine = 1;
  std::optional<double> memory_bytes;  // of a member; nothing: not known, so no limit

  LinkCost collectiveLink(std::int64_t members) const;
  LinkCost messageLink(std::int64_t members) const;
};

/// phi: by how many transfers a link is shared in a phase. 1: by none.
struct Contention {
  double gradient_exchange = 1;
  double layer_collectives = 1;
  double halo_exchange = 1;
  double split_gather = 1;
  double stage_transfer = 1;
};

/// What filter and channel parallelism divide.
enum class DividedLayers : std::uint8_t {
  kAllWeights,    // the paper's table
  kConvolutions,  // the paper's runs: dense layers are computed by every member
};

enum class GradientExchange : std::uint8_t {
  kRing,     // over all members
  kLeaders,  // inside each machine, then over the leaders (LeaderAllreduce)
};

/// What is open in the table of the paper.
struct Choices {
  double memory_reuse = 1;  // gamma, 0 < gamma <= 1: multiplies the memory of all strategies
  Contention contention;
  DividedLayers divided_layers = DividedLayers::kAllWeights;
  GradientExchange gradient_exchange = GradientExchange::kRing;
  /// Spatial parallelism divides so many layers, then gathers; nothing: all before the first dense
  /// one.
  std::optional<std::size_t> spatial_layers;
  std::int64_t segments = 4;  // S, micro-batches of a pipeline
  /// How many layers each stage of a pipeline has; empty: divided so that the slowest stage is as
  /// fast as possible.
  std::vector<std::size_t> stages;
};

/// One question to the oracle.
struct ParallelCase {
  NetworkCost network;
  Training training;
  Machines machines;
  Choices choices;

  /// Of the first layers that spatial parallelism divides.
  std::size_t spatialLayers() const;
};

/// The most members and layers of a case.
inline constexpr std::int64_t kMostMembers = 1'000'000;
inline constexpr std::size_t kMostLayers = 100'000;

/// Fails with kInvalid, naming the field and its value, when a number is not one, negative, zero
/// where that cannot be, or too large to count with.
Result<void> check(const ParallelCase& question);

}  // namespace sumac::planner
