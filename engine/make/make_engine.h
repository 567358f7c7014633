#pragma once

#include <cstdint>
#include <memory>

#include "base/core/result.h"
#include "engine/nn/compute_pool.h"
#include "engine/nn/engine.h"
#include "job/model/network.h"
#include "kernels/kernels.h"

namespace sumac::worker {

/// The engine for a network: of images and vectors, or of text. Fails with kUnsupported when the
/// network has a layer that this engine cannot compute. `pool` outlives the engine.
Result<std::unique_ptr<Engine>> makeEngine(const model::Network& network, const Kernels& kernels,
                                           ComputePool& pool, const Engine::Options& options);

/// The memory that makeEngine() takes for an engine's buffers, without taking it. Fails as it does.
Result<std::uint64_t> engineBytes(const model::Network& network, const Kernels& kernels,
                                  Engine::Options options);

}  // namespace sumac::worker
