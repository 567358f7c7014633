#include "worker/nn/layers.h"

namespace sumac::worker {
namespace {

std::size_t extent(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

class MaxPoolEngine final : public LayerEngine {
 public:
  MaxPoolEngine(const LayerContext& context, const SumacMaxPool& sample)
      : kernels_(context.kernels),
        arena_(context.arena),
        sample_(sample),
        argmax_(context.arena.reserve(model::count(context.layer.output) * context.max_samples)) {}

  void forward(const Pass& pass) override {
    const SumacMaxPool shape = shapeOf(pass.samples);
    kernels_->maxPool(&shape, pass.y, arena_.indicesAt(argmax_), pass.x);
  }

  void backward(const BackwardPass& pass) override {
    if (pass.dx == nullptr) return;
    const SumacMaxPool shape = shapeOf(pass.forward.samples);
    kernels_->maxPoolBackward(&shape, pass.dx, pass.dy, arena_.indicesAt(argmax_));
  }

 private:
  SumacMaxPool shapeOf(std::int64_t samples) const {
    SumacMaxPool shape = sample_;
    shape.planes *= extent(samples);
    return shape;
  }

  Kernels kernels_;
  Arena& arena_;  // outlives us
  SumacMaxPool sample_;
  Arena::Piece argmax_;
};

}  // namespace

std::unique_ptr<LayerEngine> makeMaxPool(const LayerContext& context, const model::MaxPool& spec) {
  const model::Shape& input = context.layer.input;
  const model::Shape& output = context.layer.output;
  const SumacMaxPool shape{.planes = extent(input.at(0)),
                           .rows = extent(input.at(1)),
                           .columns = extent(input.at(2)),
                           .out_rows = extent(output.at(1)),
                           .out_columns = extent(output.at(2)),
                           .kernel = extent(spec.kernel),
                           .stride = extent(spec.stride)};
  return std::make_unique<MaxPoolEngine>(context, shape);
}

}  // namespace sumac::worker
