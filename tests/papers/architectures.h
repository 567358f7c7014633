#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "planner/network/layer_list.h"

namespace sumac::planner::papers {

/// A published network by name: those of the zoo, and variants that only papers have.
///
/// - "lenet-tf-tutorial", "lenet-tf-models": TensorFlow's two LeNets.
/// - "resnet50-v1", "resnet152-v1": a block's stride is in its first 1x1 convolution (He et al.
///   2015); the zoo's have it in the 3x3 one ("v1.5").
/// - "vgg16-kahira": 226 x 226 inputs and pools that round up, as in the tool of Kahira et al.
/// 2021.
/// - "cosmoflow": 4 x 512^3 inputs, as in the model file of that tool. The network of the original
///   CosmoFlow paper is another one.
///
/// Shapes of "cd-dnn" (429 inputs, 9304 outputs) are those of the usual Switchboard set-up: Das et
/// al. 2016 could not be read in full, and only "7-layer DNN" is known from its abstract.
///
/// Fails with kNotFound and a list of all names.
Result<LayerList> architecture(std::string_view name);

/// All names: the zoo's, then the variants.
std::vector<std::string> architectureNames();

}  // namespace sumac::planner::papers
