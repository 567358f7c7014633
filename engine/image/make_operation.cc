#include "engine/image/make_operation.h"

#include <array>
#include <string>
#include <variant>

#include "base/core/check.h"
#include "engine/image/operations.h"

namespace sumac::worker::image {
namespace {

using Made = Result<std::unique_ptr<Operation>>;

struct Maker {
  const Context& context;
  const OperationGraph& graph;
  const GraphOperation& node;

  const Value& x(std::size_t n = 0) const { return graph.values.at(extent(node.inputs.at(n))); }
  const Value& y() const { return graph.values.at(extent(node.output)); }

  Made operator()(const model::Conv2d& /*conv*/) const {
    return makeConv2d(context, node.fused, x(), y());
  }
  Made operator()(const model::Dense& /*dense*/) const {
    return makeDense(context, node.fused, x(), y());
  }
  Made operator()(const model::Relu& /*relu*/) const { return activation(); }
  Made operator()(const model::Tanh& /*tanh*/) const { return activation(); }
  Made operator()(const model::Sigmoid& /*sigmoid*/) const { return activation(); }
  Made operator()(const model::BatchNorm& /*norm*/) const {
    return makeBatchNorm(context, node.fused, x(), y());
  }
  Made operator()(const model::Dropout& dropout) const {
    return makeDropout(context, node.fused, dropout, x(), y());
  }
  Made operator()(const model::MaxPool& pool) const {
    SUMAC_CHECK(pool.kernel <= model::kLargestMaxPool, pool.kernel);  // model::resolve() has looked
    return makeMaxPool(context, pool, x(), y());
  }
  Made operator()(const model::AveragePool& pool) const {
    return makeAveragePool(context, pool, x(), y());
  }
  Made operator()(const model::GlobalAveragePool& /*pool*/) const {
    return makeGlobalAveragePool(context, x(), y());
  }
  Made operator()(const model::Flatten& /*flatten*/) const {
    return makeSum(context, std::array{x()}, y());
  }
  Made operator()(const model::Add& /*add*/) const {
    return makeSum(context, std::array{x(0), x(1)}, y());
  }
  template <typename Kind>
  Made operator()(const Kind& kind) const {
    return refuse(std::string(model::kindName(kind)) + " cannot be computed on images and vectors");
  }

  Made activation() const { return makeActivation(context, node.fused, x(), y()); }
  Made refuse(const std::string& why) const {
    const model::Layer& layer = context.network.layers.at(extent(node.fused.layer));
    return Error{ErrorCode::kUnsupported, "layer " + layer.spec.name + ": " + why};
  }
};

}  // namespace

Result<std::unique_ptr<Operation>> makeOperation(const Context& context,
                                                 const OperationGraph& graph,
                                                 const GraphOperation& node) {
  const model::Layer& layer = context.network.layers.at(extent(node.fused.layer));
  return std::visit(Maker{context, graph, node}, layer.spec.kind);
}

}  // namespace sumac::worker::image
