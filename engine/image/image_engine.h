#pragma once

#include <memory>

#include "base/core/result.h"
#include "engine/nn/engine.h"

namespace sumac::worker::image {

/// The engine for images and vectors: blocks of samples, one sample in each lane of a vector, go
/// through the network together, layer by layer. As worker::makeEngine(); requires a network that
/// is not text.
Result<std::unique_ptr<Engine>> makeEngine(const model::Network& network, const Kernels& kernels,
                                           ComputePool& pool, const Engine::Options& options);

}  // namespace sumac::worker::image
