#include "common/kernels/functions.h"
#include "common/kernels/lanes.h"
#include "common/kernels/vector_math.h"

// From the slopes of what a convolution stored to those of its sums: back through pooling and
// activation, into an image with a border of zeros on the left and right.
namespace sumac::kernels {
namespace {

using lanes::originOf;
using lanes::planeOf;
using lanes::rowOf;

// d activation(x) / dx, from y = activation(x).
template <int kActivation>
[[gnu::always_inline]] inline Vec before(Vec slope, Vec y) {
  if constexpr (kActivation == kSumacRelu) return y > 0.0F ? slope : Vec{};
  if constexpr (kActivation == kSumacTanh) return slope * (1.0F - y * y);
  if constexpr (kActivation == kSumacSigmoid) return slope * (y * (1.0F - y));
  return slope;
}

struct Channel {
  const SumacLanesConv& conv;
  float* dy;
  const float* slopes;
  const float* y;
  const std::uint8_t* argmax;  // null without pooling
};

template <int kActivation>
Vec plainChannel(const Channel& c, Vec bias) {
  const SumacLanesConv& s = c.conv;
  const std::size_t width = (s.out_columns + 2 * kSumacSlopesBorder) * kLanes;
  for (std::size_t row = 0; row < s.out_rows; ++row) {
    const float* const slopes = c.slopes + row * s.y.columns * kLanes;
    const float* const y = c.y + row * rowOf(s.y);
    float* const dy = c.dy + row * width;
    for (std::size_t i = 0; i < s.out_columns * kLanes; i += kLanes) {
      const Vec slope = before<kActivation>(load(slopes + i), load(y + i));
      bias += slope;
      store(dy + i, slope);
    }
  }
  return bias;
}

// A relu's part is done: places where it was flat name no pixel.
template <int kActivation>
Vec pooledChannel(const Channel& c, Vec bias) {
  const SumacLanesConv& s = c.conv;
  const std::size_t width = (s.out_columns + 2 * kSumacSlopesBorder) * kLanes;
  for (std::size_t row = 0; row < s.y.rows; ++row) {
    const float* const slopes = c.slopes + row * s.y.columns * kLanes;
    const std::uint8_t* const argmax = c.argmax + row * s.y.columns * kLanes;
    const float* const y = c.y + row * rowOf(s.y);
    float* const dy = c.dy + 2 * row * width;
    for (std::size_t i = 0; i < s.y.columns * kLanes; i += kLanes) {
      const IntVec place = __builtin_convertvector(lanes::loadBytes(argmax + i), IntVec);
      Vec slope = load(slopes + i);
      if constexpr (kActivation != kSumacRelu) slope = before<kActivation>(slope, load(y + i));
      const Vec first = place == 0 ? slope : Vec{};
      const Vec second = place == 1 ? slope : Vec{};
      const Vec third = place == 2 ? slope : Vec{};
      const Vec fourth = place == 3 ? slope : Vec{};
      bias += (first + second) + (third + fourth);
      store(dy + 2 * i, first);
      store(dy + 2 * i + kLanes, second);
      store(dy + width + 2 * i, third);
      store(dy + width + 2 * i + kLanes, fourth);
    }
  }
  return bias;
}

template <int kActivation>
Vec slopesOf(const Channel& channel, Vec bias) {
  return channel.argmax != nullptr ? pooledChannel<kActivation>(channel, bias)
                                   : plainChannel<kActivation>(channel, bias);
}

Vec slopesOf(const Channel& channel, Vec bias) {
  switch (channel.conv.activation) {
    case kSumacRelu: return slopesOf<kSumacRelu>(channel, bias);
    case kSumacTanh: return slopesOf<kSumacTanh>(channel, bias);
    case kSumacSigmoid: return slopesOf<kSumacSigmoid>(channel, bias);
    default: return slopesOf<kSumacIdentity>(channel, bias);
  }
}

}  // namespace

size_t lanesConvSlopesSize(const SumacLanesConv* conv) {
  return conv->y.channels * conv->out_rows * (conv->out_columns + 2 * kSumacSlopesBorder) * kLanes;
}

void lanesConvSlopes(const SumacLanesConv* conv, const SumacLanesConvSlopes* b) {
  const SumacLanesConv& s = *conv;
  const std::size_t size = lanesConvSlopesSize(conv) / s.y.channels;
  for (std::size_t channel = b->first_channel; channel < b->first_channel + b->channels;
       ++channel) {
    float* const bias = b->bias_sums + channel * kLanes;
    const std::size_t pixels = s.y.rows * s.y.columns * kLanes;
    const Channel one{s, b->dy + channel * size + kSumacSlopesBorder * kLanes,
                      b->slopes + channel * pixels, b->y + originOf(s.y) + channel * planeOf(s.y),
                      b->argmax == nullptr ? nullptr : b->argmax + channel * pixels};
    const Vec before_block = b->begins != 0 ? Vec{} : load(bias);
    store(bias, slopesOf(one, before_block));
  }
}

void lanesSumBias(float* dbias, const float* sums, size_t n, int accumulate) {
  for (std::size_t i = 0; i < n; ++i) {
    const float sum = lanes::sumOfLanes(load(sums + i * kLanes));
    dbias[i] = accumulate != 0 ? dbias[i] + sum : sum;
  }
}

}  // namespace sumac::kernels
