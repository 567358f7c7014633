#include "engine/make/make_engine.h"

#include "base/core/check.h"
#include "engine/image/image_engine.h"
#include "engine/sequence/sequence_engine.h"

namespace sumac::worker {

Result<std::unique_ptr<Engine>> makeEngine(const model::Network& network, const Kernels& kernels,
                                           ComputePool& pool, const Engine::Options& options) {
  SUMAC_CHECK(options.max_samples >= 1 && options.max_parts >= 1, options.max_samples,
              options.max_parts);
  if (network.isText()) return sequence::makeEngine(network, kernels, pool, options);
  return image::makeEngine(network, kernels, pool, options);
}

Result<std::uint64_t> engineBytes(const model::Network& network, const Kernels& kernels,
                                  Engine::Options options) {
  ComputePool pool(1);
  options.is_sketch = true;
  const auto sketch = makeEngine(network, kernels, pool, options);
  if (!sketch) return sketch.error();
  return (*sketch)->bytes();
}

}  // namespace sumac::worker
