#pragma once

#include <stddef.h>
#include <stdint.h>

// The plain C interface between the programs and a kernels library: pointers, sizes, strides,
// nothing else, so that no template instantiated for one instruction set can leak into code built
// for another (design.md section 2). Rows are contiguous; no alignment is required; outputs never
// overlap inputs unless a comment says so. Nothing allocates, nothing keeps state, and no result
// depends on the alignment of a pointer or on the machine's caches.

/// A convolution of one sample: images are [channel][row][column], weights
/// [output][channel][kernel row][kernel column].
struct SumacConv2d {
  size_t channels;
  size_t rows;
  size_t columns;
  size_t outputs;
  size_t out_rows;
  size_t out_columns;
  size_t kernel;
  size_t stride;
  size_t padding;
};

/// Max-pooling without padding over `planes` images of one channel.
struct SumacMaxPool {
  size_t planes;
  size_t rows;
  size_t columns;
  size_t out_rows;
  size_t out_columns;
  size_t kernel;
  size_t stride;
};

/// c = a b (m x n, with k products a value), row-major with the given distances between rows.
struct SumacGemm {
  size_t m;
  size_t n;
  size_t k;
  const float* a;  // m x k, or k x m with transpose_a
  size_t a_stride;
  int transpose_a;
  const float* b;  // k x n, or n x k with transpose_b
  size_t b_stride;
  int transpose_b;
  float* c;
  size_t c_stride;
  int accumulate;  // c += a b
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
  /// Momentum SGD (PyTorch's form): v = momentum v + scale g; w_out = w_in - rate v. w_out may be
  /// w_in. Same bits.
  void (*sgdMomentum)(float* w_out, const float* w_in, float* v, const float* g, float scale,
                      float momentum, float rate, size_t n);

  void (*gemm)(const struct SumacGemm* gemm);
  /// Every one of the `rows` rows of `out` becomes `row`. Same bits.
  void (*fillRows)(float* out, const float* row, size_t rows, size_t columns);
  /// out[j] = sum of x[i][j] over i. Same bits.
  void (*columnSums)(float* out, const float* x, size_t rows, size_t columns);

  /// The floats of scratch that the convolution functions need.
  size_t (*conv2dWorkspace)(const struct SumacConv2d* shape);
  /// y = conv(x, w) + bias, for every sample.
  void (*conv2dForward)(const struct SumacConv2d* shape, float* y, const float* x, const float* w,
                        const float* bias, float* workspace, size_t samples);
  /// Gradients of the weights and the bias, summed over the samples.
  void (*conv2dBackwardWeights)(const struct SumacConv2d* shape, float* dw, float* dbias,
                                const float* x, const float* dy, float* workspace, size_t samples);
  void (*conv2dBackwardData)(const struct SumacConv2d* shape, float* dx, const float* dy,
                             const float* w, float* workspace, size_t samples);

  /// y = max(x, 0), NaN stays NaN; y may be x. Same bits.
  void (*relu)(float* y, const float* x, size_t n);
  /// dx = dy where y > 0, else 0; dx may be dy. Same bits.
  void (*reluBackward)(float* dx, const float* dy, const float* y, size_t n);

  /// `argmax` takes the place of each window's first greatest value in its plane. Same bits.
  void (*maxPool)(const struct SumacMaxPool* shape, float* y, int32_t* argmax, const float* x);
  void (*maxPoolBackward)(const struct SumacMaxPool* shape, float* dx, const float* dy,
                          const int32_t* argmax);

  /// Each sample's cross-entropy of softmax(logits), and its gradient times `scale` unless
  /// `dlogits` is null; dlogits may be logits. Requires labels below `classes`. Same bits.
  void (*softmaxCrossEntropy)(float* losses, float* dlogits, const float* logits,
                              const int32_t* labels, size_t classes, size_t samples, float scale);
  /// e^x within 2 ulp; 0 below -87.3. out may be x. Same bits.
  void (*exponential)(float* out, const float* x, size_t n);
  /// Natural logarithm of normal positive numbers within 2 ulp. out may be x. Same bits.
  void (*logarithm)(float* out, const float* x, size_t n);
};

#define SUMAC_KERNEL_ABI 1U
#define SUMAC_KERNEL_SYMBOL "sumac_kernel_table"

using KernelTable = SumacKernelTable;
