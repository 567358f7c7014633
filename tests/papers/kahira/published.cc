#include "tests/papers/kahira/published.h"

namespace sumac::planner::papers {

Machines publishedMachines() {
  constexpr double kInside = 1 / 50e9;     // NVLink, 50 GB/s
  constexpr double kBetween = 1 / 12.5e9;  // InfiniBand EDR, 12.5 GB/s
  constexpr double kMemoryBytes = 16e9;    // V100
  constexpr std::int64_t kMachine = 4;
  constexpr std::int64_t kRack = 68;  // members below one leaf switch
  return {.collectives = {{kMachine, {9e-6, kInside}},
                          {kRack, {30.31e-6, kBetween}},
                          {2 * kRack, {30.49e-6, kBetween}},
                          {kMostMembers, {30.98e-6, kBetween}}},
          .messages = {},
          .members_per_machine = kMachine,
          .memory_bytes = kMemoryBytes};
}

Contention publishedContention(Strategy strategy, std::int64_t inner) {
  // So many flows leave a machine at once, and in and out share a switch.
  const double flows = 2 * static_cast<double>(inner);
  switch (strategy) {
    case Strategy::kDataFilter: return {.gradient_exchange = flows};
    case Strategy::kDataSpatial:
      return {.gradient_exchange = flows, .halo_exchange = flows, .split_gather = 2};
    default: return {};
  }
}

}  // namespace sumac::planner::papers
