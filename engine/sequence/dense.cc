#include <algorithm>

#include "engine/sequence/layer.h"
#include "engine/sequence/split.h"
#include "engine/sequence/weight_gradient.h"
#include "engine/sequence/weight_operand.h"

namespace sumac::worker::sequence {
namespace {

// y = x W^T + b at every row; W is [outputs][inputs].
class Dense final : public Layer {
 public:
  Dense(const LayerContext& context, bool has_bias)
      : arena_(context.arena),
        pool_(context.pool),
        inputs_(context.inputs()),
        outputs_(context.outputs()),
        weight_(context.offset(0)),
        bias_(has_bias ? context.offset(1) : 0),
        has_bias_(has_bias),
        y_(context.arena.reserve(context.maxRows() * context.layer.output.back())),
        forward_(context, {weight_, inputs_, outputs_, true}, context.reuses_weights),
        backward_(context, {weight_, outputs_, inputs_, false}, context.reuses_weights),
        gradient_(context.kernels, context.arena, context.pool,
                  {inputs_, outputs_, static_cast<std::size_t>(context.maxRows())}) {}

  float* forward(const Pass& pass, const float* x) override {
    float* const y = arena_.at(y_);
    forward_.multiply(pass, {.m = pass.rows,
                             .a = x,
                             .a_stride = inputs_,
                             .c = y,
                             .c_stride = outputs_,
                             .bias = has_bias_ ? pass.weights + bias_ : nullptr});
    return y;
  }

  void backward(const Pass& pass, const float* x, const Gradients& gradients) override {
    gradient_.prepare(pass, x);
    if (gradients.dx != nullptr) backward_.prepare(pass);
    const std::size_t most = pass.parts.size() == 1 ? kAnnounced : kSharedPiece;
    const std::size_t step = std::max<std::size_t>(most / (kOutputs * inputs_), 1) * kOutputs;
    for (std::size_t first = 0; first < outputs_; first += step)
      backwardOf(pass, gradients, {first, std::min(outputs_, first + step)});
  }

 private:
  static constexpr std::size_t kOutputs = kChainDepth;
  // Weights whose gradients are announced together: as many as the exchange sends at once.
  static constexpr std::size_t kAnnounced = 128 * 1024;

  // Some outputs at a time, so that their gradients are read once for all three gradients. dx is
  // the same sum as of one product, whose chains are cut at the same depths. It is computed with
  // the first part's gradients: threads wait for each other once.
  void backwardOf(const Pass& pass, const Gradients& gradients, Range outputs) {
    for (const PassPart& part : pass.parts) {
      const bool with_inputs = gradients.dx != nullptr && &part == &pass.parts.front();
      const auto tasks = static_cast<std::size_t>(pool_.threads());
      pool_.run(tasks, [&](std::size_t task) {
        const Range rows = with_inputs ? shareOf(pass.rows, kRowUnit, task, tasks) : Range{};
        for (std::size_t first = outputs.begin; first < outputs.end; first += kOutputs) {
          const Range some{first, std::min(outputs.end, first + kOutputs)};
          if (rows.size() > 0) inputGradientOf(pass, gradients, rows, some);
          const Range own = shareOf(some.size(), kRowUnit, task, tasks);
          weightGradientOf(part, gradients, {first + own.begin, first + own.end});
        }
      });
      part.announce(weight_ + outputs.begin * inputs_, outputs.size() * inputs_);
      if (has_bias_) part.announce(bias_ + outputs.begin, outputs.size());
    }
  }

  void weightGradientOf(const PassPart& part, const Gradients& gradients, Range outputs) {
    if (outputs.size() == 0) return;
    gradient_.weightsOf(outputs, part, weight_, gradients.dy);
    if (has_bias_) gradient_.biasOf(outputs, part, bias_, gradients.dy);
  }

  void inputGradientOf(const Pass& pass, const Gradients& gradients, Range rows, Range outputs) {
    backward_.multiplyHere(pass,
                           {.m = rows.size(),
                            .a = gradients.dy + rows.begin * outputs_ + outputs.begin,
                            .a_stride = outputs_,
                            .c = gradients.dx + rows.begin * inputs_,
                            .c_stride = inputs_,
                            .accumulate = outputs.begin > 0 ? 1 : 0},
                           outputs);
  }

  Arena& arena_;       // outlives us
  ComputePool& pool_;  // outlives us
  std::size_t inputs_;
  std::size_t outputs_;
  std::size_t weight_;
  std::size_t bias_;
  bool has_bias_;
  Arena::Piece y_;
  WeightOperand forward_;
  WeightOperand backward_;
  WeightGradient gradient_;
};

}  // namespace

std::unique_ptr<Layer> makeDense(const LayerContext& context, bool has_bias) {
  return std::make_unique<Dense>(context, has_bias);
}

}  // namespace sumac::worker::sequence
