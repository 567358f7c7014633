#include <optional>
#include <variant>

#include "engine/image/block_group.h"
#include "engine/image/operations.h"
#include "engine/nn/weights_in_use.h"

namespace sumac::worker::image {
namespace {

class Conv2dOperation final : public Operation {
 public:
  Conv2dOperation(const Context& context, const Fused& fused, const Value& x, const Value& y);

  void forward(const Run& run) override;
  bool isBlockwise() const override { return products() <= kBlockwiseProducts; }
  void prepareForward(const Run& run) override;
  void forwardBlock(const Run& run, std::size_t block) override;
  void backward(const Run& run, float* dy, std::span<float* const> dx) override;

 private:
  // Of one block, about a millisecond: longer ones do not wait often enough for it to matter.
  static constexpr std::size_t kBlockwiseProducts = 64 * kTaskProducts;

  /// Blocks whose gradients are kept at the same time.
  struct Group {
    std::size_t begin;
    std::size_t size;
    bool first;
    bool last;
  };

  void forwardRows(const Run& run, std::size_t block, std::size_t first, std::size_t rows);
  void backwardByOutputs(const Run& run, const float* dy);
  void backwardRow(const Run& run, const float* dy, std::size_t row);
  Group groupAt(const Run& run, std::size_t block) const;
  void backwardInputs(const Run& run, const float* dy, float* dx);
  void backwardActivation(const Group& group, const float* dy);
  void backwardChannels(const Group& group, const float* dy, std::size_t first,
                        std::size_t channels);
  void finishBias(const Run& run);
  void backwardProducts(const Run& run, const Group& group, bool with_weights, float* dx);
  void backwardWeights(const Run& run, const Group& group, std::size_t first, std::size_t panels);
  float* xOf(std::size_t block) {
    return arena_.at(x_.data) + block * x_.stored() * kernels_->lanes;
  }
  std::uint8_t* argmaxOf(std::size_t block) {
    return argmax_ ? arena_.bytesAt(*argmax_) + block * y_.count() * kernels_->lanes : nullptr;
  }
  std::size_t products() const;

  Kernels kernels_;
  ComputePool& pool_;  // outlives us
  Arena& arena_;       // outlives us
  Scratch& scratch_;   // outlives us
  SumacLanesConv conv_;
  Value x_;
  Value y_;
  Extent weights_;
  std::int64_t weight_;
  std::optional<std::int64_t> bias_;
  std::size_t group_blocks_;
  Arena::Piece panels_;  // the weights as forward takes them
  PackedVersion panels_version_;
  Arena::Piece backward_panels_;
  PackedVersion backward_panels_version_;
  std::optional<Arena::Piece> argmax_;
  // In the scratch memory.
  std::size_t gradients_;
  std::size_t bias_sums_;
  std::optional<std::size_t> sums_;
};

SumacLanesConv shapeOf(const model::Layer& layer, const Fused& fused, const Value& x,
                       const Value& y) {
  const auto& spec = std::get<model::Conv2d>(layer.spec.kind);
  return {.x = x.image,
          .y = y.image,
          .out_rows = extent(layer.output.at(1)),
          .out_columns = extent(layer.output.at(2)),
          .kernel = extent(spec.kernel),
          .stride = extent(spec.stride),
          .padding = extent(spec.padding),
          .groups = extent(spec.groups),
          .activation = fused.activation,
          .pool = fused.pool ? 1 : 0};
}

Conv2dOperation::Conv2dOperation(const Context& context, const Fused& fused, const Value& x,
                                 const Value& y)
    : kernels_(context.kernels),
      pool_(context.pool),
      arena_(context.arena),
      scratch_(context.scratch),
      x_(x),
      y_(y) {
  const model::Layer& layer = context.layer(fused);
  conv_ = shapeOf(layer, fused, x, y);
  weights_ = weightsOf(context.network, layer);
  weight_ = context.tensor(layer, 0).offset;
  if (layer.tensors.size() > 1) bias_ = context.tensor(layer, 1).offset;

  const std::size_t block_gradient = kernels_->lanesConvGradientSize(&conv_);
  const std::size_t sums = kernels_->lanesConvWeightSums(&conv_);
  group_blocks_ =
      blocksPerGroup({.gradients = block_gradient,
                      .inputs = x.stored() * context.lanes(),
                      .input_reads = kernels_->lanesConvPanelRows(&conv_) / conv_.groups,
                      .sums = sums},
                     context.max_blocks);
  Scratch::Layout layout;
  const bool is_first = layer.from.at(0) < 0;
  if (group_blocks_ < context.max_blocks || (is_first && sums <= kMaxKeptSums))
    sums_ = layout.reserve(sums);
  gradients_ = layout.reserve(group_blocks_ * block_gradient);
  bias_sums_ = layout.reserve(y.image.channels * context.lanes());
  context.scratch.admit(layout);
  panels_ = context.reserve(extent(context.tensor(layer, 0).count()));
  backward_panels_ = context.reserve(extent(context.tensor(layer, 0).count()));
  if (fused.pool) argmax_ = context.reserveBytes(context.max_blocks * y.count() * context.lanes());
}

// Of one block's forward pass.
std::size_t Conv2dOperation::products() const {
  return conv_.out_rows * conv_.out_columns * conv_.y.channels * (conv_.x.channels / conv_.groups) *
         conv_.kernel * conv_.kernel;
}

void Conv2dOperation::prepareForward(const Run& run) {
  if (panels_version_.isNew(run.weights_version))
    kernels_->lanesConvPack(&conv_, arena_.at(panels_), run.weights + weight_);
}

void Conv2dOperation::forward(const Run& run) {
  prepareForward(run);
  const std::size_t rows = conv_.y.rows;
  const Split split(rows, products() / rows);
  pool_.run(run.blocks * split.count, [&](std::size_t task) {
    const std::size_t slice = task % split.count;
    forwardRows(run, task / split.count, split.begin(slice), split.size(slice));
  });
}

void Conv2dOperation::forwardBlock(const Run& run, std::size_t block) {
  forwardRows(run, block, 0, conv_.y.rows);
}

void Conv2dOperation::forwardRows(const Run& run, std::size_t block, std::size_t first,
                                  std::size_t rows) {
  const SumacLanesConvForward forward{
      .y = arena_.at(y_.data) + block * y_.stored() * kernels_->lanes,
      .argmax = argmaxOf(block),
      .x = xOf(block),
      .panels = arena_.at(panels_),
      .bias = bias_ ? run.weights + *bias_ : nullptr,
      .first_row = first,
      .rows = rows};
  kernels_->lanesConvForward(&conv_, &forward);
}

// Without input gradients the outputs do not need each other: one wait for all blocks.
void Conv2dOperation::backwardByOutputs(const Run& run, const float* dy) {
  pool_.run(kernels_->lanesConvPanelRows(&conv_),
            [&](std::size_t row) { backwardRow(run, dy, row); });
  finishBias(run);
  run.announce(weights_);
}

void Conv2dOperation::backwardRow(const Run& run, const float* dy, std::size_t row) {
  const std::size_t first = kernels_->lanesConvPanelOutput(&conv_, row);
  const std::size_t outputs = kernels_->lanesConvPanelOutput(&conv_, row + 1) - first;
  const std::size_t panels =
      kernels_->lanesConvWeightPanels(&conv_) / kernels_->lanesConvPanelRows(&conv_);
  for (std::size_t block = 0; block < run.blocks; ++block) {
    const Group group{block, 1, block == 0, block + 1 == run.blocks};
    backwardChannels(group, dy, first, outputs);
    backwardWeights(run, group, row * panels, panels);
  }
}

void Conv2dOperation::backward(const Run& run, float* dy, std::span<float* const> dx) {
  const auto threads = static_cast<std::size_t>(pool_.threads());
  if (dx[0] == nullptr && sums_ && kernels_->lanesConvPanelRows(&conv_) % threads == 0)
    return backwardByOutputs(run, dy);
  if (dx[0] != nullptr && backward_panels_version_.isNew(run.weights_version)) {
    kernels_->lanesConvPackBackward(&conv_, arena_.at(backward_panels_), run.weights + weight_);
  }
  // Somebody waits for the weights' gradient: input gradients are not computed before it is there,
  // nor side by side with it.
  const bool is_awaited = run.observer != nullptr && dx[0] != nullptr;
  for (std::size_t block = 0; block < run.blocks; block += group_blocks_) {
    const Group group = groupAt(run, block);
    backwardActivation(group, dy);
    if (group.last) finishBias(run);
    backwardProducts(run, group, true, is_awaited ? nullptr : dx[0]);
  }
  run.announce(weights_);
  if (is_awaited) backwardInputs(run, dy, dx[0]);
}

Conv2dOperation::Group Conv2dOperation::groupAt(const Run& run, std::size_t block) const {
  const std::size_t size = std::min(group_blocks_, run.blocks - block);
  return {block, size, block == 0, block + size == run.blocks};
}

// The last group comes first: its gradients are still there. Those of the others are computed
// again, and with them sums of the biases that nobody reads.
void Conv2dOperation::backwardInputs(const Run& run, const float* dy, float* dx) {
  const std::size_t groups = (run.blocks + group_blocks_ - 1) / group_blocks_;
  for (std::size_t i = groups; i-- > 0;) {
    const Group group = groupAt(run, i * group_blocks_);
    if (!group.last) backwardActivation(group, dy);
    backwardProducts(run, group, false, dx);
  }
}

void Conv2dOperation::finishBias(const Run& run) {
  if (!bias_) return;
  kernels_->lanesSumBias(run.gradient + *bias_, scratch_.at(bias_sums_), conv_.y.channels,
                         run.accumulate ? 1 : 0);
}

void Conv2dOperation::backwardActivation(const Group& group, const float* dy) {
  constexpr std::size_t kCost = 32;  // of a gradient, in products: it is written, not kept
  const Split split(conv_.y.channels, kCost * group.size * conv_.out_rows * conv_.out_columns);
  pool_.run(split.count, [&](std::size_t task) {
    backwardChannels(group, dy, split.begin(task), split.size(task));
  });
}

void Conv2dOperation::backwardChannels(const Group& group, const float* dy, std::size_t first,
                                       std::size_t channels) {
  const std::size_t size = kernels_->lanesConvGradientSize(&conv_);
  for (std::size_t i = 0; i < group.size; ++i) {
    const std::size_t block = group.begin + i;
    const SumacLanesConvActivation back{
        .dz = scratch_.at(gradients_) + i * size,
        .bias_sums = scratch_.at(bias_sums_),
        .begins = group.first && i == 0 ? 1 : 0,
        .dy = dy + block * y_.count() * kernels_->lanes,
        .y = arena_.at(y_.data) + block * y_.stored() * kernels_->lanes,
        .argmax = argmaxOf(block),
        .first_channel = first,
        .channels = channels};
    kernels_->lanesConvActivationBackward(&conv_, &back);
  }
}

// The weights' tasks come first: they are what others wait for.
void Conv2dOperation::backwardProducts(const Run& run, const Group& group, bool with_weights,
                                       float* dx) {
  const std::size_t panels = kernels_->lanesConvWeightPanels(&conv_);
  const Split weights(panels, group.size * products() / panels);
  const std::size_t rows = conv_.x.rows;
  const Split data(rows, products() / rows);
  const std::size_t weight_tasks = with_weights ? weights.count : 0;
  const std::size_t data_tasks = dx == nullptr ? 0 : group.size * data.count;
  pool_.run(weight_tasks + data_tasks, [&](std::size_t task) {
    if (task < weight_tasks) {
      backwardWeights(run, group, weights.begin(task), weights.size(task));
      return;
    }
    const std::size_t i = (task - weight_tasks) / data.count;
    const std::size_t slice = (task - weight_tasks) % data.count;
    kernels_->lanesConvBackwardData(
        &conv_, dx + (group.begin + i) * x_.count() * kernels_->lanes,
        scratch_.at(gradients_) + i * kernels_->lanesConvGradientSize(&conv_),
        arena_.at(backward_panels_), data.begin(slice), data.size(slice));
  });
}

void Conv2dOperation::backwardWeights(const Run& run, const Group& group, std::size_t first,
                                      std::size_t panels) {
  const SumacLanesConvWeights back{.dw = run.gradient + weight_,
                                   .accumulate = run.accumulate ? 1 : 0,
                                   .sums = sums_ ? scratch_.at(*sums_) : nullptr,
                                   .begins = group.first ? 1 : 0,
                                   .ends = group.last ? 1 : 0,
                                   .x = xOf(group.begin),
                                   .x_stride = x_.stored() * kernels_->lanes,
                                   .dz = scratch_.at(gradients_),
                                   .dz_stride = kernels_->lanesConvGradientSize(&conv_),
                                   .blocks = group.size,
                                   .first_panel = first,
                                   .panels = panels};
  kernels_->lanesConvBackwardWeights(&conv_, &back);
}

}  // namespace

std::unique_ptr<Operation> makeConv2d(const Context& context, const Fused& fused, const Value& x,
                                      const Value& y) {
  return std::make_unique<Conv2dOperation>(context, fused, x, y);
}

}  // namespace sumac::worker::image
