#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernel_table.h"

// What the files of one variant implement; kernel_table.h says what each does.
namespace sumac::kernels {

void add(float* out, const float* a, const float* b, std::size_t n);
double sumOfSquares(const float* x, std::size_t n);

void toBf16(unsigned char* out, const float* x, std::size_t n);
void fromBf16(float* out, const unsigned char* x, std::size_t n);
void toFp16(unsigned char* out, const float* x, std::size_t n);
void fromFp16(float* out, const unsigned char* x, std::size_t n);
std::size_t countHalves(const unsigned char* x, std::size_t n, std::uint16_t magnitude);

void sgd(const SumacUpdate* update, float* w_out, const float* w_in, const float* g, std::size_t n);
void sgdMomentum(const SumacUpdate* update, float* w_out, const float* w_in, float* v,
                 const float* g, std::size_t n);
void sgdNesterov(const SumacUpdate* update, float* w_out, const float* w_in, float* v,
                 const float* g, std::size_t n);
void adam(const SumacUpdate* update, const SumacAdam* adam, float* w_out, const float* w_in,
          float* mean, float* square, const float* g, std::size_t n);

void gemm(const SumacGemm* gemm);

void softmaxCrossEntropy(float* losses, float* dlogits, const float* logits,
                         const std::int32_t* labels, std::size_t classes, std::size_t samples,
                         float scale);
void exponential(float* out, const float* x, std::size_t n);
void logarithm(float* out, const float* x, std::size_t n);

// Text and rows.
std::size_t gemmPackedSize(std::size_t k, std::size_t n);
void gemmPack(const SumacGemm* gemm, float* packed);
void gemmPacked(const SumacGemm* gemm, const float* packed);
void lstmForward(const SumacLstmStep* step);
void lstmBackward(const SumacLstmBackward* backward);
void sumRows(float* out, const SumacRows* rows, std::size_t columns, int accumulate);
void areArgmax(std::int32_t* out, const float* logits, const std::int32_t* labels,
               std::size_t classes, std::size_t samples);

// The lanes layout.

void lanesFromSamples(const SumacImage* image, float* block, const float* samples,
                      std::size_t count, std::size_t channel);
void activate(int activation, float* y, const float* x, std::size_t n);
void activateBackward(int activation, float* dx, const float* dy, const float* y, std::size_t n);
void lanesSoftmaxCrossEntropy(const SumacLanesLoss* loss, float* losses, float* dlogits,
                              const float* logits);
void lanesConvPack(const SumacLanesConv* conv, float* panels, const float* w);
void lanesConvPackBackward(const SumacLanesConv* conv, float* panels, const float* w);
void lanesConvForward(const SumacLanesConv* conv, const SumacLanesConvForward* forward);
std::size_t lanesConvGradientSize(const SumacLanesConv* conv);
void lanesConvActivationBackward(const SumacLanesConv* conv,
                                 const SumacLanesConvActivation* backward);
void lanesSumBias(float* dbias, const float* sums, std::size_t n, int accumulate);
std::size_t lanesConvWeightPanels(const SumacLanesConv* conv);
std::size_t lanesConvWeightSums(const SumacLanesConv* conv);
std::size_t lanesConvPanelRows(const SumacLanesConv* conv);
std::size_t lanesConvPanelOutput(const SumacLanesConv* conv, std::size_t row);
void lanesConvBackwardWeights(const SumacLanesConv* conv, const SumacLanesConvWeights* weights);
void lanesConvBackwardData(const SumacLanesConv* conv, float* dx, const float* dy,
                           const float* panels, std::size_t first_row, std::size_t rows);
std::size_t lanesDensePanels(const SumacLanesDense* dense);
std::size_t lanesDensePanelSize(const SumacLanesDense* dense);
void lanesDensePack(const SumacLanesDense* dense, float* panels, const float* w, std::size_t panel);
void lanesDenseForward(const SumacLanesDense* dense, float* y, const float* x, const float* panels,
                       const float* bias, std::size_t panel);
void lanesDenseActivationBackward(const SumacLanesDense* dense, float* dy, const float* y,
                                  float* dbias, std::size_t group, int accumulate);
void lanesDenseBackwardData(const SumacLanesDense* dense, float* dx, const float* dy,
                            const float* w, std::size_t first, std::size_t inputs);
std::size_t lanesDenseInputPanels(const SumacLanesDense* dense);
std::size_t lanesDenseInputPanelSize(const SumacLanesDense* dense);
void lanesDenseTransposeInputs(const SumacLanesDense* dense, float* transposed, const float* x,
                               std::size_t panel);
void lanesDenseTransposeGradients(const SumacLanesDense* dense, float* transposed, const float* dz,
                                  std::size_t group);
void lanesDenseBackwardWeights(const SumacLanesDense* dense, float* dw, const float* transposed_x,
                               const float* transposed_dz, std::size_t panel, int accumulate);
void lanesDropout(const SumacDropout* dropout, float* out, const float* x, std::size_t n);
void lanesMaxPool(const SumacLanesPool* pool, const SumacChannels* channels, float* y,
                  std::uint8_t* argmax, const float* x);
void lanesMaxPoolBackward(const SumacLanesPool* pool, const SumacChannels* channels, float* dx,
                          const float* dy, const std::uint8_t* argmax);
void lanesAveragePool(const SumacLanesPool* pool, const SumacChannels* channels, float* y,
                      const float* x);
void lanesAveragePoolBackward(const SumacLanesPool* pool, const SumacChannels* channels, float* dx,
                              const float* dy);
void lanesNormStatistics(const SumacLanesNorm* norm, const float* x, std::size_t channel,
                         float* mean, float* variance);
float lanesNormInverse(float variance, float epsilon);
void lanesNormForward(const SumacLanesNorm* norm, const SumacLanesNormChannel* channel, float* y,
                      const float* x);
void lanesNormBackward(const SumacLanesNorm* norm, const SumacLanesNormChannel* channel,
                       const SumacLanesNormBackward* backward);
void dropout(const SumacDropout* dropout, float* out, const float* x, std::size_t n);

}  // namespace sumac::kernels
