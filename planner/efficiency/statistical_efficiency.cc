#include "planner/efficiency/statistical_efficiency.h"

#include <cmath>
#include <string>

namespace sumac::planner {

double BatchTrade::gain(double batch_samples) const {
  return batch_samples / reference_samples * efficiency(batch_samples);
}

double BatchTrade::efficiency(double batch_samples) const {
  return (noise_scale_samples + reference_samples) / (noise_scale_samples + batch_samples);
}

Result<BatchTrade> makeBatchTrade(double noise_scale_samples, double reference_samples) {
  if (!std::isfinite(noise_scale_samples) || noise_scale_samples < 0)
    return Error{ErrorCode::kInvalid, "the noise scale is " + std::to_string(noise_scale_samples) +
                                          " samples; it must be finite and not below 0"};
  if (!std::isfinite(reference_samples) || reference_samples < 1)
    return Error{ErrorCode::kInvalid, "the reference batch has " +
                                          std::to_string(reference_samples) +
                                          " samples; it must be finite and at least 1"};
  return BatchTrade{noise_scale_samples, reference_samples};
}

}  // namespace sumac::planner
