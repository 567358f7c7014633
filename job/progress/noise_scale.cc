#include "job/progress/noise_scale.h"

#include <algorithm>
#include <cmath>

namespace sumac {
namespace {

/// The value that Student's t stays below with probability 0.975: the first terms of its expansion
/// around the normal distribution's (Abramowitz and Stegun 26.7.5), within 1 % from 15 degrees on.
double studentQuantile(double degrees) {
  constexpr double kNormal = 1.959964;
  return kNormal + (kNormal * kNormal * kNormal + kNormal) / (4 * degrees);
}

}  // namespace

NoiseScaleEstimator::NoiseScaleEstimator(std::span<const std::int64_t> samples_of_parts) {
  for (const std::int64_t samples : samples_of_parts) {
    const auto count = static_cast<double>(samples);
    batch_ += count;
    squares_ += count * count;
  }
}

void NoiseScaleEstimator::add(double squares_of_parts, double square_of_sum) {
  const double pairs = batch_ * batch_ - squares_;
  if (pairs <= 0 || !std::isfinite(squares_of_parts) || !std::isfinite(square_of_sum)) return;
  const double gradient = (square_of_sum - squares_of_parts) / pairs;
  open_.gradient += gradient;
  open_.noise += (squares_of_parts - gradient * squares_) / batch_;
  if (++steps_of_open_ < steps_of_block_) return;
  blocks_.at(count_++) = open_;
  open_ = {};
  steps_of_open_ = 0;
  if (count_ < blocks_.size()) return;
  for (std::size_t i = 0; i < count_ / 2; ++i) {
    blocks_.at(i).gradient = blocks_.at(2 * i).gradient + blocks_.at(2 * i + 1).gradient;
    blocks_.at(i).noise = blocks_.at(2 * i).noise + blocks_.at(2 * i + 1).noise;
  }
  count_ /= 2;
  steps_of_block_ *= 2;
}

std::optional<NoiseScale> NoiseScaleEstimator::estimate() const {
  const std::span<const Block> used = std::span(blocks_).first(count_).last((count_ + 1) / 2);
  Block all;
  for (const Block& block : used) {
    all.gradient += block.gradient;
    all.noise += block.noise;
  }
  if (count_ < 2 || all.gradient <= 0 || all.noise < 0) return std::nullopt;
  NoiseScale result{.samples = all.noise / all.gradient,
                    .low = std::nullopt,
                    .high = std::nullopt,
                    .steps = std::ssize(used) * steps_of_block_};
  if (used.size() < kBlocks) return result;
  const auto blocks = static_cast<double>(used.size());
  double sum = 0;
  double squares = 0;
  for (const Block& block : used) {
    const double gradient = all.gradient - block.gradient;
    const double noise = all.noise - block.noise;
    if (gradient <= 0 || noise <= 0) return result;
    const double ratio = std::log(noise / gradient);
    sum += ratio;
    squares += ratio * ratio;
  }
  const double variance = std::max(0.0, squares - sum * sum / blocks) * (blocks - 1) / blocks;
  const double factor = std::exp(studentQuantile(blocks - 1) * std::sqrt(variance));
  result.low = result.samples / factor;
  result.high = result.samples * factor;
  return result;
}

}  // namespace sumac
