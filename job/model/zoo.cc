#include <algorithm>
#include <array>

#include "base/core/check.h"
#include "job/model/network.h"

namespace sumac::model {
namespace {

using Layers = std::vector<LayerSpec>;

/// Appends layers of these kinds; fromZoo() names them.
void append(Layers& layers, std::initializer_list<LayerKind> kinds) {
  for (const LayerKind& kind : kinds)
    layers.push_back({{}, kind, {}});
}

Layers layersOf(std::initializer_list<LayerKind> kinds) {
  Layers layers;
  append(layers, kinds);
  return layers;
}

/// LeCun, Bottou, Bengio, Haffner: "Gradient-based learning applied to document recognition",
/// 1998, with the choices usual today: full connections between the channels, max instead of
/// average pooling, ReLU instead of tanh.
NetworkSpec lenet5() {
  return {"lenet5",
          {1, 28, 28},
          layersOf({Conv2d{.outputs = 6, .kernel = 5, .padding = 2}, Relu{}, MaxPool{.kernel = 2},
                    Conv2d{.outputs = 16, .kernel = 5}, Relu{}, MaxPool{.kernel = 2}, Flatten{},
                    Dense{.outputs = 120}, Relu{}, Dense{.outputs = 84}, Relu{},
                    Dense{.outputs = 10}, SoftmaxCrossEntropy{}})};
}

/// The larger LeNet that MXNet's examples train.
NetworkSpec lenet5Mxnet() {
  return {"lenet5-mxnet",
          {1, 28, 28},
          layersOf({Conv2d{.outputs = 20, .kernel = 5}, Tanh{}, MaxPool{.kernel = 2},
                    Conv2d{.outputs = 50, .kernel = 5}, Tanh{}, MaxPool{.kernel = 2}, Flatten{},
                    Dense{.outputs = 500}, Tanh{}, Dense{.outputs = 10}, SoftmaxCrossEntropy{}})};
}

/// The quick one of Caffe's networks for CIFAR-10, after Krizhevsky's cuda-convnet.
NetworkSpec cifar10Quick() {
  const Conv2d narrow{.outputs = 32, .kernel = 5, .padding = 2};
  const Conv2d wide{.outputs = 64, .kernel = 5, .padding = 2};
  const AveragePool average{.kernel = 3, .stride = 2, .ceil = true};
  return {"cifar10-quick",
          {3, 32, 32},
          layersOf({narrow, MaxPool{.kernel = 3, .stride = 2, .ceil = true}, Relu{}, narrow, Relu{},
                    average, wide, Relu{}, average, Flatten{}, Dense{.outputs = 64},
                    Dense{.outputs = 10}, SoftmaxCrossEntropy{}})};
}

/// Zaremba, Sutskever, Vinyals: "Recurrent neural network regularization", 2014: the small network
/// for the Penn Treebank, which has no dropout.
NetworkSpec ptbLstmSmall() {
  return {"ptb-lstm-small",
          {20},
          layersOf({Embedding{.outputs = 200}, Lstm{.outputs = 200, .layers = 2}, Dense{},
                    SoftmaxCrossEntropy{}}),
          /*vocabulary=*/10'000};
}

/// The end of AlexNet, OverFeat and VGG: three dense layers, dropout before or after each of the
/// first two.
void appendClassifier(Layers& layers, int first, int second, bool dropout_before) {
  append(layers, {Flatten{}});
  for (const int outputs : {first, second}) {
    if (dropout_before) append(layers, {Dropout{}});
    append(layers, {Dense{.outputs = outputs}, Relu{}});
    if (!dropout_before) append(layers, {Dropout{}});
  }
  append(layers, {Dense{.outputs = 1000}, SoftmaxCrossEntropy{}});
}

/// Krizhevsky, Sutskever, Hinton: "ImageNet classification with deep convolutional neural
/// networks", 2012, without the normalisation of responses, which has no parameters. `groups`: 2 as
/// on their two GPUs.
NetworkSpec alexNet2012(std::string_view name, int groups) {
  const MaxPool pool{.kernel = 3, .stride = 2};
  NetworkSpec spec{
      std::string(name),
      {3, 227, 227},
      layersOf({Conv2d{.outputs = 96, .kernel = 11, .stride = 4}, Relu{}, pool,
                Conv2d{.outputs = 256, .kernel = 5, .padding = 2, .groups = groups}, Relu{}, pool,
                Conv2d{.outputs = 384, .kernel = 3, .padding = 1}, Relu{},
                Conv2d{.outputs = 384, .kernel = 3, .padding = 1, .groups = groups}, Relu{},
                Conv2d{.outputs = 256, .kernel = 3, .padding = 1, .groups = groups}, Relu{},
                pool})};
  appendClassifier(spec.layers, 4096, 4096, /*dropout_before=*/false);
  return spec;
}

NetworkSpec alexNet() {
  return alexNet2012("alexnet", 2);
}

NetworkSpec alexNetUngrouped() {
  return alexNet2012("alexnet-ungrouped", 1);
}

/// Krizhevsky: "One weird trick for parallelizing convolutional neural networks", 2014.
NetworkSpec alexNetOwt() {
  const MaxPool pool{.kernel = 3, .stride = 2};
  NetworkSpec spec{"alexnet-owt",
                   {3, 224, 224},
                   layersOf({Conv2d{.outputs = 64, .kernel = 11, .stride = 4, .padding = 2}, Relu{},
                             pool, Conv2d{.outputs = 192, .kernel = 5, .padding = 2}, Relu{}, pool,
                             Conv2d{.outputs = 384, .kernel = 3, .padding = 1}, Relu{},
                             Conv2d{.outputs = 256, .kernel = 3, .padding = 1}, Relu{},
                             Conv2d{.outputs = 256, .kernel = 3, .padding = 1}, Relu{}, pool})};
  appendClassifier(spec.layers, 4096, 4096, /*dropout_before=*/true);
  return spec;
}

/// Sermanet et al.: "OverFeat: integrated recognition, localization and detection using
/// convolutional networks", 2013, the fast network.
NetworkSpec overFeatFast() {
  const MaxPool pool{.kernel = 2};
  NetworkSpec spec{"overfeat-fast",
                   {3, 231, 231},
                   layersOf({Conv2d{.outputs = 96, .kernel = 11, .stride = 4}, Relu{}, pool,
                             Conv2d{.outputs = 256, .kernel = 5}, Relu{}, pool,
                             Conv2d{.outputs = 512, .kernel = 3, .padding = 1}, Relu{},
                             Conv2d{.outputs = 1024, .kernel = 3, .padding = 1}, Relu{},
                             Conv2d{.outputs = 1024, .kernel = 3, .padding = 1}, Relu{}, pool})};
  appendClassifier(spec.layers, 3072, 4096, /*dropout_before=*/true);
  return spec;
}

/// Simonyan, Zisserman: "Very deep convolutional networks for large-scale image recognition", 2014.
NetworkSpec vgg(std::string_view name, const std::array<int, 5>& convolutions) {
  constexpr std::array kOutputs{64, 128, 256, 512, 512};
  NetworkSpec spec{std::string(name), {3, 224, 224}, {}};
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    for (int j = 0; j < convolutions.at(i); ++j) {
      append(spec.layers, {Conv2d{.outputs = kOutputs.at(i), .kernel = 3, .padding = 1}, Relu{}});
    }
    append(spec.layers, {MaxPool{.kernel = 2}});
  }
  appendClassifier(spec.layers, 4096, 4096, /*dropout_before=*/false);
  return spec;
}

NetworkSpec vggA() {
  return vgg("vgg-a", {1, 1, 2, 2, 2});
}

NetworkSpec vgg16() {
  return vgg("vgg16", {2, 2, 3, 3, 3});
}

LayerKind plainConv(int outputs, int kernel, int stride) {
  return Conv2d{
      .outputs = outputs, .kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false};
}

/// He, Zhang, Ren, Sun: "Deep residual learning for image recognition", 2015, in the form usual
/// today ("v1.5"): the 3x3 convolution of a block makes the stride, not the 1x1 before it.
NetworkSpec resNet(std::string_view name, const std::array<int, 4>& blocks) {
  NetworkSpec spec{std::string(name), {3, 224, 224}, {}};
  append(spec.layers, {plainConv(64, 7, 2), BatchNorm{}, Relu{},
                       MaxPool{.kernel = 3, .stride = 2, .padding = 1}});
  int width = 64;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage, width *= 2) {
    for (int i = 0; i < blocks.at(stage); ++i) {
      const int stride = stage > 0 && i == 0 ? 2 : 1;
      Residual block{
          layersOf({plainConv(width, 1, 1), BatchNorm{}, Relu{}, plainConv(width, 3, stride),
                    BatchNorm{}, Relu{}, plainConv(4 * width, 1, 1), BatchNorm{}}),
          {}};
      if (i == 0) append(block.shortcut, {plainConv(4 * width, 1, stride), BatchNorm{}});
      append(spec.layers, {std::move(block), Relu{}});
    }
  }
  append(spec.layers, {GlobalAveragePool{}, Dense{.outputs = 1000}, SoftmaxCrossEntropy{}});
  return spec;
}

NetworkSpec resNet50() {
  return resNet("resnet50", {3, 4, 6, 3});
}

NetworkSpec resNet152() {
  return resNet("resnet152", {3, 8, 36, 3});
}

/// Seide et al.: "1-bit stochastic gradient descent and its application to data-parallel
/// distributed training of speech DNNs", 2014: the Switchboard network.
NetworkSpec cdDnn() {
  constexpr int kHidden = 7;
  NetworkSpec spec{"cd-dnn", {429}, {}};
  for (int i = 0; i < kHidden; ++i)
    append(spec.layers, {Dense{.outputs = 2048}, Sigmoid{}});
  append(spec.layers, {Dense{.outputs = 9304}, SoftmaxCrossEntropy{}});
  return spec;
}

struct Entry {
  std::string_view name;
  NetworkSpec (*make)();
  std::string_view purpose;
};

constexpr std::array kZoo{
    Entry{"lenet5", lenet5, "digits, clothes: trains in seconds"},
    Entry{"lenet5-mxnet", lenet5Mxnet, "the same, seven times the parameters"},
    Entry{"cifar10-quick", cifar10Quick, "small photographs: trains in minutes"},
    Entry{"ptb-lstm-small", ptbLstmSmall, "text: predicts the next word"},
    Entry{"alexnet", alexNet, "planning: ImageNet 2012, on two devices"},
    Entry{"alexnet-ungrouped", alexNetUngrouped, "planning: the same on one device"},
    Entry{"alexnet-owt", alexNetOwt, "planning: the variant of 2014"},
    Entry{"overfeat-fast", overFeatFast, "planning: ImageNet, large dense layers"},
    Entry{"vgg-a", vggA, "planning: ImageNet, 11 layers"},
    Entry{"vgg16", vgg16, "planning: ImageNet, 16 layers"},
    Entry{"resnet50", resNet50, "planning: ImageNet, residual"},
    Entry{"resnet152", resNet152, "planning: ImageNet, residual, deep"},
    Entry{"cd-dnn", cdDnn, "planning: speech, all dense"},
};

/// With other outputs of the layer before the loss.
Result<NetworkSpec> withClasses(NetworkSpec spec, int classes) {
  if (spec.isText()) {
    return Error{ErrorCode::kInvalid,
                 "the text network " + spec.name + " has words, not classes: set its vocabulary"};
  }
  SUMAC_CHECK(spec.layers.size() >= 2, spec.name);
  auto* const last = std::get_if<Dense>(&spec.layers[spec.layers.size() - 2].kind);
  SUMAC_CHECK(last != nullptr, spec.name);
  last->outputs = classes;
  return spec;
}

}  // namespace

Result<NetworkSpec> fromZoo(std::string_view name, int classes) {
  std::string known;
  for (const Entry& entry : kZoo) {
    if (entry.name == name) {
      NetworkSpec spec = entry.make();
      nameLayers(spec.layers);
      return classes == 0 ? Result<NetworkSpec>(std::move(spec)) : withClasses(spec, classes);
    }
    known += known.empty() ? "" : ", ";
    known += entry.name;
  }
  return Error{ErrorCode::kNotFound,
               "there is no network '" + std::string(name) + "' in the zoo, which has " + known};
}

std::vector<std::string> zooNames() {
  std::vector<std::string> names;
  for (const Entry& entry : kZoo)
    names.emplace_back(entry.name);
  return names;
}

std::string_view zooPurpose(std::string_view name) {
  const auto* const entry = std::find_if(kZoo.begin(), kZoo.end(),
                                         [name](const Entry& each) { return each.name == name; });
  SUMAC_CHECK(entry != kZoo.end(), name);
  return entry->purpose;
}

}  // namespace sumac::model
