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

Result<std::uint64_t> Engine::bytesFor(const model::Network& network, const Kernels& kernels,
                                       Options options) {
  ComputePool pool(1);
  options.is_sketch = true;
  const auto sketch = create(network, kernels, pool, options);
  if (!sketch) return sketch.error();
  return (*sketch)->bytes();
}

}  // namespace sumac::worker
