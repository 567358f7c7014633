#pragma once

#include <memory>

#include "base/core/result.h"
#include "engine/nn/engine.h"

namespace sumac::worker::sequence {

/// The engine for text: layers compute on rows, one for each word of the batch. As
/// worker::makeEngine(); requires a network that is text.
Result<std::unique_ptr<Engine>> makeEngine(const model::Network& network, const Kernels& kernels,
                                           ComputePool& pool, const Engine::Options& options);

}  // namespace sumac::worker::sequence
