#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"
#include "tests/support/kernel_variants.h"

namespace sumac::large_planes_test {
namespace {

constexpr std::size_t kKernel = 3;

SumacLanesConv convolution(std::size_t channels, std::size_t outputs, std::size_t rows,
                           std::size_t columns, std::size_t stride, std::size_t groups) {
  const SumacImage y{outputs, (rows + stride - 1) / stride, (columns + stride - 1) / stride, 0};
  return {.x = {channels, rows, columns, 1},
          .y = y,
          .out_rows = y.rows,
          .out_columns = y.columns,
          .kernel = kKernel,
          .stride = stride,
          .padding = 1,
          .groups = groups,
          .activation = kSumacIdentity,
          .pool = 0};
}

const SumacLanesConv kConvolutions[] = {
    // More taps and outputs than one panel has, and more outputs than one chunk of the input
    // gradient, in every variant; a strip is a row.
    convolution(9, 24, 3, 230, 1, 1),
    // Strips of several rows, of which the last has less; panels with few taps.
    convolution(2, 5, 13, 57, 1, 1),
    convolution(4, 6, 25, 113, 2, 2),
    // Panels side by side in each group.
    convolution(20, 18, 13, 57, 1, 2),
};

/// One convolution's values of `blocks` blocks, and what one chain of additions makes of them.
struct Case {
  Case(const SumacLanesConv& the_conv, Kernels the_kernels, std::size_t the_blocks)
      : conv(the_conv),
        kernels(std::move(the_kernels)),
        lanes(kernels->lanes),
        blocks(the_blocks),
        group_channels(conv.x.channels / conv.groups),
        group_outputs(conv.y.channels / conv.groups),
        x_block(conv.x.channels * (conv.x.rows + 2) * (conv.x.columns + 2) * lanes),
        dz_block(kernels->lanesConvGradientSize(&conv)),
        x(blocks * x_block),
        dz(blocks * dz_block),
        weights(conv.y.channels * group_channels * kKernel * kKernel) {
    const Rng rng(1, 5);
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      for (std::size_t channel = 0; channel < conv.x.channels; ++channel)
        forEachPixel(
            conv.x, [&](std::size_t at) { x[at] = rng.uniform(n++) - 0.5F; },
            [&](auto row, auto column) { return xAt(i, channel, row + 1, column + 1); });
      for (std::size_t output = 0; output < conv.y.channels; ++output)
        forEachPixel(
            conv.y, [&](std::size_t at) { dz[at] = rng.uniform(n++) - 0.5F; },
            [&](auto row, auto column) { return dzAt(i, output, row, column); });
    }
    for (float& weight : weights)
      weight = rng.uniform(n++) - 0.5F;
  }

  template <typename Set, typename At>
  void forEachPixel(const SumacImage& image, const Set& set, const At& at) const {
    for (std::size_t row = 0; row < image.rows; ++row) {
      for (std::size_t column = 0; column < image.columns; ++column)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          set(at(row, column) + lane);
    }
  }
  /// Of a row and column that count from the border's corner.
  std::size_t xAt(std::size_t block, std::size_t channel, std::size_t row,
                  std::size_t column) const {
    return block * x_block +
           ((channel * (conv.x.rows + 2) + row) * (conv.x.columns + 2) + column) * lanes;
  }
  std::size_t dzAt(std::size_t block, std::size_t output, std::size_t row,
                   std::size_t column) const {
    return block * dz_block +
           ((output * conv.y.rows + row) * (conv.y.columns + 2) + column + kSumacGradientBorder) *
               lanes;
  }
  float add(float sum, float a, float b) const {
    return kernels.variant() == KernelVariant::kBaseline ? sum + a * b : std::fma(a, b, sum);
  }

  /// Of all weights between one output and one channel of its group.
  std::vector<float> weightGradients(std::size_t output, std::size_t channel) const;
  /// Of one pixel of one channel of the first block.
  std::vector<float> inputGradients(std::size_t channel, std::size_t row, std::size_t column) const;

  SumacLanesConv conv;
  Kernels kernels;
  std::size_t lanes;
  std::size_t blocks;
  std::size_t group_channels;
  std::size_t group_outputs;
  std::size_t x_block;
  std::size_t dz_block;
  std::vector<float> x;
  std::vector<float> dz;
  std::vector<float> weights;
};

std::vector<float> Case::weightGradients(std::size_t output, std::size_t channel) const {
  const std::size_t of_all = output / group_outputs * group_channels + channel;
  std::vector<float> found;
  for (std::size_t tap = 0; tap < kKernel * kKernel; ++tap) {
    std::vector<float> sums(lanes);
    for (std::size_t block = 0; block < blocks; ++block) {
      for (std::size_t n = 0; n < conv.y.rows * conv.y.columns; ++n) {
        const std::size_t row = n / conv.y.columns;
        const std::size_t column = n % conv.y.columns;
        const std::size_t from = xAt(block, of_all, row * conv.stride + tap / kKernel,
                                     column * conv.stride + tap % kKernel);
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
  const std::size_t group = channel / group_channels;
  std::vector<float> sums(lanes);
  for (std::size_t output = group * group_outputs; output < (group + 1) * group_outputs; ++output) {
    for (std::size_t tap = 0; tap < kKernel * kKernel; ++tap) {
      // Out of the image the difference wraps.
      const std::size_t y = row + 1 - tap / kKernel;
      const std::size_t x_of_dz = column + 1 - tap % kKernel;
      if (y % conv.stride != 0 || y / conv.stride >= conv.y.rows) continue;
      if (x_of_dz % conv.stride != 0 || x_of_dz / conv.stride >= conv.y.columns) continue;
      const float weight =
          weights[(output * group_channels + channel % group_channels) * kKernel * kKernel + tap];
      const std::size_t from = dzAt(0, output, y / conv.stride, x_of_dz / conv.stride);
      for (std::size_t lane = 0; lane < lanes; ++lane)
        sums[lane] = add(sums[lane], weight, dz[from + lane]);
    }
  }
  return sums;
}

/// In groups of so many blocks, panel by panel. Without `sums` one group has all of them.
std::vector<float> computedWeightGradients(const Case& values, float* sums, std::size_t group) {
  std::vector<float> dw(values.weights.size());
  const std::size_t panels = values.kernels->lanesConvWeightPanels(&values.conv);
  for (std::size_t block = 0; block < values.blocks; block += group) {
    const std::size_t blocks = std::min(group, values.blocks - block);
    for (std::size_t panel = 0; panel < panels; ++panel) {
      const SumacLanesConvWeights back{.dw = dw.data(),
                                       .accumulate = 0,
                                       .sums = sums,
                                       .begins = block == 0 ? 1 : 0,
                                       .ends = block + blocks == values.blocks ? 1 : 0,
                                       .x = values.x.data() + block * values.x_block,
                                       .x_stride = values.x_block,
                                       .dz = values.dz.data() + block * values.dz_block,
                                       .dz_stride = values.dz_block,
                                       .blocks = blocks,
                                       .first_panel = panel,
                                       .panels = 1};
      values.kernels->lanesConvBackwardWeights(&values.conv, &back);
    }
  }
  return dw;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(large_planes)

BOOST_AUTO_TEST_CASE(groups_of_blocks_change_no_bit_of_a_weight_gradient) {
  // Small planes, which pass whole, and large ones, which pass by strips.
  for (const SumacLanesConv& conv :
       {convolution(7, 9, 8, 8, 1, 1), convolution(4, 6, 14, 13, 2, 2), kConvolutions[1]}) {
    for (const Kernels& kernels : everyVariant()) {
      const Case values(conv, kernels, 5);
      std::vector<float> sums(kernels->lanesConvWeightSums(&conv));
      const std::vector<float> expected = computedWeightGradients(values, nullptr, 5);
      for (const std::size_t group : {1U, 2U, 3U, 5U})
        BOOST_TEST((computedWeightGradients(values, sums.data(), group) == expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_weight_gradient_is_one_chain_over_blocks_rows_and_columns) {
  for (const Kernels& kernels : everyVariant()) {
    for (const SumacLanesConv& conv : kConvolutions) {
      const Case values(conv, kernels, 2);
      std::vector<float> sums(kernels->lanesConvWeightSums(&conv));
      BOOST_TEST(kernels->lanesConvWeightPanels(&conv) > 1U);
      const std::vector<float> dw = computedWeightGradients(values, nullptr, 2);
      BOOST_TEST((computedWeightGradients(values, sums.data(), 2) == dw));
      // Every tile is looked at: they are at most 4 outputs tall and 5 taps wide.
      for (std::size_t output = 0; output < conv.y.channels; ++output) {
        for (std::size_t channel = output % 3; channel < values.group_channels; channel += 3) {
          const auto expected = values.weightGradients(output, channel);
          const float* const found =
              dw.data() + (output * values.group_channels + channel) * kKernel * kKernel;
          BOOST_TEST(std::equal(expected.begin(), expected.end(), found));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_input_gradient_is_one_chain_over_outputs_and_taps) {
  for (const Kernels& kernels : everyVariant()) {
    for (const SumacLanesConv& conv : kConvolutions) {
      const Case values(conv, kernels, 1);
      const SumacImage& x = conv.x;
      std::vector<float> panels(values.weights.size());
      kernels->lanesConvPackBackward(&conv, panels.data(), values.weights.data());
      std::vector<float> dx(x.channels * x.rows * x.columns * values.lanes, 1e9F);
      kernels->lanesConvBackwardData(&conv, dx.data(), values.dz.data(), panels.data(), 0, 1);
      kernels->lanesConvBackwardData(&conv, dx.data(), values.dz.data(), panels.data(), 1,
                                     x.rows - 1);
      for (std::size_t channel = 0; channel < x.channels; ++channel) {
        for (std::size_t row = 0; row < x.rows; row += row < 2 ? 1 : 5) {
          for (std::size_t column = 0; column < x.columns; column += column < 2 ? 1 : 29) {
            const auto expected = values.inputGradients(channel, row, column);
            const float* const found =
                dx.data() + ((channel * x.rows + row) * x.columns + column) * values.lanes;
            BOOST_TEST(std::equal(expected.begin(), expected.end(), found));
          }
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
