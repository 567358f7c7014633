#pragma once

#include <stddef.h>
#include <stdint.h>

// The lanes layout, for networks on images and vectors: values of a block of `lanes` samples
// interleaved, so that one vector holds the same value of all of them. Lanes beyond the number of
// samples are zero where a network is given its samples and after every normalisation; in between
// they hold what a layer makes of zeros. Their gradients are zero. Blocks begin
// anywhere.

/// A block of images: [channel][row][column][lane], every channel within `border` pixels of zeros.
/// A block of vectors has one row of one channel.
struct SumacImage {
  size_t channels;
  size_t rows;
  size_t columns;
  size_t border;
};

enum SumacActivation { kSumacIdentity = 0, kSumacRelu = 1, kSumacTanh = 2, kSumacSigmoid = 3 };

/// Convolution, bias, activation and, if `pool`, max-pooling of 2 x 2 pixels.
struct SumacLanesConv {
  struct SumacImage x;  // border >= padding
  struct SumacImage y;  // what is stored
  size_t out_rows;      // of the convolution: before the pooling
  size_t out_columns;
  size_t kernel;
  size_t stride;
  size_t padding;
  size_t groups;
  int activation;
  int pool;
};

/// Gradients of a convolution's sums z, before activation and pooling, are
/// [output][row][column][lane] with so many columns of zeros on the left and on the right; rows and
/// columns that no window of a pooling covers are zero too. lanesConvActivationBackward writes all.
enum { kSumacGradientBorder = 1 };

/// One block, and of that the rows [first_row, first_row + rows) of y.
struct SumacLanesConvForward {
  float* y;
  uint8_t* argmax;  // with pool: of each stored value, [channel][row][column][lane]
  const float* x;
  const float* panels;
  const float* bias;  // null: none
  size_t first_row;
  size_t rows;
};

/// One block, and of that the channels [first_channel, first_channel + channels).
struct SumacLanesConvActivation {
  float* dz;         // out: gradient of the sums
  float* bias_sums;  // [output][lane]: sums of dz over all blocks
  int begins;        // the first block: the sums before it count as zero
  const float* dy;   // without a border
  const float* y;
  const uint8_t* argmax;
  size_t first_channel;
  size_t channels;
};

/// Blocks of one part, and of the weights the panels [first_panel, first_panel + panels).
struct SumacLanesConvWeights {
  float* dw;
  int accumulate;  // dw += the finished sum
  float* sums;     // of the blocks before, unless `begins`; null when all blocks come at once
  int begins;
  int ends;
  const float* x;
  size_t x_stride;  // from block to block
  const float* dz;
  size_t dz_stride;
  size_t blocks;
  size_t first_panel;
  size_t panels;
};

/// Dense layer of `images` samples in `blocks` blocks; x and y are [block][value][lane].
struct SumacLanesDense {
  size_t inputs;
  size_t outputs;
  size_t images;
  size_t blocks;
  int activation;
};

struct SumacChannels {
  size_t first;
  size_t count;
};

/// Pooling; windows may reach beyond the image and its padding.
struct SumacLanesPool {
  struct SumacImage x;
  struct SumacImage y;
  size_t kernel_rows;
  size_t kernel_columns;
  size_t stride;
  size_t padding;
};

/// Normalisation over the pixels of `images` samples; blocks follow each other.
struct SumacLanesNorm {
  struct SumacImage x;
  struct SumacImage y;
  size_t images;
};
struct SumacLanesNormChannel {
  size_t channel;
  float mean;
  float inverse;  // 1 / sqrt(variance + epsilon)
  float weight;
  float bias;
};
struct SumacLanesNormBackward {
  float* dx;  // null: not wanted
  float* dweight;
  float* dbias;
  int accumulate;  // dweight and dbias grow by their finished values
  const float* dy;
  const float* x;
};

/// Which values are dropped: value v of the sample at position s of the mini-batch, when the v-th
/// word of the Philox stream (key, s), without its lowest 8 bits, is below `threshold`. The others
/// are multiplied by `scale`.
struct SumacDropout {
  uint64_t key;
  uint64_t sample;       // of lanes: the first lane's
  uint64_t first_value;  // of the values in this call, which follow each other
  uint32_t threshold;
  float scale;
};

/// One block of the loss.
struct SumacLanesLoss {
  size_t classes;
  const int32_t* labels;
  size_t count;
  float scale;
};
