#include "engine/nn/dropout.h"

#include <cmath>

#include "base/core/rng.h"

namespace sumac::worker {

SumacDropout dropoutOf(const model::Dropout& spec, std::uint64_t seed, std::uint64_t step,
                       int layer) {
  const auto words = Rng(seed, kDropoutStream + static_cast<std::uint64_t>(layer)).block(step);
  return {.key = (std::uint64_t{words[0]} << 32U) | words[1],
          .sample = 0,
          .first_value = 0,
          .threshold = static_cast<std::uint32_t>(std::ceil(spec.rate * 0x1.0p24)),
          .scale = static_cast<float>(1.0 / (1.0 - spec.rate))};
}

}  // namespace sumac::worker
