#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "common/base/rng.h"
#include "tests/support/kernel_variants.h"

namespace sumac::large_planes_test {
namespace {

constexpr std::size_t kKernel = 3;

// Planes that pass in strips, more taps and outputs than one panel has, and more outputs than one
// chunk of the input gradient, in every variant.
constexpr SumacImage kX{9, 3, 230, 1};
constexpr SumacImage kY{24, 3, 230, 0};
constexpr SumacLanesConv kConv{.x = kX,
                               .y = kY,
                               .out_rows = kY.rows,
                               .out_columns = kY.columns,
                               .kernel = kKernel,
                               .stride = 1,
                               .padding = 1,
                               .groups = 1,
                               .activation = kSumacIdentity,
                               .pool = 0};

/// One convolution's values of `blocks` blocks, and what one chain of additions makes of them.
struct Case {
  Case(Kernels the_kernels, std::size_t the_blocks)
      : kernels(std::move(the_kernels)),
        lanes(kernels->lanes),
        blocks(the_blocks),
        x_block(kX.channels * (kX.rows + 2) * (kX.columns + 2) * lanes),
        dz_block(kernels->lanesConvGradientSize(&kConv)),
        x(blocks * x_block),
        dz(blocks * dz_block),
        weights(kY.channels * kX.channels * kKernel * kKernel) {
    const Rng rng(1, 5);
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      for (std::size_t channel = 0; channel < kX.channels; ++channel)
        forEachPixel([&](std::size_t at) { x[at] = rng.uniform(n++) - 0.5F; },
                     [&](auto row, auto column) { return xAt(i, channel, row + 1, column + 1); });
      for (std::size_t output = 0; output < kY.channels; ++output)
        forEachPixel([&](std::size_t at) { dz[at] = rng.uniform(n++) - 0.5F; },
                     [&](auto row, auto column) { return dzAt(i, output, row, column); });
    }
    for (float& weight : weights)
      weight = rng.uniform(n++) - 0.5F;
  }

  template <typename Set, typename At>
  void forEachPixel(const Set& set, const At& at) const {
    for (std::size_t row = 0; row < kX.rows; ++row) {
      for (std::size_t column = 0; column < kX.columns; ++column)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          set(at(row, column) + lane);
    }
  }
  /// Of a row and column that count from the border's corner.
  std::size_t xAt(std::size_t block, std::size_t channel, std::size_t row,
                  std::size_t column) const {
    return block * x_block + ((channel * (kX.rows + 2) + row) * (kX.columns + 2) + column) * lanes;
  }
  std::size_t dzAt(std::size_t block, std::size_t output, std::size_t row,
                   std::size_t column) const {
    return block * dz_block +
           ((output * kY.rows + row) * (kY.columns + 2) + column + kSumacGradientBorder) * lanes;
  }
  float add(float sum, float a, float b) const {
    return kernels.variant() == KernelVariant::kBaseline ? sum + a * b : std::fma(a, b, sum);
  }

  /// Of all weights between one output and one channel.
  std::vector<float> weightGradients(std::size_t output, std::size_t channel) const;
  /// Of one pixel of one channel of the first block.
  std::vector<float> inputGradients(std::size_t channel, std::size_t row, std::size_t column) const;

  Kernels kernels;
  std::size_t lanes;
  std::size_t blocks;
  std::size_t x_block;
  std::size_t dz_block;
  std::vector<float> x;
  std::vector<float> dz;
  std::vector<float> weights;
};

std::vector<float> Case::weightGradients(std::size_t output, std::size_t channel) const {
  std::vector<float> found;
  for (std::size_t tap = 0; tap < kKernel * kKernel; ++tap) {
    std::vector<float> sums(lanes);
    for (std::size_t block = 0; block < blocks; ++block) {
      for (std::size_t n = 0; n < kY.rows * kY.columns; ++n) {
        const std::size_t row = n / kY.columns;
        const std::size_t column = n % kY.columns;
        const std::size_t from = xAt(block, channel, row + tap / kKernel, column + tap % kKernel);
        const std::size_t gradient = dzAt(block, output, row, column);
        for (std::size_t lane = 0; lane < lanes; ++lane)
          sums[lane] = add(sums[lane], dz[gradient + lane], x[from + lane]);
      }
    }
    for (std::size_t width = lanes / 2; width > 0; width /= 2) {
      for (std::size_t lane = 0; lane < width; ++lane)
        sums[lane] = sums[lane] + sums[lane + width];
    }
    found.push_back(sums[0]);
  }
  return found;
}

std::vector<float> Case::inputGradients(std::size_t channel, std::size_t row,
                                        std::size_t column) const {
  std::vector<float> sums(lanes);
  for (std::size_t output = 0; output < kY.channels; ++output) {
    for (std::size_t tap = 0; tap < kKernel * kKernel; ++tap) {
      // Out of the image the difference wraps.
      const std::size_t y = row + 1 - tap / kKernel;
      const std::size_t x_of_dz = column + 1 - tap % kKernel;
      if (y >= kY.rows || x_of_dz >= kY.columns) continue;
      const float weight = weights[(output * kX.channels + channel) * kKernel * kKernel + tap];
      const std::size_t from = dzAt(0, output, y, x_of_dz);
      for (std::size_t lane = 0; lane < lanes; ++lane)
        sums[lane] = add(sums[lane], weight, dz[from + lane]);
    }
  }
  return sums;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(large_planes)

BOOST_AUTO_TEST_CASE(a_weight_gradient_is_one_chain_over_blocks_rows_and_columns) {
  for (const Kernels& kernels : everyVariant()) {
    const Case values(kernels, 2);
    std::vector<float> sums(kernels->lanesConvWeightSums(&kConv));
    for (float* const kept : {static_cast<float*>(nullptr), sums.data()}) {
      std::vector<float> dw(values.weights.size());
      const std::size_t panels = kernels->lanesConvWeightPanels(&kConv);
      BOOST_TEST(panels > 1U);
      for (std::size_t panel = 0; panel < panels; ++panel) {
        const SumacLanesConvWeights back{.dw = dw.data(),
                                         .accumulate = 0,
                                         .sums = kept,
                                         .begins = 1,
                                         .ends = 1,
                                         .x = values.x.data(),
                                         .x_stride = values.x_block,
                                         .dz = values.dz.data(),
                                         .dz_stride = values.dz_block,
                                         .blocks = values.blocks,
                                         .first_panel = panel,
                                         .panels = 1};
        kernels->lanesConvBackwardWeights(&kConv, &back);
      }
      // Every tile is looked at: they are at most 4 outputs tall and 5 taps wide.
      for (std::size_t output = 0; output < kY.channels; ++output) {
        for (std::size_t channel = output % 3; channel < kX.channels; channel += 3) {
          const auto expected = values.weightGradients(output, channel);
          const float* const found =
              dw.data() + (output * kX.channels + channel) * kKernel * kKernel;
          BOOST_TEST(std::equal(expected.begin(), expected.end(), found));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_input_gradient_is_one_chain_over_outputs_and_taps) {
  for (const Kernels& kernels : everyVariant()) {
    const Case values(kernels, 1);
    std::vector<float> panels(values.weights.size());
    kernels->lanesConvPackBackward(&kConv, panels.data(), values.weights.data());
    std::vector<float> dx(kX.channels * kX.rows * kX.columns * values.lanes, 1e9F);
    for (const std::size_t row : {0U, 1U})
      kernels->lanesConvBackwardData(&kConv, dx.data(), values.dz.data(), panels.data(), row,
                                     row + 1);
    for (std::size_t channel = 0; channel < kX.channels; ++channel) {
      for (std::size_t row = 0; row < kX.rows; ++row) {
        for (std::size_t column = 0; column < kX.columns; column += column == 0 ? 12 : 31) {
          const auto expected = values.inputGradients(channel, row, column);
          const float* const found =
              dx.data() + ((channel * kX.rows + row) * kX.columns + column) * values.lanes;
          BOOST_TEST(std::equal(expected.begin(), expected.end(), found));
        }
      }
    }
  }
}

// What a scratch memory holds before is not seen: not in the border, nor where no window reaches.
BOOST_AUTO_TEST_CASE(gradients_of_sums_are_zero_beside_the_image_and_its_windows) {
  constexpr std::size_t kSide = 7;
  for (const Kernels& kernels : everyVariant()) {
    for (const int pool : {0, 1}) {
      const std::size_t side = pool != 0 ? kSide / 2 : kSide;
      const SumacLanesConv conv{.x = {1, kSide, kSide, 1},
                                .y = {1, side, side, 0},
                                .out_rows = kSide,
                                .out_columns = kSide,
                                .kernel = kKernel,
                                .stride = 1,
                                .padding = 1,
                                .groups = 1,
                                .activation = kSumacIdentity,
                                .pool = pool};
      const std::size_t lanes = kernels->lanes;
      std::vector<float> dz(kernels->lanesConvGradientSize(&conv), 1e9F);
      std::vector<float> bias(lanes);
      const std::vector<float> ones(side * side * lanes, 1.0F);
      const std::vector<std::uint8_t> places(ones.size(), 0);
      const SumacLanesConvActivation back{.dz = dz.data(),
                                          .bias_sums = bias.data(),
                                          .begins = 1,
                                          .dy = ones.data(),
                                          .y = ones.data(),
                                          .argmax = pool != 0 ? places.data() : nullptr,
                                          .first_channel = 0,
                                          .channels = 1};
      kernels->lanesConvActivationBackward(&conv, &back);
      float total = 0;
      for (const float value : dz)
        total += value;
      BOOST_TEST(total == static_cast<float>(ones.size()));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::large_planes_test
