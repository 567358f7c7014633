#include "tests/papers/architectures.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <variant>

#include "base/core/check.h"
#include "job/model/network.h"
#include "planner/network/from_model.h"

namespace sumac::planner::papers {
namespace {

/// A network of the zoo. Requires its name.
model::NetworkSpec specOf(std::string_view name) {
  auto spec = model::fromZoo(name);
  SUMAC_CHECK(spec, name);
  return std::move(*spec);
}

/// Requires a specification that is right.
LayerList resolved(const model::NetworkSpec& spec, std::string source) {
  const auto network = model::resolve(spec);
  SUMAC_CHECK(network, spec.name);
  return fromModel(*network, std::move(source));
}

/// The LeNet of TensorFlow's examples. `hidden`: outputs of the first dense layer.
LayerList tensorflowLenet(std::string name, int hidden) {
  const model::Conv2d narrow{.outputs = 32, .kernel = 5, .padding = 2};
  const model::Conv2d wide{.outputs = 64, .kernel = 5, .padding = 2};
  const model::MaxPool pool{.kernel = 2};
  model::NetworkSpec spec{std::move(name), {1, 28, 28}, {}};
  const std::array<model::LayerKind, 11> kinds{narrow,
                                               model::Relu{},
                                               pool,
                                               wide,
                                               model::Relu{},
                                               pool,
                                               model::Flatten{},
                                               model::Dense{.outputs = hidden},
                                               model::Relu{},
                                               model::Dense{.outputs = 10},
                                               model::SoftmaxCrossEntropy{}};
  for (const model::LayerKind& kind : kinds)
    spec.layers.push_back({{}, kind, {}});
  model::nameLayers(spec.layers);
  return resolved(spec, "TensorFlow's examples, shapes derived");
}

LayerList lenetTfTutorial() {
  return tensorflowLenet("lenet-tf-tutorial", 1024);
}

LayerList lenetTfModels() {
  return tensorflowLenet("lenet-tf-models", 512);
}

/// Moves each block's stride from its 3x3 convolution to the 1x1 before it.
LayerList resNetV1(std::string_view zoo_name) {
  model::NetworkSpec spec = specOf(zoo_name);
  spec.name += "-v1";
  for (model::LayerSpec& layer : spec.layers) {
    auto* const block = std::get_if<model::Residual>(&layer.kind);
    if (block == nullptr) continue;
    std::vector<model::Conv2d*> convolutions;
    for (model::LayerSpec& inner : block->layers) {
      if (auto* const conv = std::get_if<model::Conv2d>(&inner.kind)) convolutions.push_back(conv);
    }
    std::swap(convolutions.at(0)->stride, convolutions.at(1)->stride);
  }
  return resolved(spec, "He et al. 2015, shapes derived");
}

LayerList resNet50V1() {
  return resNetV1("resnet50");
}

LayerList resNet152V1() {
  return resNetV1("resnet152");
}

LayerList vgg16Kahira() {
  model::NetworkSpec spec = specOf("vgg16");
  spec.name = "vgg16-kahira";
  spec.input = {3, 226, 226};
  for (model::LayerSpec& layer : spec.layers) {
    if (auto* const pool = std::get_if<model::MaxPool>(&layer.kind)) pool->ceil = true;
  }
  return resolved(spec, "Kahira et al. 2021, the model file of their tool");
}

/// A volume on its way through a network.
struct Volume {
  std::int64_t channels = 0;
  std::int64_t side = 0;
};

Extents cube(std::int64_t side) {
  return {side, side, side};
}

/// A window without padding; the volume becomes its output.
Layer window(std::string name, Volume& volume, std::int64_t kernel, std::int64_t stride) {
  Layer layer{.name = std::move(name), .kind = LayerKind::kPool};
  layer.input_channels = layer.output_channels = volume.channels;
  layer.input_extents = cube(volume.side);
  volume.side = (volume.side - kernel) / stride + 1;
  layer.output_extents = cube(volume.side);
  layer.kernel = cube(kernel);
  layer.stride = stride;
  return layer;
}

struct Convolution3d {
  std::int64_t outputs = 0;
  std::int64_t kernel = 0;
  std::int64_t stride = 1;
};

Layer convolution(std::string name, Volume& volume, const Convolution3d& conv) {
  Layer layer = window(std::move(name), volume, conv.kernel, conv.stride);
  layer.kind = LayerKind::kConvolution;
  layer.output_channels = volume.channels = conv.outputs;
  layer.weights = layer.input_channels * layer.output_channels * positions(layer.kernel);
  layer.biases = layer.output_channels;
  layer.macs = layer.weights * positions(layer.output_extents);
  return layer;
}

Layer dense(std::string name, std::int64_t inputs, std::int64_t outputs) {
  Layer layer{.name = std::move(name), .kind = LayerKind::kDense};
  layer.input_channels = inputs;
  layer.output_channels = outputs;
  layer.weights = layer.macs = inputs * outputs;
  layer.biases = outputs;
  return layer;
}

/// Activations, which work in place, are left out.
LayerList cosmoFlow() {
  constexpr std::array kConvolutions{
      Convolution3d{16, 3},  Convolution3d{32, 3},  Convolution3d{64, 3, 2}, Convolution3d{128, 3},
      Convolution3d{256, 2}, Convolution3d{256, 2}, Convolution3d{128, 2}};
  LayerList list{"cosmoflow", "Kahira et al. 2021, the model file of their tool", {}};
  Volume volume{4, 512};
  for (std::size_t i = 0; i < kConvolutions.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    list.layers.push_back(convolution("conv" + number, volume, kConvolutions.at(i)));
    // The last one's output is a single position.
    if (volume.side > 1) list.layers.push_back(window("pool" + number, volume, 2, 2));
  }
  list.layers.push_back(dense("dense1", volume.channels, 2048));
  list.layers.push_back(dense("dense2", 2048, 256));
  list.layers.push_back(dense("dense3", 256, 4));
  return list;
}

struct Variant {
  std::string_view name;
  LayerList (*make)();
};

constexpr std::array kVariants{
    Variant{"lenet-tf-tutorial", lenetTfTutorial},
    Variant{"lenet-tf-models", lenetTfModels},
    Variant{"resnet50-v1", resNet50V1},
    Variant{"resnet152-v1", resNet152V1},
    Variant{"vgg16-kahira", vgg16Kahira},
    Variant{"cosmoflow", cosmoFlow},
};

}  // namespace

Result<LayerList> architecture(std::string_view name) {
  for (const Variant& variant : kVariants) {
    if (variant.name == name) return variant.make();
  }
  const std::vector<std::string> zoo = model::zooNames();
  if (std::find(zoo.begin(), zoo.end(), name) != zoo.end()) {
    return resolved(specOf(name), "the zoo's " + std::string(name) + ", shapes as published");
  }
  std::string known;
  for (const std::string& each : architectureNames())
    known += (known.empty() ? "" : ", ") + each;
  return Error{ErrorCode::kNotFound, "there is no published network '" + std::string(name) +
                                         "'; the planner knows " + known};
}

std::vector<std::string> architectureNames() {
  std::vector<std::string> names = model::zooNames();
  for (const Variant& variant : kVariants)
    names.emplace_back(variant.name);
  return names;
}

}  // namespace sumac::planner::papers
