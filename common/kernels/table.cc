#include "common/kernels/table.h"

#include "common/kernels/functions.h"
#include "common/kernels/simd.h"

// The one symbol of a kernels library; SUMAC_KERNEL_VARIANT comes from the build.
extern "C" __attribute__((visibility("default"))) const SumacKernelTable* sumac_kernel_table() {
  namespace kernels = sumac::kernels;
  static constexpr SumacKernelTable kTable{
      .abi = SUMAC_KERNEL_ABI,
      .name = SUMAC_KERNEL_VARIANT,
      .add = kernels::add,
      .sumOfSquares = kernels::sumOfSquares,
      .sgd = kernels::sgd,
      .sgdMomentum = kernels::sgdMomentum,
      .sgdNesterov = kernels::sgdNesterov,
      .adam = kernels::adam,
      .gemm = kernels::gemm,
      .fillRows = kernels::fillRows,
      .columnSums = kernels::columnSums,
      .softmaxCrossEntropy = kernels::softmaxCrossEntropy,
      .exponential = kernels::exponential,
      .logarithm = kernels::logarithm,

      .gemmPackedSize = kernels::gemmPackedSize,
      .gemmPack = kernels::gemmPack,
      .gemmPacked = kernels::gemmPacked,
      .lstmForward = kernels::lstmForward,
      .lstmBackward = kernels::lstmBackward,
      .sumRows = kernels::sumRows,
      .areGreatest = kernels::areGreatest,

      .activate = kernels::activate,
      .activateBackward = kernels::activateBackward,
      .dropout = kernels::dropout,

      .lanes = kernels::kLanes,
      .lanesFromSamples = kernels::lanesFromSamples,
      .lanesSoftmaxCrossEntropy = kernels::lanesSoftmaxCrossEntropy,
      .lanesConvPack = kernels::lanesConvPack,
      .lanesConvPackBackward = kernels::lanesConvPackBackward,
      .lanesConvForward = kernels::lanesConvForward,
      .lanesConvSlopesSize = kernels::lanesConvSlopesSize,
      .lanesConvSlopes = kernels::lanesConvSlopes,
      .lanesSumBias = kernels::lanesSumBias,
      .lanesConvWeightTiles = kernels::lanesConvWeightTiles,
      .lanesConvWeightSums = kernels::lanesConvWeightSums,
      .lanesConvBackwardWeights = kernels::lanesConvBackwardWeights,
      .lanesConvBackwardData = kernels::lanesConvBackwardData,
      .lanesDensePanels = kernels::lanesDensePanels,
      .lanesDensePanelSize = kernels::lanesDensePanelSize,
      .lanesDensePack = kernels::lanesDensePack,
      .lanesDenseForward = kernels::lanesDenseForward,
      .lanesDenseSlopes = kernels::lanesDenseSlopes,
      .lanesDenseBackwardData = kernels::lanesDenseBackwardData,
      .lanesDenseInputPanels = kernels::lanesDenseInputPanels,
      .lanesDenseInputPanelSize = kernels::lanesDenseInputPanelSize,
      .lanesDenseTurnInputs = kernels::lanesDenseTurnInputs,
      .lanesDenseTurnSlopes = kernels::lanesDenseTurnSlopes,
      .lanesDenseBackwardWeights = kernels::lanesDenseBackwardWeights,
      .lanesDropout = kernels::lanesDropout,
      .lanesMaxPool = kernels::lanesMaxPool,
      .lanesMaxPoolBackward = kernels::lanesMaxPoolBackward,
      .lanesAveragePool = kernels::lanesAveragePool,
      .lanesAveragePoolBackward = kernels::lanesAveragePoolBackward,
      .lanesNormStatistics = kernels::lanesNormStatistics,
      .lanesNormInverse = kernels::lanesNormInverse,
      .lanesNormForward = kernels::lanesNormForward,
      .lanesNormBackward = kernels::lanesNormBackward,
  };
  return &kTable;
}
