#include "common/optimizer/optimizer.h"

#include <cmath>

#include "common/base/check.h"

namespace sumac {
namespace {

constexpr const char* kVelocity = "velocity";

}  // namespace

Optimizer::Optimizer(const Options& options, const Kernels& kernels, std::int64_t parameters)
    : options_(options), kernels_(kernels), velocity_(static_cast<std::size_t>(parameters)) {
  SUMAC_CHECK(options.optimizer.name == job::OptimizerName::kSgd);
  SUMAC_CHECK(options.optimizer.weight_decay == 0.0, options.optimizer.weight_decay);
}

Optimizer::Update Optimizer::apply(Step step, std::span<const float> gradient,
                                   std::span<const float> w_in, std::span<float> w_out) {
  const std::size_t n = velocity_.size();
  SUMAC_CHECK(gradient.size() == n && w_in.size() == n && w_out.size() == n, n, gradient.size(),
              w_in.size(), w_out.size());
  Update update;
  update.learning_rate =
      learningRate(options_.optimizer, options_.schedule, step, options_.steps_per_epoch);
  double scale = 1.0;
  update.gradient_norm = std::sqrt(kernels_->sumOfSquares(gradient.data(), n));
  if (options_.clip_global_norm && update.gradient_norm > *options_.clip_global_norm) {
    scale = *options_.clip_global_norm / update.gradient_norm;
  }
  kernels_->sgdMomentum(w_out.data(), w_in.data(), velocity_.data(), gradient.data(),
                        static_cast<float>(scale), static_cast<float>(options_.optimizer.momentum),
                        static_cast<float>(update.learning_rate), n);
  return update;
}

std::map<std::string, std::vector<float>> Optimizer::state() const {
  return {{kVelocity, velocity_}};
}

Result<void> Optimizer::restore(const std::map<std::string, std::vector<float>>& state) {
  const auto found = state.find(kVelocity);
  if (state.size() != 1 || found == state.end() || found->second.size() != velocity_.size()) {
    return Error{ErrorCode::kConflict,
                 "the optimizer's state is not sgd's: expected one vector \"velocity\" of " +
                     std::to_string(velocity_.size()) + " values"};
  }
  velocity_ = found->second;
  return {};
}

}  // namespace sumac
