#include "kernels/functions.h"
#include "kernels/lanes.h"
#include "kernels/vector_math.h"

namespace sumac::kernels {

// Lane by lane one chain of additions over the classes: another order than that of
// softmaxCrossEntropy, which sums a row in groups.
void lanesSoftmaxCrossEntropy(const SumacLanesLoss* loss, float* losses, float* dlogits,
                              const float* logits) {
  const std::size_t classes = loss->classes;
  IntVec label{};
  IntVec lane{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    lane[i] = static_cast<std::int32_t>(i);
    label[i] = i < loss->count ? loss->labels[i] : -1;
  }
  const IntVec used = lane < static_cast<std::int32_t>(loss->count);
  Vec top = load(logits);
  Vec own{};
  for (std::size_t i = 0; i < classes; ++i) {
    const Vec value = load(logits + i * kLanes);
    top = value > top ? value : top;
    own = label == static_cast<std::int32_t>(i) ? value : own;
  }
  Vec sum{};
  for (std::size_t i = 0; i < classes; ++i) {
    const Vec power = exponentialOf(load(logits + i * kLanes) - top);
    if (dlogits != nullptr) store(dlogits + i * kLanes, power);
    sum += power;
  }
  store(losses, used ? logarithmOf(sum) - (own - top) : Vec{});
  if (dlogits == nullptr) return;
  const Vec factor = loss->scale / sum;
  for (std::size_t i = 0; i < classes; ++i) {
    const Vec gradient = load(dlogits + i * kLanes) * factor;
    const Vec less = gradient - loss->scale;
    const Vec own_gradient = label == static_cast<std::int32_t>(i) ? less : gradient;
    // Selected, not multiplied by zero: logits of an unused lane may be infinite or NaN.
    store(dlogits + i * kLanes, used ? own_gradient : Vec{});
  }
}

}  // namespace sumac::kernels
