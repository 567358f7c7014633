#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/lanes_shapes.h"

// The plain C interface between the programs and a kernels library: pointers, sizes, strides,
// nothing else, so that no template instantiated for one instruction set can leak into code built
// for another (docs/design/README.md#kernels). Rows are contiguous; no alignment is required;
// outputs never overlap inputs unless a comment says so. Nothing allocates, nothing keeps state,
// and no result depends on the alignment of a pointer or on the machine's caches.

/// One time step of an LSTM (Hochreiter and Schmidhuber 1997, with forget gates, without peepholes)
/// for some samples. `gates` holds 4 `units` values a sample: input, forget, output, candidate.
struct SumacLstmStep {
  size_t units;
  size_t samples;
  float* gates;           // in: weighted sums; out: sigmoid of the first three, tanh of the last
  const float* c_before;  // samples x units, as are the others
  float* c;               // forget c_before + input candidate
  float* tanh_c;
  float* h;  // output tanh_c
};

/// The backward pass of one time step.
struct SumacLstmBackward {
  size_t units;
  size_t samples;
  float* gates;  // in: as the step left them; out: gradients of the weighted sums
  const float* c_before;
  const float* tanh_c;
  const float* dh;        // of h, by the layer above
  const float* dh_after;  // of h, by the time step after; null at the last
  float* dc;              // in: of c, by the time step after; out: of c_before
};

/// c = a b (m x n, with k >= 1 products a value), row-major with the given distances between rows.
struct SumacGemm {
  size_t m = 0;
  size_t n = 0;
  size_t k = 0;
  const float* a = nullptr;  // m x k, or k x m with transpose_a
  size_t a_stride = 0;
  int transpose_a = 0;
  const float* b = nullptr;  // k x n, or n x k with transpose_b
  size_t b_stride = 0;
  int transpose_b = 0;
  float* c = nullptr;
  size_t c_stride = 0;
  int accumulate = 0;           // the finished product is added to c, in one addition a value
  const float* bias = nullptr;  // n values added to every row: c = a b + bias
  // With transpose_a and without transpose_b, the rows of a and b, which are summed, may lie apart:
  // `run` of them follow each other, then come `skip` others. 0: all follow each other.
  size_t run = 0;
  size_t skip = 0;
};

/// Rows of values; `run` and `skip` as above.
struct SumacRows {
  const float* x = nullptr;
  size_t stride = 0;
  size_t count = 0;
  size_t run = 0;
  size_t skip = 0;
};

/// What an optimizer's loop takes for all values. It follows the step gradient s = clip(scale g,
/// -limit, limit) + decay w_in; NaN stays NaN.
struct SumacUpdate {
  float scale;
  float limit;  // infinity: no clipping
  float decay;
  float rate;
  float momentum;
};

struct SumacAdam {
  float beta1;
  float beta2;
  float fresh1;  // 1 - beta1
  float fresh2;  // 1 - beta2
  float root;    // sqrt(1 - beta2^step)
  float epsilon;
};

// "Same bits": the function gives the same bits in every variant. The others give the same bits in
// one variant on every machine.
struct SumacKernelTable {
  uint32_t abi;      // SUMAC_KERNEL_ABI
  const char* name;  // "avx2"

  /// out[i] = a[i] + b[i]; out may be a or b. Same bits.
  void (*add)(float* out, const float* a, const float* b, size_t n);
  /// Sum of squares in fp64, in fixed blocks of 4096 values along a fixed tree. Same bits.
  double (*sumOfSquares)(const float* x, size_t n);

  // Values of two bytes, as they travel with a lossy codec (docs/design/exchange.md#codecs).
  /// Rounds to the nearest value, of two as near to the even one. A finite value stays finite: what
  /// would round to infinity becomes the largest. NaN stays NaN. Same bits.
  void (*toBf16)(unsigned char* out, const float* x, size_t n);
  void (*toFp16)(unsigned char* out, const float* x, size_t n);
  /// Exact; out and x do not overlap. Same bits.
  void (*fromBf16)(float* out, const unsigned char* x, size_t n);
  void (*fromFp16)(float* out, const unsigned char* x, size_t n);
  /// How many of n such values have these bits, whatever their sign.
  size_t (*countHalves)(const unsigned char* x, size_t n, uint16_t magnitude);

  // Updates, in PyTorch's form, of n weights with step gradients s (see SumacUpdate). w_out may be
  // w_in.
  /// w_out = w_in - rate s. Same bits.
  void (*sgd)(const struct SumacUpdate* update, float* w_out, const float* w_in, const float* g,
              size_t n);
  /// v = momentum v + s; w_out = w_in - rate v. Same bits.
  void (*sgdMomentum)(const struct SumacUpdate* update, float* w_out, const float* w_in, float* v,
                      const float* g, size_t n);
  /// v = momentum v + s; w_out = w_in - rate (s + momentum v). Same bits.
  void (*sgdNesterov)(const struct SumacUpdate* update, float* w_out, const float* w_in, float* v,
                      const float* g, size_t n);
  /// mean = beta1 mean + fresh1 s; square = beta2 square + fresh2 s s;
  /// w_out = w_in - rate mean / (sqrt(square) / root + epsilon). Same bits.
  void (*adam)(const struct SumacUpdate* update, const struct SumacAdam* adam, float* w_out,
               const float* w_in, float* mean, float* square, const float* g, size_t n);

  void (*gemm)(const struct SumacGemm* gemm);

  /// Each sample's cross-entropy of softmax(logits), and its gradient times `scale` unless
  /// `dlogits` is null; dlogits may be logits. Requires labels below `classes`. Same bits.
  void (*softmaxCrossEntropy)(float* losses, float* dlogits, const float* logits,
                              const int32_t* labels, size_t classes, size_t samples, float scale);
  // The functions behind softmax and the activations, alone: for their tests.
  /// e^x within 2 ulp; 0 below -87.3. out may be x. Same bits.
  void (*exponential)(float* out, const float* x, size_t n);
  /// Natural logarithm of normal positive numbers within 2 ulp. out may be x. Same bits.
  void (*logarithm)(float* out, const float* x, size_t n);

  // Text and rows of values.

  /// A product whose b is used more than once: gemmPack() writes gemmPackedSize() floats, of which
  /// gemmPacked() makes the same bits as gemm(). The packed form belongs to one variant; packing
  /// does not read a and c, the product does not read b.
  size_t (*gemmPackedSize)(size_t k, size_t n);
  void (*gemmPack)(const struct SumacGemm* gemm, float* packed);
  void (*gemmPacked)(const struct SumacGemm* gemm, const float* packed);

  /// Same bits.
  void (*lstmForward)(const struct SumacLstmStep* step);
  void (*lstmBackward)(const struct SumacLstmBackward* backward);
  /// out[j] = sum of x[i][j] over all rows i; with `accumulate` that sum is added to out[j]. Same
  /// bits.
  void (*sumRows)(float* out, const struct SumacRows* rows, size_t columns, int accumulate);
  /// out[i] = 1 where labels[i] is the argmax of the logits of sample i, the first of equal values,
  /// else 0. Same bits.
  void (*areArgmax)(int32_t* out, const float* logits, const int32_t* labels, size_t classes,
                    size_t samples);

  /// y = activation(x) (SumacActivation), NaN stays NaN; y may be x. Same bits.
  void (*activate)(int activation, float* y, const float* x, size_t n);
  /// dx = dy times the activation's derivative where it gave y; dx may be dy. Same bits.
  void (*activateBackward)(int activation, float* dx, const float* dy, const float* y, size_t n);
  /// n values of one sample; out may be x. Same bits.
  void (*dropout)(const struct SumacDropout* dropout, float* out, const float* x, size_t n);

  // --- the lanes layout ---

  size_t lanes;
  /// One channel of up to `lanes` samples, which are [channel][row][column]; lanes beyond `count`
  /// become zero. Leaves the border alone. Same bits.
  void (*lanesFromSamples)(const struct SumacImage* image, float* block, const float* samples,
                           size_t count, size_t channel);
  /// As softmaxCrossEntropy, for one block: losses are [lane], zero beyond `count`.
  void (*lanesSoftmaxCrossEntropy)(const struct SumacLanesLoss* loss, float* losses, float* dlogits,
                                   const float* logits);

  /// Weights in the order in which forward and backwardData take them; as many as there are.
  void (*lanesConvPack)(const struct SumacLanesConv* conv, float* panels, const float* w);
  void (*lanesConvPackBackward)(const struct SumacLanesConv* conv, float* panels, const float* w);
  void (*lanesConvForward)(const struct SumacLanesConv* conv,
                           const struct SumacLanesConvForward* forward);
  /// Floats of one block's gradient of the sums.
  size_t (*lanesConvGradientSize)(const struct SumacLanesConv* conv);
  /// Back through pooling and activation.
  void (*lanesConvActivationBackward)(const struct SumacLanesConv* conv,
                                      const struct SumacLanesConvActivation* backward);
  /// The bias' gradient of its sums.
  void (*lanesSumBias)(float* dbias, const float* sums, size_t n, int accumulate);
  /// Panels of weights whose gradients are computed together, and the floats of `sums` for all.
  size_t (*lanesConvWeightPanels)(const struct SumacLanesConv* conv);
  size_t (*lanesConvWeightSums)(const struct SumacLanesConv* conv);
  /// Panels lie in rows of the same outputs, as many in each: how many rows there are, and the
  /// first output of the n-th; of the row after the last the number of outputs.
  size_t (*lanesConvPanelRows)(const struct SumacLanesConv* conv);
  size_t (*lanesConvPanelOutput)(const struct SumacLanesConv* conv, size_t row);
  void (*lanesConvBackwardWeights)(const struct SumacLanesConv* conv,
                                   const struct SumacLanesConvWeights* weights);
  /// The rows [first_row, first_row + rows) of one block of x, without a border.
  void (*lanesConvBackwardData)(const struct SumacLanesConv* conv, float* dx, const float* dz,
                                const float* panels, size_t first_row, size_t rows);

  /// Weights in the order in which forward takes them: panels of lanesDensePanelSize floats.
  size_t (*lanesDensePanels)(const struct SumacLanesDense* dense);
  size_t (*lanesDensePanelSize)(const struct SumacLanesDense* dense);
  void (*lanesDensePack)(const struct SumacLanesDense* dense, float* panels, const float* w,
                         size_t panel);
  /// The outputs of one panel.
  void (*lanesDenseForward)(const struct SumacLanesDense* dense, float* y, const float* x,
                            const float* panels, const float* bias, size_t panel);
  /// Back through the activation, in place (dy becomes dz), and the bias' gradient unless
  /// that is null: of the n-th group of `lanes` outputs.
  void (*lanesDenseActivationBackward)(const struct SumacLanesDense* dense, float* dy,
                                       const float* y, float* dbias, size_t group, int accumulate);
  /// dx of the inputs [first, first + inputs).
  void (*lanesDenseBackwardData)(const struct SumacLanesDense* dense, float* dx, const float* dz,
                                 const float* w, size_t first, size_t inputs);
  /// Inputs and gradients transposed to [image][value], as backwardWeights takes them: the inputs
  /// in panels of lanesDenseInputPanelSize floats, the gradients in rows of outputs rounded up to
  /// `lanes`, the n-th group of `lanes` outputs.
  size_t (*lanesDenseInputPanels)(const struct SumacLanesDense* dense);
  size_t (*lanesDenseInputPanelSize)(const struct SumacLanesDense* dense);
  void (*lanesDenseTransposeInputs)(const struct SumacLanesDense* dense, float* transposed,
                                    const float* x, size_t panel);
  void (*lanesDenseTransposeGradients)(const struct SumacLanesDense* dense, float* transposed,
                                       const float* dz, size_t group);
  /// The weights of one panel of inputs.
  void (*lanesDenseBackwardWeights)(const struct SumacLanesDense* dense, float* dw,
                                    const float* transposed_x, const float* transposed_dz,
                                    size_t panel, int accumulate);

  /// The same for a block: n values of the samples from `sample` on. Same bits.
  void (*lanesDropout)(const struct SumacDropout* dropout, float* out, const float* x, size_t n);

  /// Some channels of one block; `argmax` and `dy` have no border. Kernels of at most 255 pixels.
  /// Same bits, as all of pooling.
  void (*lanesMaxPool)(const struct SumacLanesPool* pool, const struct SumacChannels* channels,
                       float* y, uint8_t* argmax, const float* x);
  void (*lanesMaxPoolBackward)(const struct SumacLanesPool* pool,
                               const struct SumacChannels* channels, float* dx, const float* dy,
                               const uint8_t* argmax);
  void (*lanesAveragePool)(const struct SumacLanesPool* pool, const struct SumacChannels* channels,
                           float* y, const float* x);
  void (*lanesAveragePoolBackward)(const struct SumacLanesPool* pool,
                                   const struct SumacChannels* channels, float* dx,
                                   const float* dy);

  /// Mean and (biased) variance of one channel.
  void (*lanesNormStatistics)(const struct SumacLanesNorm* norm, const float* x, size_t channel,
                              float* mean, float* variance);
  float (*lanesNormInverse)(float variance, float epsilon);
  /// y = (x - mean) inverse weight + bias.
  void (*lanesNormForward)(const struct SumacLanesNorm* norm,
                           const struct SumacLanesNormChannel* channel, float* y, const float* x);
  /// Of a forward pass with the channel's own mean and variance.
  void (*lanesNormBackward)(const struct SumacLanesNorm* norm,
                            const struct SumacLanesNormChannel* channel,
                            const struct SumacLanesNormBackward* backward);
};

#define SUMAC_KERNEL_ABI 5U
#define SUMAC_KERNEL_SYMBOL "sumac_kernel_table"

using KernelTable = SumacKernelTable;
