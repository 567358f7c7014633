#include "planner/convolution_choice/algorithm_costs.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace sumac::planner {
namespace {

constexpr double kBytesPerValue = 4;  // fp32
constexpr double kFlopsPerMac = 2;

/// A convolution's sizes, of one group.
struct Sizes {
  double images = 0;
  double groups = 0;
  double inputs = 0;   // channels
  double outputs = 0;  // channels
  double kernel_rows = 0;
  double kernel_columns = 0;
  double input_rows = 0;
  double input_columns = 0;
  double output_rows = 0;
  double output_columns = 0;
  double macs = 0;  // of one image, all groups
};

Sizes sizesOf(const Layer& layer, std::int64_t batch) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const double groups = number(layer.groups);
  return {.images = number(batch),
          .groups = groups,
          .inputs = number(layer.input_channels) / groups,
          .outputs = number(layer.output_channels) / groups,
          .kernel_rows = number(layer.kernel[0]),
          .kernel_columns = number(layer.kernel[1]),
          .input_rows = number(layer.input_extents[0]),
          .input_columns = number(layer.input_extents[1]),
          .output_rows = number(layer.output_extents[0]),
          .output_columns = number(layer.output_extents[1]),
          .macs = number(layer.macs)};
}

/// FLOP and bytes of one algorithm.
struct Need {
  double flops = 0;
  double bytes = 0;
};

Need im2col(const Sizes& sizes, double images_held) {
  const double patch = sizes.kernel_rows * sizes.kernel_columns * sizes.inputs * sizes.groups;
  return {kFlopsPerMac * sizes.macs * sizes.images,
          kBytesPerValue * patch * sizes.output_rows * sizes.output_columns * images_held};
}

double powerOfTwoFrom(double least) {
  return std::exp2(std::ceil(std::log2(least)));
}

Need fft(const Sizes& sizes) {
  constexpr double kFlopsPerProduct = 8;      // a complex multiply-accumulate
  constexpr double kFlopsPerRealPoint = 2.5;  // and factor log2(n)
  constexpr double kBytesPerComplex = 2 * kBytesPerValue;
  const double rows = powerOfTwoFrom(sizes.input_rows + sizes.kernel_rows - 1);
  const double columns = powerOfTwoFrom(sizes.input_columns + sizes.kernel_columns - 1);
  const double points = rows * columns;
  const double spectrum = rows * (columns / 2 + 1);  // of real values: half and one
  const double transforms =
      sizes.groups *
      (sizes.images * sizes.inputs + sizes.images * sizes.outputs + sizes.inputs * sizes.outputs);
  const double products =
      kFlopsPerProduct * sizes.groups * sizes.images * sizes.inputs * sizes.outputs * spectrum;
  return {products + transforms * kFlopsPerRealPoint * points * std::log2(points),
          kBytesPerComplex * spectrum * transforms};
}

bool fitsWinograd(const Layer& layer) {
  constexpr std::int64_t kSide = 3;
  return layer.kernel[0] == kSide && layer.kernel[1] == kSide && layer.stride == 1;
}

Need winograd(const Sizes& sizes, double images_held) {
  constexpr double kShareOfMacs = 16.0 / 36.0;
  constexpr double kValuesPerTile = 16;
  const double tiles = std::ceil(sizes.output_rows / 2) * std::ceil(sizes.output_columns / 2);
  const double values = sizes.groups * (sizes.inputs * sizes.outputs +
                                        images_held * tiles * (sizes.inputs + sizes.outputs));
  return {kFlopsPerMac * kShareOfMacs * sizes.macs * sizes.images,
          kBytesPerValue * kValuesPerTile * values};
}

Result<void> checkModel(const Layer& layer, std::int64_t batch, const AlgorithmModel& model) {
  const auto refuse = [&](const std::string& reason) {
    return Error{ErrorCode::kInvalid, "costs of layer " + layer.name + ": " + reason};
  };
  constexpr std::size_t kImage = 2;
  if (layer.kind != LayerKind::kConvolution || layer.kernel.size() != kImage ||
      layer.input_extents.size() != kImage || layer.output_extents.size() != kImage) {
    return refuse("it is not a convolution of images");
  }
  if (auto checked = checkLayers({layer.name, "", {layer}}); !checked) return checked.error();
  if (batch < 1) {
    return refuse("found a mini-batch of " + std::to_string(batch) + " samples, must be >= 1");
  }
  if (model.images_held < 1) {
    return refuse("found " + std::to_string(model.images_held) + " images held, must be >= 1");
  }
  if (!std::isfinite(model.flops_per_second) || model.flops_per_second <= 0) {
    return refuse("found a speed of " + std::to_string(model.flops_per_second) +
                  " FLOP/s, must be a number > 0");
  }
  return {};
}

}  // namespace

Result<ConvolutionAlgorithms> modelledAlgorithms(const Layer& layer, std::int64_t batch,
                                                 const AlgorithmModel& model) {
  if (auto checked = checkModel(layer, batch, model); !checked) return checked.error();
  const Sizes sizes = sizesOf(layer, batch);
  const auto held = static_cast<double>(model.images_held);
  std::vector<std::pair<std::string, Need>> needs{
      {"direct", {kFlopsPerMac * sizes.macs * sizes.images, 0}},
      {"im2col", im2col(sizes, held)},
      {"fft", fft(sizes)}};
  if (fitsWinograd(layer)) needs.emplace_back("winograd", winograd(sizes, held));
  ConvolutionAlgorithms convolution{layer.name, {}};
  for (const auto& [name, need] : needs) {
    constexpr double kMostBytes = 4611686018427387904.0;  // 2^62
    if (need.bytes > kMostBytes) {
      return Error{ErrorCode::kInvalid, "costs of layer " + layer.name + ": the workspace of " +
                                            name + " exceeds 2^62 bytes; choose a smaller batch"};
    }
    convolution.algorithms.push_back({name, need.flops / model.flops_per_second,
                                      static_cast<std::int64_t>(std::ceil(need.bytes))});
  }
  return convolution;
}

}  // namespace sumac::planner
