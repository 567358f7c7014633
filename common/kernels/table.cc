#include "common/kernels/table.h"

#include "common/kernels/functions.h"

// The one symbol of a kernels library; SUMAC_KERNEL_VARIANT comes from the build.
extern "C" __attribute__((visibility("default"))) const SumacKernelTable* sumac_kernel_table() {
  namespace kernels = sumac::kernels;
  static constexpr SumacKernelTable kTable{
      .abi = SUMAC_KERNEL_ABI,
      .name = SUMAC_KERNEL_VARIANT,
      .add = kernels::add,
      .sumOfSquares = kernels::sumOfSquares,
      .sgdMomentum = kernels::sgdMomentum,
      .gemm = kernels::gemm,
      .fillRows = kernels::fillRows,
      .columnSums = kernels::columnSums,
      .conv2dWorkspace = kernels::conv2dWorkspace,
      .conv2dForward = kernels::conv2dForward,
      .conv2dBackwardWeights = kernels::conv2dBackwardWeights,
      .conv2dBackwardData = kernels::conv2dBackwardData,
      .relu = kernels::relu,
      .reluBackward = kernels::reluBackward,
      .maxPool = kernels::maxPool,
      .maxPoolBackward = kernels::maxPoolBackward,
      .softmaxCrossEntropy = kernels::softmaxCrossEntropy,
      .exponential = kernels::exponential,
      .logarithm = kernels::logarithm,
  };
  return &kTable;
}
