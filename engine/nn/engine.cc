#include "engine/nn/engine.h"

#include "base/core/check.h"
#include "engine/nn/lanes/lanes_engine.h"
#include "engine/nn/rows/rows_engine.h"

namespace sumac::worker {

Result<std::unique_ptr<Engine>> Engine::create(const model::Network& network,
                                               const Kernels& kernels, ComputePool& pool,
                                               const Options& options) {
  SUMAC_CHECK(options.max_samples >= 1 && options.max_parts >= 1, options.max_samples,
              options.max_parts);
  if (network.isText()) return rows::makeEngine(network, kernels, pool, options);
  return lanes::makeEngine(network, kernels, pool, options);
}

float Engine::gradient(const Part& part, float scale, const GradientTarget& target,
                       NextPartState next) {
  PartGradient one{.part = part, .target = target, .next = next};
  gradients({&one, 1}, scale);
  return one.loss;
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
