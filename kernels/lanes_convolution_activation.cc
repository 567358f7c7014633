#include "kernels/functions.h"
#include "kernels/lanes.h"
#include "kernels/vector_math.h"

// From the gradient of what a convolution stored (y) to that of its sums (z): back through pooling
// and activation, into an image with a border of zeros on the left and right.
namespace sumac::kernels {
namespace {

using lanes::originOf;
using lanes::planeOf;
using lanes::rowOf;

// d activation(x) / dx, from y = activation(x).
template <int kActivation>
[[gnu::always_inline]] inline Vec activationGradient(Vec gradient, Vec y) {
  if constexpr (kActivation == kSumacRelu) return y > 0.0F ? gradient : Vec{};
  if constexpr (kActivation == kSumacTanh) return gradient * (1.0F - y * y);
  if constexpr (kActivation == kSumacSigmoid) return gradient * (y * (1.0F - y));
  return gradient;
}

struct Channel {
  const SumacLanesConv& conv;
  float* dz;
  const float* dy;
  const float* y;
  const std::uint8_t* argmax;  // null without pooling
};

template <int kActivation>
Vec plainChannel(const Channel& c, Vec bias) {
  const SumacLanesConv& s = c.conv;
  const std::size_t width = (s.out_columns + 2 * kSumacGradientBorder) * kLanes;
  for (std::size_t row = 0; row < s.out_rows; ++row) {
    const float* const dy = c.dy + row * s.y.columns * kLanes;
    const float* const y = c.y + row * rowOf(s.y);
    float* const dz = c.dz + row * width;
    for (std::size_t i = 0; i < s.out_columns * kLanes; i += kLanes) {
      const Vec gradient = activationGradient<kActivation>(load(dy + i), load(y + i));
      bias += gradient;
      store(dz + i, gradient);
    }
  }
  return bias;
}

// ReLU needs no work here: where its output was zero, the stored place names no pixel.
template <int kActivation>
Vec pooledChannel(const Channel& c, Vec bias) {
  const SumacLanesConv& s = c.conv;
  const std::size_t width = (s.out_columns + 2 * kSumacGradientBorder) * kLanes;
  for (std::size_t row = 0; row < s.y.rows; ++row) {
    const float* const dy = c.dy + row * s.y.columns * kLanes;
    const std::uint8_t* const argmax = c.argmax + row * s.y.columns * kLanes;
    const float* const y = c.y + row * rowOf(s.y);
    float* const dz = c.dz + 2 * row * width;
    for (std::size_t i = 0; i < s.y.columns * kLanes; i += kLanes) {
      const IntVec place = __builtin_convertvector(lanes::loadBytes(argmax + i), IntVec);
      Vec gradient = load(dy + i);
      if constexpr (kActivation != kSumacRelu)
        gradient = activationGradient<kActivation>(gradient, load(y + i));
      const Vec first = place == 0 ? gradient : Vec{};
      const Vec second = place == 1 ? gradient : Vec{};
      const Vec third = place == 2 ? gradient : Vec{};
      const Vec fourth = place == 3 ? gradient : Vec{};
      bias += (first + second) + (third + fourth);
      store(dz + 2 * i, first);
      store(dz + 2 * i + kLanes, second);
      store(dz + width + 2 * i, third);
      store(dz + width + 2 * i + kLanes, fourth);
    }
  }
  return bias;
}

// The border, and what no window of a pooling covers.
void clearEdges(const Channel& c) {
  const SumacLanesConv& s = c.conv;
  const std::size_t width = (s.out_columns + 2 * kSumacGradientBorder) * kLanes;
  const std::size_t rows = s.pool != 0 ? 2 * s.y.rows : s.out_rows;
  const std::size_t columns = s.pool != 0 ? 2 * s.y.columns : s.out_columns;
  static_assert(kSumacGradientBorder == 1);
  for (std::size_t row = 0; row < s.out_rows; ++row) {
    float* const first = c.dz + row * width;
    store(first - kLanes, Vec{});
    for (std::size_t column = row < rows ? columns : 0; column <= s.out_columns; ++column)
      store(first + column * kLanes, Vec{});
  }
}

template <int kActivation>
Vec backward(const Channel& channel, Vec bias) {
  return channel.argmax != nullptr ? pooledChannel<kActivation>(channel, bias)
                                   : plainChannel<kActivation>(channel, bias);
}

Vec backward(const Channel& channel, Vec bias) {
  switch (channel.conv.activation) {
    case kSumacRelu: return backward<kSumacRelu>(channel, bias);
    case kSumacTanh: return backward<kSumacTanh>(channel, bias);
    case kSumacSigmoid: return backward<kSumacSigmoid>(channel, bias);
    default: return backward<kSumacIdentity>(channel, bias);
  }
}

}  // namespace

size_t lanesConvGradientSize(const SumacLanesConv* conv) {
  return conv->y.channels * conv->out_rows * (conv->out_columns + 2 * kSumacGradientBorder) *
         kLanes;
}

void lanesConvActivationBackward(const SumacLanesConv* conv, const SumacLanesConvActivation* b) {
  const SumacLanesConv& s = *conv;
  const std::size_t size = lanesConvGradientSize(conv) / s.y.channels;
  for (std::size_t channel = b->first_channel; channel < b->first_channel + b->channels;
       ++channel) {
    float* const bias = b->bias_sums + channel * kLanes;
    const std::size_t pixels = s.y.rows * s.y.columns * kLanes;
    const Channel one{s, b->dz + channel * size + kSumacGradientBorder * kLanes,
                      b->dy + channel * pixels, b->y + originOf(s.y) + channel * planeOf(s.y),
                      b->argmax == nullptr ? nullptr : b->argmax + channel * pixels};
    const Vec before_block = b->begins != 0 ? Vec{} : load(bias);
    store(bias, backward(one, before_block));
    clearEdges(one);
  }
}

void lanesSumBias(float* dbias, const float* sums, size_t n, int accumulate) {
  for (std::size_t i = 0; i < n; ++i) {
    const float sum = lanes::sumOfLanes(load(sums + i * kLanes));
    dbias[i] = accumulate != 0 ? dbias[i] + sum : sum;
  }
}

}  // namespace sumac::kernels
