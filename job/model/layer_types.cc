#include "job/model/layer_types.h"

#include <array>

namespace sumac::model::internal {
namespace {

constexpr int kMaxOutputs = 1'000'000;
constexpr int kMaxKernel = 1024;
constexpr int kMaxDepth = 64;

constexpr Key integer(std::string_view name, int lowest, int highest,
                      std::optional<double> otherwise = std::nullopt) {
  return {name, Form::kInteger, lowest, highest, otherwise};
}
constexpr Key decimal(std::string_view name, double otherwise) {
  return {name, Form::kDecimal, 0, 0, otherwise};
}
constexpr Key boolean(std::string_view name, bool otherwise) {
  return {name, Form::kBoolean, 0, 0, otherwise ? 1.0 : 0.0};
}

constexpr Key kOutputs = integer("outputs", 1, kMaxOutputs);
constexpr Key kKernel = integer("kernel", 1, kMaxKernel);
constexpr Key kPadding = integer("padding", 0, kMaxKernel - 1, 0);
constexpr Key kBias = boolean("bias", true);
constexpr Key kConvKeys[]{kOutputs,
                          kKernel,
                          integer("stride", 1, kMaxKernel, 1),
                          kPadding,
                          integer("groups", 1, kMaxOutputs, 1),
                          kBias};
// Stride 0 stands for the kernel's size, see Pool; it cannot be written.
constexpr Key kPoolKeys[]{kKernel, integer("stride", 1, kMaxKernel, 0), kPadding,
                          boolean("ceil", false)};
// Outputs 0 stand for the vocabulary, see Dense.
constexpr Key kDenseKeys[]{integer("outputs", 1, kMaxOutputs, 0), kBias};
constexpr Key kDropoutKeys[]{decimal("rate", Dropout{}.rate)};
constexpr Key kNormKeys[]{decimal("epsilon", BatchNorm{}.epsilon),
                          decimal("momentum", BatchNorm{}.momentum)};
constexpr Key kEmbeddingKeys[]{kOutputs};
constexpr Key kLstmKeys[]{kOutputs, integer("depth", 1, kMaxDepth, 1)};

template <typename Kind>
LayerKind makePool(const Values& v) {
  return Kind{.kernel = v.whole(0), .stride = v.whole(1), .padding = v.whole(2), .ceil = v.flag(3)};
}

LayerKind makeConv(const Values& v) {
  return Conv2d{.outputs = v.whole(0),
                .kernel = v.whole(1),
                .stride = v.whole(2),
                .padding = v.whole(3),
                .groups = v.whole(4),
                .bias = v.flag(5)};
}

const std::array kTypes{
    Type{Conv2d{}, kConvKeys, makeConv},
    Type{MaxPool{}, kPoolKeys, makePool<MaxPool>},
    Type{AveragePool{}, kPoolKeys, makePool<AveragePool>},
    Type{GlobalAveragePool{}},
    Type{Relu{}},
    Type{Tanh{}},
    Type{Sigmoid{}},
    Type{Flatten{}},
    Type{Dense{}, kDenseKeys,
         [](const Values& v) -> LayerKind {
           return Dense{v.whole(0), v.flag(1)};
         }},
    Type{Dropout{}, kDropoutKeys, [](const Values& v) -> LayerKind { return Dropout{v[0]}; }},
    Type{BatchNorm{}, kNormKeys,
         [](const Values& v) -> LayerKind {
           return BatchNorm{v[0], v[1]};
         }},
    Type{Residual{}},  // its lists are read separately
    Type{Embedding{}, kEmbeddingKeys,
         [](const Values& v) -> LayerKind { return Embedding{v.whole(0)}; }},
    Type{Lstm{}, kLstmKeys,
         [](const Values& v) -> LayerKind {
           return Lstm{v.whole(0), v.whole(1)};
         }},
    Type{SoftmaxCrossEntropy{}},
};

}  // namespace

std::span<const Type> layerTypes() {
  return kTypes;
}

}  // namespace sumac::model::internal
