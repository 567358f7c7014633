#include "worker/nn/layers.h"

namespace sumac::worker {
namespace {

std::size_t extent(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

class Conv2dEngine final : public LayerEngine {
 public:
  Conv2dEngine(const LayerContext& context, const SumacConv2d& shape)
      : kernels_(context.kernels),
        arena_(context.arena),
        shape_(shape),
        weight_(context.offset(0)),
        bias_(context.offset(1)),
        workspace_(
            context.arena.reserve(static_cast<std::int64_t>(kernels_->conv2dWorkspace(&shape)))) {}

  void forward(const Pass& pass) override {
    kernels_->conv2dForward(&shape_, pass.y, pass.x, pass.weights + weight_, pass.weights + bias_,
                            arena_.at(workspace_), extent(pass.samples));
  }

  void backward(const BackwardPass& pass) override {
    const Pass& forward = pass.forward;
    kernels_->conv2dBackwardWeights(&shape_, pass.gradient + weight_, pass.gradient + bias_,
                                    forward.x, pass.dy, arena_.at(workspace_),
                                    extent(forward.samples));
    if (pass.dx == nullptr) return;
    kernels_->conv2dBackwardData(&shape_, pass.dx, pass.dy, forward.weights + weight_,
                                 arena_.at(workspace_), extent(forward.samples));
  }

 private:
  Kernels kernels_;
  Arena& arena_;  // outlives us
  SumacConv2d shape_;
  std::int64_t weight_;
  std::int64_t bias_;
  Arena::Piece workspace_;
};

}  // namespace

std::unique_ptr<LayerEngine> makeConv2d(const LayerContext& context, const model::Conv2d& spec) {
  const model::Shape& input = context.layer.input;
  const model::Shape& output = context.layer.output;
  const SumacConv2d shape{.channels = extent(input.at(0)),
                          .rows = extent(input.at(1)),
                          .columns = extent(input.at(2)),
                          .outputs = extent(output.at(0)),
                          .out_rows = extent(output.at(1)),
                          .out_columns = extent(output.at(2)),
                          .kernel = extent(spec.kernel),
                          .stride = extent(spec.stride),
                          .padding = extent(spec.padding)};
  return std::make_unique<Conv2dEngine>(context, shape);
}

}  // namespace sumac::worker
