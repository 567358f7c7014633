#include <algorithm>
#include <cstdint>

#include "engine/onnx/layers.h"

namespace sumac::onnx {
namespace {

using Numbers = std::vector<std::int64_t>;

/// The rows or columns behind an image that its last window needs. They make Pool::ceil explicit:
/// readers of ONNX disagree about the windows of its ceil_mode.
std::int64_t paddingBehind(std::int64_t extent, std::int64_t windows, int kernel, int stride,
                           int padding) {
  const std::int64_t end = (windows - 1) * stride + kernel - padding;
  return std::max<std::int64_t>(padding, end - extent);
}

/// Before rows, before columns, behind rows, behind columns.
template <typename Pool>
Numbers paddings(const model::Layer& layer, const Pool& pool) {
  const auto behind = [&](std::size_t axis) {
    return paddingBehind(layer.input.at(axis), layer.output.at(axis), pool.kernel, pool.stride,
                         pool.padding);
  };
  return {pool.padding, pool.padding, behind(1), behind(2)};
}

template <typename Pool>
std::vector<Attribute> windowOf(const Pool& pool, const Numbers& pads) {
  return {{"kernel_shape", Numbers{pool.kernel, pool.kernel}},
          {"strides", Numbers{pool.stride, pool.stride}},
          {"pads", pads}};
}

}  // namespace

std::string addNodes(const LayerContext& context, const model::Conv2d& conv) {
  std::vector<std::string> inputs{context.x(), context.weight(0)};
  if (conv.bias) inputs.push_back(context.weight(1));
  auto attributes = windowOf(conv, {conv.padding, conv.padding, conv.padding, conv.padding});
  attributes.push_back({"group", std::int64_t{conv.groups}});
  return context.graph.add("Conv", inputs, context.out(), attributes);
}

std::string addNodes(const LayerContext& context, const model::MaxPool& pool) {
  return context.graph.add("MaxPool", {context.x()}, context.out(),
                           windowOf(pool, paddings(context.layer, pool)));
}

// The divisor counts the zeros of the padding, but not what `ceil` adds behind them: where there
// are both, the zeros become part of the image.
std::string addNodes(const LayerContext& context, const model::AveragePool& pool) {
  Numbers pads = paddings(context.layer, pool);
  std::string x = context.x();
  const bool is_beyond = pads[2] > pool.padding || pads[3] > pool.padding;
  if (is_beyond && pool.padding > 0) {
    const std::int64_t p = pool.padding;
    const auto zeros = context.graph.constant(context.own("zeros"), {0, 0, p, p, 0, 0, p, p});
    x = context.graph.add("Pad", {x, zeros}, context.own("padded"));
    pads = {0, 0, pads[2] - p, pads[3] - p};
  }
  auto attributes = windowOf(pool, pads);
  attributes.push_back({"count_include_pad", std::int64_t{is_beyond ? 0 : 1}});
  return context.graph.add("AveragePool", {x}, context.out(), attributes);
}

std::string addNodes(const LayerContext& context, const model::GlobalAveragePool& /*pool*/) {
  const auto means = context.graph.add("GlobalAveragePool", {context.x()}, context.own("means"));
  return context.graph.add("Flatten", {means}, context.out());
}

std::string addNodes(const LayerContext& context, const model::BatchNorm& norm) {
  const model::StateRange range = context.layer.statistics;
  const auto channels = static_cast<std::size_t>(range.count / 2);
  const auto statistics =
      context.trained.statistics.subspan(static_cast<std::size_t>(range.offset));
  const model::Shape shape{range.count / 2};
  const auto mean =
      context.graph.constantView(context.own("running_mean"), shape, statistics.first(channels));
  const auto variance = context.graph.constantView(context.own("running_var"), shape,
                                                   statistics.subspan(channels, channels));
  return context.graph.add("BatchNormalization",
                           {context.x(), context.weight(0), context.weight(1), mean, variance},
                           context.out(), {{"epsilon", static_cast<float>(norm.epsilon)}});
}

}  // namespace sumac::onnx
