#include "engine/nn/engine.h"

namespace sumac::worker {

float Engine::gradient(const Part& part, float scale, const GradientTarget& target,
                       NextPartState next) {
  PartGradient one{.part = part, .target = target, .next = next};
  gradients({&one, 1}, scale);
  return one.loss;
}

}  // namespace sumac::worker
