#pragma once

#include <memory>

#include "worker/nn/layer.h"

// One function per kind of layer; layer.cc chooses.
namespace sumac::worker {

std::unique_ptr<LayerEngine> makeConv2d(const LayerContext& context, const model::Conv2d& spec);
std::unique_ptr<LayerEngine> makeDense(const LayerContext& context);
std::unique_ptr<LayerEngine> makeMaxPool(const LayerContext& context, const model::MaxPool& spec);
std::unique_ptr<LayerEngine> makeRelu(const LayerContext& context);

}  // namespace sumac::worker
