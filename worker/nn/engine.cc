#include "worker/nn/engine.h"

#include "common/base/check.h"
#include "worker/nn/lanes/lanes_engine.h"
#include "worker/nn/rows/rows_engine.h"

namespace sumac::worker {

Result<std::unique_ptr<Engine>> Engine::create(const model::Network& network,
                                               const Kernels& kernels, ComputePool& pool,
                                               const Options& options) {
  SUMAC_CHECK(options.max_samples >= 1, options.max_samples);
  if (network.isText()) return rows::makeEngine(network, kernels, pool, options);
  return lanes::makeEngine(network, kernels, pool, options);
}

}  // namespace sumac::worker
