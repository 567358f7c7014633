#include "job/model/initializer.h"

#include <cmath>

#include "base/core/check.h"
#include "base/core/rng.h"

namespace sumac::model {
namespace {

/// The `a` of U(-a, a); 0 for tensors with a constant initial value.
double bound(const Tensor& tensor, const Initializer& initializer) {
  if (tensor.is_scale) return 0.0;
  if (initializer.kind == InitializerKind::kUniform) return initializer.scale;
  if (tensor.is_bias) return 0.0;
  const std::int64_t fan =
      initializer.kind == InitializerKind::kXavier ? tensor.fan_in + tensor.fan_out : tensor.fan_in;
  return initializer.scale * std::sqrt(6.0 / static_cast<double>(fan));
}

/// In (-1, 1), symmetric, a multiple of 2^-24: exact, so that no order of operations matters.
double symmetric(const Rng& rng, std::uint64_t position) {
  return 2.0 * static_cast<double>(rng.uniform(position)) - 1.0 + 0x1.0p-24;
}

}  // namespace

void initialize(const Network& network, const Initializer& initializer, std::uint64_t seed,
                std::span<float> parameters) {
  SUMAC_CHECK(parameters.size() == static_cast<std::size_t>(network.parameters), parameters.size(),
              network.parameters);
  for (std::size_t index = 0; index < network.tensors.size(); ++index) {
    const Tensor& tensor = network.tensors[index];
    const auto values = parameters.subspan(static_cast<std::size_t>(tensor.offset),
                                           static_cast<std::size_t>(tensor.count()));
    const double a = bound(tensor, initializer);
    const float constant = tensor.is_scale ? 1.0F : 0.0F;
    const Rng rng(seed, kInitializerStream + index);
    for (std::size_t i = 0; i < values.size(); ++i) {
      // With a bound of 0 the product would be a zero of either sign.
      values[i] = a == 0.0 ? constant : static_cast<float>(a * symmetric(rng, i));
    }
  }
}

}  // namespace sumac::model
