#pragma once

#include <cstddef>
#include <cstdint>

#include "common/kernels/table.h"

// What the files of one variant implement; table.h says what each does.
namespace sumac::kernels {

void add(float* out, const float* a, const float* b, std::size_t n);
double sumOfSquares(const float* x, std::size_t n);
void fillRows(float* out, const float* row, std::size_t rows, std::size_t columns);
void columnSums(float* out, const float* x, std::size_t rows, std::size_t columns);

void sgdMomentum(float* w_out, const float* w_in, float* v, const float* g, float scale,
                 float momentum, float rate, std::size_t n);

void gemm(const SumacGemm* gemm);

std::size_t conv2dWorkspace(const SumacConv2d* shape);
void conv2dForward(const SumacConv2d* shape, float* y, const float* x, const float* w,
                   const float* bias, float* workspace, std::size_t samples);
void conv2dBackwardWeights(const SumacConv2d* shape, float* dw, float* dbias, const float* x,
                           const float* dy, float* workspace, std::size_t samples);
void conv2dBackwardData(const SumacConv2d* shape, float* dx, const float* dy, const float* w,
                        float* workspace, std::size_t samples);

void relu(float* y, const float* x, std::size_t n);
void reluBackward(float* dx, const float* dy, const float* y, std::size_t n);

void maxPool(const SumacMaxPool* shape, float* y, std::int32_t* argmax, const float* x);
void maxPoolBackward(const SumacMaxPool* shape, float* dx, const float* dy,
                     const std::int32_t* argmax);

void softmaxCrossEntropy(float* losses, float* dlogits, const float* logits,
                         const std::int32_t* labels, std::size_t classes, std::size_t samples,
                         float scale);
void exponential(float* out, const float* x, std::size_t n);
void logarithm(float* out, const float* x, std::size_t n);

}  // namespace sumac::kernels
