#pragma once

#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/manifest.h"
#include "job/model/network.h"

namespace sumac::checkpoint {

/// The files of one checkpoint, in memory.
struct Content {
  Bytes model;
  Bytes optimizer;
  Bytes state;
  std::string program;  // of a program: its text
  std::string job;      // the plan's lines
  Manifest manifest;
};

/// Requires a state with the network's numbers of values.
Content contentOf(const model::Network& network, const State& state);

/// The optimizer's vectors as one network of their own, each with the tensors of `network`:
/// "momentum/conv1.weight", one vector after the other.
model::Network optimizerNetwork(const model::Network& network,
                                const std::vector<std::string>& vectors);

/// Part state as a network of at most two flat tensors.
model::Network stateNetwork(std::int64_t recurrent, std::int64_t statistics);

}  // namespace sumac::checkpoint
