#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"
#include "tests/support/kernel_variants.h"

// What the gradient checks of engine/nn do not show of the kernels of the lanes layout.
namespace sumac::lanes_test {
namespace {

std::vector<float> values(std::uint64_t stream, std::size_t n) {
  const Rng rng(14, stream);
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = rng.uniform(i) * 8.0F - 4.0F;
  return out;
}

// [value] of every lane to [value][lane].
std::vector<float> inEveryLane(const std::vector<float>& x, std::size_t lanes) {
  std::vector<float> out;
  for (const float value : x)
    out.insert(out.end(), lanes, value);
  return out;
}

std::vector<float> lane(const std::vector<float>& block, std::size_t lanes, std::size_t index) {
  std::vector<float> out;
  for (std::size_t i = index; i < block.size(); i += lanes)
    out.push_back(block[i]);
  return out;
}

constexpr SumacChannels kOne{0, 1};

}  // namespace

BOOST_AUTO_TEST_SUITE(lanes)

BOOST_AUTO_TEST_CASE(samples_are_interleaved_and_missing_ones_are_zero) {
  const SumacImage image{.channels = 2, .rows = 3, .columns = 19, .border = 2};
  const std::size_t size = image.channels * image.rows * image.columns;
  for (const Kernels& kernels : everyVariant()) {
    for (const std::size_t count : {std::size_t{1}, kernels->lanes - 1, kernels->lanes}) {
      const auto samples = values(1, count * size);
      std::vector<float> block(image.channels * 7 * 23 * kernels->lanes, 9.0F);
      for (std::size_t channel = 0; channel < image.channels; ++channel)
        kernels->lanesFromSamples(&image, block.data(), samples.data(), count, channel);
      for (std::size_t i = 0; i < block.size(); ++i) {
        const std::size_t index = i % kernels->lanes;
        const std::size_t column = i / kernels->lanes % 23;
        const std::size_t row = i / kernels->lanes / 23 % 7;
        const std::size_t channel = i / kernels->lanes / 23 / 7;
        float expected = 9.0F;
        if (row >= 2 && row < 5 && column >= 2 && column < 21) {
          expected = index < count
                         ? samples[index * size + (channel * 3 + row - 2) * 19 + column - 2]
                         : 0.0F;
        }
        BOOST_REQUIRE(block[i] == expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(max_pooling_takes_the_first_maximum_and_passes_the_gradient_back_to_it) {
  const SumacLanesPool pool{{1, 3, 3, 0}, {1, 2, 2, 0}, 2, 2, 1, 0};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Kernels& kernels : everyVariant()) {
    const std::size_t n = kernels->lanes;
    std::vector<float> x = inEveryLane({5, 5, 1, 5, 0, 7, -1, -2, 7}, n);
    x[4 * n + 1] = 9;    // the middle, in lane 1
    x[8 * n + 2] = nan;  // the corner, in lane 2
    std::vector<float> y(4 * n);
    std::vector<std::uint8_t> argmax(4 * n);
    kernels->lanesMaxPool(&pool, &kOne, y.data(), argmax.data(), x.data());
    BOOST_TEST(lane(y, n, 0) == (std::vector<float>{5, 7, 5, 7}), boost::test_tools::per_element());
    BOOST_TEST(lane(y, n, 1) == (std::vector<float>{9, 9, 9, 9}), boost::test_tools::per_element());
    BOOST_TEST(std::isnan(lane(y, n, 2)[3]));

    std::vector<float> dx(9 * n, 99.0F);
    kernels->lanesMaxPoolBackward(&pool, &kOne, dx.data(), inEveryLane({1, 2, 3, 4}, n).data(),
                                  argmax.data());
    BOOST_TEST(lane(dx, n, 0) == (std::vector<float>{1, 0, 0, 3, 0, 6, 0, 0, 0}),
               boost::test_tools::per_element());
    BOOST_TEST(lane(dx, n, 1) == (std::vector<float>{0, 0, 0, 0, 10, 0, 0, 0, 0}),
               boost::test_tools::per_element());
    BOOST_TEST(lane(dx, n, 2)[8] == 4.0F);
  }
}

BOOST_AUTO_TEST_CASE(an_average_counts_the_padding_but_not_what_lies_beyond_it) {
  // Windows of 3 every 2 pixels over 4 with a padding of 1: the last one reaches beyond.
  const SumacLanesPool pool{{1, 1, 4, 0}, {1, 1, 3, 0}, 1, 3, 2, 1};
  const std::vector<float> expected{(1.0F + 2.0F) / 3, (2.0F + 3.0F + 4.0F) / 3, 4.0F / 2};
  for (const Kernels& kernels : everyVariant()) {
    SumacLanesPool shifted = pool;
    shifted.x.rows = 3;  // the window of row 1 begins at 1 * 2 - 1 = 1
    shifted.y.rows = 2;
    const std::size_t n = kernels->lanes;
    const auto x = inEveryLane({0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0}, n);
    std::vector<float> y(6 * n);
    kernels->lanesAveragePool(&shifted, &kOne, y.data(), x.data());
    const auto found = lane(y, n, 0);
    BOOST_TEST((std::vector<float>{found.begin() + 3, found.end()}) == expected,
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(softmax_agrees_with_the_definition_in_every_lane) {
  constexpr std::size_t kClasses = 11;
  for (const Kernels& kernels : everyVariant()) {
    const std::size_t n = kernels->lanes;
    const std::size_t count = n - 1;
    const auto rows = values(2, n * kClasses);
    std::vector<float> block(rows.size());
    std::vector<std::int32_t> labels;
    for (std::size_t sample = 0; sample < n; ++sample) {
      labels.push_back(static_cast<std::int32_t>(sample * 5 % kClasses));
      for (std::size_t i = 0; i < kClasses; ++i)
        block[i * n + sample] = rows[sample * kClasses + i];
    }
    const SumacLanesLoss loss{kClasses, labels.data(), count, 0.25F};
    std::vector<float> losses(n, 9.0F);
    std::vector<float> gradients(block.size());
    kernels->lanesSoftmaxCrossEntropy(&loss, losses.data(), gradients.data(), block.data());
    for (std::size_t sample = 0; sample < count; ++sample) {
      double sum = 0;
      const float* const logits = rows.data() + sample * kClasses;
      const float own = logits[labels[sample]];
      for (std::size_t i = 0; i < kClasses; ++i)
        sum += std::exp(static_cast<double>(logits[i] - own));
      BOOST_TEST(losses[sample] == static_cast<float>(std::log(sum)),
                 boost::test_tools::tolerance(1e-5F));
      for (std::size_t i = 0; i < kClasses; ++i) {
        const bool is_label = i == static_cast<std::size_t>(labels[sample]);
        const double share = std::exp(static_cast<double>(logits[i] - own)) / sum;
        BOOST_TEST(std::abs(static_cast<double>(gradients[i * n + sample]) -
                            0.25 * (share - (is_label ? 1 : 0))) < 1e-6);
      }
    }
    BOOST_TEST(losses[count] == 0.0F);
    for (const float gradient : lane(gradients, n, count))
      BOOST_TEST(gradient == 0.0F);

    std::vector<float> losses_only(n);
    kernels->lanesSoftmaxCrossEntropy(&loss, losses_only.data(), nullptr, block.data());
    BOOST_TEST(losses_only == losses, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(softmax_is_right_for_logits_far_apart) {
  // exp(200) is not a float: the maximum has to be subtracted first, wherever it stands.
  const std::vector<float> logits{-100, 100, 0};
  const std::vector<float> expected{200, 0, 100};
  for (const Kernels& kernels : everyVariant()) {
    const std::size_t n = kernels->lanes;
    const auto block = inEveryLane(logits, n);
    const std::vector<std::int32_t> labels{0, 1, 2};
    const SumacLanesLoss loss{logits.size(), labels.data(), labels.size(), 1.0F};
    std::vector<float> losses(n);
    kernels->lanesSoftmaxCrossEntropy(&loss, losses.data(), nullptr, block.data());
    losses.resize(labels.size());
    BOOST_TEST(losses == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(softmax_ignores_what_unused_lanes_hold) {
  for (const float garbage :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    for (const Kernels& kernels : everyVariant()) {
      const std::size_t n = kernels->lanes;
      auto block = inEveryLane({1, 2, 3}, n);
      for (std::size_t i = 0; i < block.size(); ++i)
        if (i % n > 0) block[i] = garbage;
      const std::int32_t label = 1;
      const SumacLanesLoss loss{3, &label, 1, 1.0F};
      std::vector<float> losses(n, 9.0F);
      std::vector<float> gradients(block.size(), 9.0F);
      kernels->lanesSoftmaxCrossEntropy(&loss, losses.data(), gradients.data(), block.data());
      BOOST_TEST(std::isfinite(losses[0]));
      for (std::size_t index = 1; index < n; ++index) {
        BOOST_TEST(losses[index] == 0.0F);
        BOOST_TEST(lane(gradients, n, index) == (std::vector<float>{0, 0, 0}),
                   boost::test_tools::per_element());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(normalisation_ignores_what_unused_lanes_hold_and_clears_it) {
  const SumacImage image{.channels = 1, .rows = 2, .columns = 3, .border = 0};
  const SumacLanesNorm norm{image, image, 2};
  for (const float garbage :
       {1e30F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const Kernels& kernels : everyVariant()) {
      const std::size_t n = kernels->lanes;
      auto x = values(6, 6 * n);
      for (std::size_t i = 0; i < x.size(); ++i)
        if (i % n >= norm.images) x[i] = garbage;
      SumacLanesNormChannel channel{.channel = 0, .mean = 0, .inverse = 0, .weight = 2, .bias = 1};
      float variance = 0;
      kernels->lanesNormStatistics(&norm, x.data(), 0, &channel.mean, &variance);
      channel.inverse = kernels->lanesNormInverse(variance, 1e-5F);
      BOOST_TEST(std::isfinite(channel.inverse));
      std::vector<float> y(x.size(), 9.0F);
      kernels->lanesNormForward(&norm, &channel, y.data(), x.data());
      std::vector<float> dx(x.size(), 9.0F);
      float dweight = 0;
      float dbias = 0;
      const SumacLanesNormBackward backward{.dx = dx.data(),
                                            .dweight = &dweight,
                                            .dbias = &dbias,
                                            .accumulate = 0,
                                            .dy = y.data(),
                                            .x = x.data()};
      kernels->lanesNormBackward(&norm, &channel, &backward);
      BOOST_TEST(std::isfinite(dweight));
      for (std::size_t i = 0; i < y.size(); ++i) {
        BOOST_TEST(std::isfinite(y[i]));
        if (i % n < norm.images) continue;
        BOOST_TEST(y[i] == 0.0F);
        BOOST_TEST(dx[i] == 0.0F);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(pooling_inside_a_convolution_keeps_nan_wherever_it_stands) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const SumacImage x{.channels = 1, .rows = 2, .columns = 2, .border = 0};
  const SumacImage y{.channels = 1, .rows = 1, .columns = 1, .border = 0};
  for (const int activation : {kSumacIdentity, kSumacRelu, kSumacTanh, kSumacSigmoid}) {
    const SumacLanesConv conv{.x = x,
                              .y = y,
                              .out_rows = 2,
                              .out_columns = 2,
                              .kernel = 1,
                              .stride = 1,
                              .padding = 0,
                              .groups = 1,
                              .activation = activation,
                              .pool = 1};
    for (const Kernels& kernels : everyVariant()) {
      const std::size_t n = kernels->lanes;
      auto block = inEveryLane({1, 2, 3, 4}, n);
      for (std::size_t pixel = 0; pixel < 4; ++pixel)
        block[pixel * n + pixel % n] = nan;  // another pixel in each lane
      const float weight = 1;
      float panels = 0;
      kernels->lanesConvPack(&conv, &panels, &weight);
      std::vector<float> out(n);
      std::vector<std::uint8_t> argmax(n);
      const SumacLanesConvForward forward{.y = out.data(),
                                          .argmax = argmax.data(),
                                          .x = block.data(),
                                          .panels = &panels,
                                          .bias = nullptr,
                                          .first_row = 0,
                                          .rows = 1};
      kernels->lanesConvForward(&conv, &forward);
      for (std::size_t pixel = 0; pixel < 4; ++pixel)
        BOOST_TEST(std::isnan(out[pixel]));
    }
  }
}

BOOST_AUTO_TEST_CASE(dropout_drops_what_the_generator_says_in_both_layouts) {
  const SumacDropout all{.key = 0x123456789abcdefULL,
                         .sample = 1000,
                         .first_value = 5,
                         .threshold = 0x600000,
                         .scale = 1.6F};
  constexpr std::size_t kValues = 97;
  for (const Kernels& kernels : everyVariant()) {
    const std::size_t n = kernels->lanes;
    const auto x = values(3, kValues * n);
    std::vector<float> block(x.size());
    kernels->lanesDropout(&all, block.data(), x.data(), kValues);
    for (std::size_t sample = 0; sample < n; ++sample) {
      const Rng rng(all.key, all.sample + sample);
      std::vector<float> expected = lane(x, n, sample);
      for (std::size_t i = 0; i < kValues; ++i)
        expected[i] = rng.uniform(5 + i) < 0.375F ? 0.0F : expected[i] * 1.6F;
      BOOST_TEST(lane(block, n, sample) == expected, boost::test_tools::per_element());

      SumacDropout one = all;
      one.sample += sample;
      auto row = lane(x, n, sample);
      kernels->dropout(&one, row.data(), row.data(), kValues);
      BOOST_TEST(row == expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(activations_and_their_derivatives_agree_with_the_definitions_and_keep_nan) {
  const auto x = values(4, 53);
  const auto dy = values(5, x.size());
  std::vector<std::vector<float>> first(4);
  for (const Kernels& kernels : everyVariant()) {
    for (const int activation : {kSumacIdentity, kSumacRelu, kSumacTanh, kSumacSigmoid}) {
      std::vector<float> y(x.size());
      std::vector<float> dx(x.size());
      kernels->activate(activation, y.data(), x.data(), x.size());
      kernels->activateBackward(activation, dx.data(), dy.data(), y.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto input = static_cast<double>(x[i]);
        double expected = input;
        double derivative = 1;
        if (activation == kSumacRelu) {
          expected = std::max(input, 0.0);
          derivative = input > 0 ? 1 : 0;
        } else if (activation == kSumacTanh) {
          expected = std::tanh(input);
          derivative = 1 - expected * expected;
        } else if (activation == kSumacSigmoid) {
          expected = 1 / (1 + std::exp(-input));
          derivative = expected * (1 - expected);
        }
        BOOST_TEST(std::abs(static_cast<double>(y[i]) - expected) < 1e-6);
        BOOST_TEST(std::abs(static_cast<double>(dx[i]) - derivative * static_cast<double>(dy[i])) <
                   2e-6);
      }
      auto& bits = first[static_cast<std::size_t>(activation)];
      y.insert(y.end(), dx.begin(), dx.end());
      if (bits.empty()) bits = y;
      BOOST_TEST(y == bits, boost::test_tools::per_element());

      std::vector<float> lost(3, std::numeric_limits<float>::quiet_NaN());
      kernels->activate(activation, lost.data(), lost.data(), lost.size());
      BOOST_TEST(std::isnan(lost[1]));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::lanes_test
