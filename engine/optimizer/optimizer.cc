#include "engine/optimizer/optimizer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/core/check.h"
#include "engine/optimizer/power.h"

namespace sumac::worker {
namespace {

// Values that one task takes: 4 of the blocks of sumOfSquares(), so that the sums of ranges are
// nodes of the tree that it sums along, and the norm has the same bits as if it were taken at once.
// Some us of work: threads share the update of small networks, too.
constexpr std::size_t kRange = std::size_t{4} * 4096;

/// The caller's thread alone.
struct OneThread {
  void run(std::size_t tasks, const auto& work) const {
    for (std::size_t task = 0; task < tasks; ++task)
      work(task);
  }
};

/// Along the tree of sumOfSquares().
double treeSum(std::span<const double> sums) {
  if (sums.size() <= 1) return sums.empty() ? 0.0 : sums[0];
  const std::size_t left = std::bit_floor(sums.size() - 1);
  return treeSum(sums.first(left)) + treeSum(sums.subspan(left));
}

/// Names of the vectors that go from step to step.
std::vector<const char*> stateNames(const job::OptimizerSpec& optimizer) {
  if (optimizer.name == job::OptimizerName::kAdam) return {"mean", "square"};
  if (optimizer.momentum == 0.0) return {};
  return {"velocity"};
}

}  // namespace

Optimizer::Optimizer(const Options& options, const Kernels& kernels, std::int64_t parameters)
    : options_(options),
      kernels_(kernels),
      parameters_(static_cast<std::size_t>(parameters)),
      squares_((parameters_ + kRange - 1) / kRange) {
  for (const char* name : stateNames(options.optimizer)) {
    states_.push_back({name, AlignedBuffer(parameters_), {}});
  }
}

Optimizer::Update Optimizer::apply(Step step, std::span<const float> gradient,
                                   std::span<const float> w_in, std::span<float> w_out) {
  const OneThread alone;
  return apply(step, gradient, w_in, w_out, alone);
}

void Optimizer::checkSizes(std::span<const float> gradient, std::span<const float> w_in,
                           std::span<float> w_out) const {
  const std::size_t n = parameters_;
  SUMAC_CHECK(gradient.size() == n && w_in.size() == n && w_out.size() == n, n, gradient.size(),
              w_in.size(), w_out.size());
}

Optimizer::Extent Optimizer::extentOf(std::size_t range) const {
  const std::size_t first = range * kRange;
  return {first, std::min(kRange, parameters_ - first)};
}

void Optimizer::measureRange(std::size_t range, std::span<const float> gradient) {
  const auto [first, count] = extentOf(range);
  squares_[range] = kernels_->sumOfSquares(gradient.data() + first, count);
}

double Optimizer::norm() const {
  return std::sqrt(treeSum(squares_));
}

Optimizer::Update Optimizer::prepare(Step step, double norm) {
  const job::OptimizerSpec& spec = options_.optimizer;
  Update result;
  result.learning_rate = learningRate(spec, options_.schedule, step, options_.steps_per_epoch);
  result.gradient_norm = norm;
  double scale = 1.0;
  if (options_.clip_global_norm && result.gradient_norm > *options_.clip_global_norm) {
    scale = *options_.clip_global_norm / result.gradient_norm;
  }
  double rate = result.learning_rate;
  if (spec.name == job::OptimizerName::kAdam) {
    rate /= 1.0 - power(spec.beta1, step);
    adam_ = {.beta1 = static_cast<float>(spec.beta1),
             .beta2 = static_cast<float>(spec.beta2),
             .fresh1 = static_cast<float>(1.0 - spec.beta1),
             .fresh2 = static_cast<float>(1.0 - spec.beta2),
             .root = static_cast<float>(std::sqrt(1.0 - power(spec.beta2, step))),
             .epsilon = static_cast<float>(spec.epsilon)};
  }
  update_ = {.scale = static_cast<float>(scale),
             .limit = options_.clip_value ? static_cast<float>(*options_.clip_value)
                                          : std::numeric_limits<float>::infinity(),
             .decay = static_cast<float>(spec.weight_decay),
             .rate = static_cast<float>(rate),
             .momentum = static_cast<float>(spec.momentum)};
  return result;
}

void Optimizer::applyExtent(Extent extent, std::span<const float> gradient,
                            std::span<const float> w_in, std::span<float> w_out) {
  const auto [first, count] = extent;
  const float* const g = gradient.data() + first;
  const float* const in = w_in.data() + first;
  float* const out = w_out.data() + first;
  if (states_.empty()) {
    kernels_->sgd(&update_, out, in, g, count);
    return;
  }
  float* const state = stateAt(0, first);
  switch (options_.optimizer.name) {
    case job::OptimizerName::kSgd:
      kernels_->sgdMomentum(&update_, out, in, state, g, count);
      return;
    case job::OptimizerName::kNesterov:
      kernels_->sgdNesterov(&update_, out, in, state, g, count);
      return;
    case job::OptimizerName::kAdam:
      kernels_->adam(&update_, &adam_, out, in, state, stateAt(1, first), g, count);
      return;
  }
}

void Optimizer::begin(Step step) {
  SUMAC_CHECK(!options_.clip_global_norm && !is_open_, step, is_open_);
  (void)room();
  is_open_ = true;
  left_.resize(squares_.size());
  for (std::size_t range = 0; range < left_.size(); ++range)
    left_[range] = extentOf(range).count;
  whole_.reserve(left_.size());
  applied_ = prepare(step, /*norm=*/0);
}

std::size_t Optimizer::tasksOf(Extent piece) {
  return (piece.count + kRange - 1) / kRange;
}

Optimizer::Extent Optimizer::taskOf(Extent piece, std::size_t task) {
  const std::size_t first = task * kRange;
  return {piece.first + first, std::min(kRange, piece.count - first)};
}

/// An update changes the next state; the one before stays for undo(). On any thread.
void Optimizer::takeOver(Extent extent) {
  for (State& state : states_)
    std::copy_n(state.values.data() + extent.first, extent.count, state.next.data() + extent.first);
}

float* Optimizer::stateAt(std::size_t index, std::size_t first) {
  State& state = states_[index];
  return (is_open_ ? state.next : state.values).data() + first;
}

/// Returns the ranges, as the norm takes them, whose values are all there now.
std::span<const std::size_t> Optimizer::noteApplied(Extent piece) {
  whole_.clear();
  const std::size_t end = piece.first + piece.count;
  for (std::size_t range = piece.first / kRange; range * kRange < end; ++range) {
    const auto [first, count] = extentOf(range);
    const std::size_t applied = std::min(end, first + count) - std::max(piece.first, first);
    SUMAC_CHECK(applied <= left_[range], range, applied, left_[range]);
    left_[range] -= applied;
    if (left_[range] == 0) whole_.push_back(range);
  }
  return whole_;
}

Optimizer::Update Optimizer::finish() {
  for (const std::size_t left : left_)
    SUMAC_CHECK(left == 0, left);
  is_open_ = false;
  for (State& state : states_)
    std::swap(state.values, state.next);
  applied_.gradient_norm = norm();
  return applied_;
}

void Optimizer::undo() {
  is_open_ = false;
}

std::vector<std::span<const float>> Optimizer::vectors() const {
  std::vector<std::span<const float>> all;
  for (const State& state : states_)
    all.push_back(state.values.values());
  return all;
}

std::vector<std::span<float>> Optimizer::room() {
  SUMAC_CHECK(!is_open_);
  std::vector<std::span<float>> all;
  for (State& state : states_) {
    if (state.next.size() == 0) state.next = AlignedBuffer(parameters_);
    all.push_back(state.next.values());
  }
  return all;
}

void Optimizer::adopt() {
  for (State& state : states_)
    state.values = std::exchange(state.next, {});
}

std::map<std::string, std::vector<float>> Optimizer::state() const {
  std::map<std::string, std::vector<float>> result;
  for (const State& state : states_)
    result[state.name] = {state.values.values().begin(), state.values.values().end()};
  return result;
}

Result<void> Optimizer::restore(const std::map<std::string, std::vector<float>>& state) {
  bool fits = state.size() == states_.size();
  std::string expected;
  for (const State& own : states_) {
    const auto found = state.find(own.name);
    fits = fits && found != state.end() && found->second.size() == parameters_;
    expected += (expected.empty() ? "" : ", ") + std::string(own.name);
  }
  if (!fits) {
    return Error{
        ErrorCode::kConflict,
        "the optimizer's state is not of spec.training.optimizer: expected " +
            (expected.empty() ? "none"
                              : expected + " of " + std::to_string(parameters_) + " values")};
  }
  for (State& own : states_)
    std::ranges::copy(state.at(own.name), own.values.data());
  return {};
}

}  // namespace sumac::worker
