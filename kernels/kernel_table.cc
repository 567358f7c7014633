#include "kernels/kernel_table.h"

#include "kernels/functions.h"
#include "kernels/simd.h"

namespace sumac::kernels {
namespace {

constexpr SumacKernelTable kTable{
    .abi = SUMAC_KERNEL_ABI,
    .name = SUMAC_KERNEL_VARIANT,
    .add = add,
    .sumOfSquares = sumOfSquares,
    .toBf16 = toBf16,
    .toFp16 = toFp16,
    .fromBf16 = fromBf16,
    .fromFp16 = fromFp16,
    .countHalves = countHalves,
    .sgd = sgd,
    .sgdMomentum = sgdMomentum,
    .sgdNesterov = sgdNesterov,
    .adam = adam,
    .gemm = gemm,
    .softmaxCrossEntropy = softmaxCrossEntropy,
    .exponential = exponential,
    .logarithm = logarithm,

    .gemmPackedSize = gemmPackedSize,
    .gemmPack = gemmPack,
    .gemmPacked = gemmPacked,
    .lstmForward = lstmForward,
    .lstmBackward = lstmBackward,
    .sumRows = sumRows,
    .areArgmax = areArgmax,

    .activate = activate,
    .activateBackward = activateBackward,
    .dropout = dropout,

    .lanes = kLanes,
    .lanesFromSamples = lanesFromSamples,
    .lanesSoftmaxCrossEntropy = lanesSoftmaxCrossEntropy,
    .lanesConvPack = lanesConvPack,
    .lanesConvPackBackward = lanesConvPackBackward,
    .lanesConvForward = lanesConvForward,
    .lanesConvGradientSize = lanesConvGradientSize,
    .lanesConvActivationBackward = lanesConvActivationBackward,
    .lanesSumBias = lanesSumBias,
    .lanesConvWeightPanels = lanesConvWeightPanels,
    .lanesConvWeightSums = lanesConvWeightSums,
    .lanesConvPanelRows = lanesConvPanelRows,
    .lanesConvPanelOutput = lanesConvPanelOutput,
    .lanesConvBackwardWeights = lanesConvBackwardWeights,
    .lanesConvBackwardData = lanesConvBackwardData,
    .lanesDensePanels = lanesDensePanels,
    .lanesDensePanelSize = lanesDensePanelSize,
    .lanesDensePack = lanesDensePack,
    .lanesDenseForward = lanesDenseForward,
    .lanesDenseActivationBackward = lanesDenseActivationBackward,
    .lanesDenseBackwardData = lanesDenseBackwardData,
    .lanesDenseInputPanels = lanesDenseInputPanels,
    .lanesDenseInputPanelSize = lanesDenseInputPanelSize,
    .lanesDenseTransposeInputs = lanesDenseTransposeInputs,
    .lanesDenseTransposeGradients = lanesDenseTransposeGradients,
    .lanesDenseBackwardWeights = lanesDenseBackwardWeights,
    .lanesDropout = lanesDropout,
    .lanesMaxPool = lanesMaxPool,
    .lanesMaxPoolBackward = lanesMaxPoolBackward,
    .lanesAveragePool = lanesAveragePool,
    .lanesAveragePoolBackward = lanesAveragePoolBackward,
    .lanesNormStatistics = lanesNormStatistics,
    .lanesNormInverse = lanesNormInverse,
    .lanesNormForward = lanesNormForward,
    .lanesNormBackward = lanesNormBackward,
};

}  // namespace
}  // namespace sumac::kernels

// The one symbol of a kernels library; SUMAC_KERNEL_VARIANT comes from the build.
extern "C" __attribute__((visibility("default"))) const SumacKernelTable* sumac_kernel_table() {
  return &sumac::kernels::kTable;
}
