#pragma once

#include <cstdint>
#include <span>

#include "job/model/network.h"

namespace sumac::model {

enum class InitializerKind { kXavier, kHe, kUniform };

/// How parameters are initialised. Biases are zero, except with kUniform, which draws them too;
/// scales (a batchNorm's weight) are one.
/// xavier: U(-a, a), a = scale sqrt(6 / (fan_in + fan_out)); he: U(-a, a), a = scale sqrt(6 /
/// fan_in); uniform: U(-scale, scale).
struct Initializer {
  InitializerKind kind = InitializerKind::kXavier;
  double scale = 1.0;
};

/// Fills `parameters` (network.parameters values, plan order) from the counter RNG keyed (seed,
/// tensor, position): the same bits in every process. No libm: a square root is correctly rounded
/// everywhere.
void initialize(const Network& network, const Initializer& initializer, std::uint64_t seed,
                std::span<float> parameters);

}  // namespace sumac::model
