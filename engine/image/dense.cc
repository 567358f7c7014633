#include <optional>

#include "engine/image/operations.h"
#include "engine/nn/weights_in_use.h"

namespace sumac::worker::image {
namespace {

class DenseOperation final : public Operation {
 public:
  DenseOperation(const Context& context, const Fused& fused, const Value& x, const Value& y);

  void forward(const Run& run) override;
  void backward(const Run& run, float* dy, std::span<float* const> dx) override;

 private:
  SumacLanesDense shapeOf(const Run& run) const {
    SumacLanesDense dense = dense_;
    dense.images = run.images;
    dense.blocks = run.blocks;
    return dense;
  }
  void transposeGradients(const Run& run, float* dy);
  void backwardProducts(const Run& run, bool with_weights, const float* dy, float* dx);

  Kernels kernels_;
  ComputePool& pool_;  // outlives us
  Arena& arena_;       // outlives us
  Scratch& scratch_;   // outlives us
  SumacLanesDense dense_{};
  Value x_;
  Value y_;
  Extent weights_;
  std::int64_t weight_ = 0;
  std::optional<std::int64_t> bias_;
  Arena::Piece panels_;  // the weights as forward takes them
  PackedVersion panels_version_;
  // In the scratch memory.
  std::size_t transposed_inputs_;
  std::size_t transposed_gradients_;
};

DenseOperation::DenseOperation(const Context& context, const Fused& fused, const Value& x,
                               const Value& y)
    : kernels_(context.kernels),
      pool_(context.pool),
      arena_(context.arena),
      scratch_(context.scratch),
      x_(x),
      y_(y) {
  const model::Layer& layer = context.layer(fused);
  weights_ = weightsOf(context.network, layer);
  weight_ = context.tensor(layer, 0).offset;
  if (layer.tensors.size() > 1) bias_ = context.tensor(layer, 1).offset;
  dense_ = {.inputs = x.count(),
            .outputs = y.count(),
            .images = context.max_blocks * context.lanes(),
            .blocks = context.max_blocks,
            .activation = fused.activation};
  panels_ =
      context.reserve(kernels_->lanesDensePanels(&dense_) * kernels_->lanesDensePanelSize(&dense_));
  Scratch::Layout layout;
  transposed_inputs_ = layout.reserve(kernels_->lanesDenseInputPanels(&dense_) *
                                      kernels_->lanesDenseInputPanelSize(&dense_));
  transposed_gradients_ = layout.reserve(dense_.images * (dense_.outputs + context.lanes() - 1));
  context.scratch.admit(layout);
}

void DenseOperation::forward(const Run& run) {
  const SumacLanesDense dense = shapeOf(run);
  const bool packs = panels_version_.isNew(run.weights_version);
  pool_.run(kernels_->lanesDensePanels(&dense), [&](std::size_t panel) {
    float* const panels = arena_.at(panels_);
    if (packs) kernels_->lanesDensePack(&dense, panels, run.weights + weight_, panel);
    kernels_->lanesDenseForward(&dense, arena_.at(y_.data), arena_.at(x_.data), panels,
                                bias_ ? run.weights + *bias_ : nullptr, panel);
  });
}

void DenseOperation::transposeGradients(const Run& run, float* dy) {
  const SumacLanesDense dense = shapeOf(run);
  const std::size_t groups = (dense.outputs + kernels_->lanes - 1) / kernels_->lanes;
  const Split split(groups, dense.blocks * kernels_->lanes * 4);
  pool_.run(split.count, [&](std::size_t task) {
    for (std::size_t group = split.begin(task); group < split.begin(task + 1); ++group) {
      kernels_->lanesDenseActivationBackward(&dense, dy, arena_.at(y_.data),
                                             bias_ ? run.gradient + *bias_ : nullptr, group,
                                             run.accumulate ? 1 : 0);
      kernels_->lanesDenseTransposeGradients(&dense, scratch_.at(transposed_gradients_), dy, group);
    }
  });
}

void DenseOperation::backward(const Run& run, float* dy, std::span<float* const> dx) {
  transposeGradients(run, dy);
  if (run.observer == nullptr) return backwardProducts(run, true, dy, dx[0]);
  backwardProducts(run, true, dy, nullptr);
  run.announce(weights_);
  backwardProducts(run, false, dy, dx[0]);
}

void DenseOperation::backwardProducts(const Run& run, bool with_weights, const float* dy,
                                      float* dx) {
  const SumacLanesDense dense = shapeOf(run);
  const std::size_t panels = with_weights ? kernels_->lanesDenseInputPanels(&dense) : 0;
  // A quarter of a task's usual size: they come last, and a thread that has none waits. But whole
  // tiles of the product, twice the 6 rows of the highest: for single rows it reads all the same.
  constexpr std::size_t kLeastInputs = 12;
  const Split data(dense.inputs, 4 * dense.outputs * dense.blocks, kLeastInputs);
  pool_.run(panels + (dx == nullptr ? 0 : data.count), [&](std::size_t task) {
    if (task < panels) {
      kernels_->lanesDenseTransposeInputs(&dense, scratch_.at(transposed_inputs_),
                                          arena_.at(x_.data), task);
      kernels_->lanesDenseBackwardWeights(
          &dense, run.gradient + weight_, scratch_.at(transposed_inputs_),
          scratch_.at(transposed_gradients_), task, run.accumulate ? 1 : 0);
      return;
    }
    kernels_->lanesDenseBackwardData(&dense, dx, dy, run.weights + weight_,
                                     data.begin(task - panels), data.size(task - panels));
  });
}

}  // namespace

std::unique_ptr<Operation> makeDense(const Context& context, const Fused& fused, const Value& x,
                                     const Value& y) {
  return std::make_unique<DenseOperation>(context, fused, x, y);
}

}  // namespace sumac::worker::image
