#pragma once

#include <memory>
#include <span>

#include "engine/image/operation.h"
#include "job/model/network.h"

// One function a kind of operation; each has its file.
namespace sumac::worker::image {

std::unique_ptr<Operation> makeConv2d(const Context& context, const Fused& fused, const Value& x,
                                      const Value& y);
std::unique_ptr<Operation> makeDense(const Context& context, const Fused& fused, const Value& x,
                                     const Value& y);
std::unique_ptr<Operation> makeActivation(const Context& context, const Fused& fused,
                                          const Value& x, const Value& y);
std::unique_ptr<Operation> makeBatchNorm(const Context& context, const Fused& fused, const Value& x,
                                         const Value& y);
std::unique_ptr<Operation> makeDropout(const Context& context, const Fused& fused,
                                       const model::Dropout& spec, const Value& x, const Value& y);
/// Requires a kernel of at most 255 pixels.
std::unique_ptr<Operation> makeMaxPool(const Context& context, const model::MaxPool& spec,
                                       const Value& x, const Value& y);
std::unique_ptr<Operation> makeAveragePool(const Context& context, const model::AveragePool& spec,
                                           const Value& x, const Value& y);
std::unique_ptr<Operation> makeGlobalAveragePool(const Context& context, const Value& x,
                                                 const Value& y);
/// y = x, or the sum of two.
std::unique_ptr<Operation> makeSum(const Context& context, std::span<const Value> x,
                                   const Value& y);

}  // namespace sumac::worker::image
