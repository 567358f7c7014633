#pragma once

#include "kernels/kernel_table.h"

// Eigen's product of the same matrices, once for each instruction set: it chooses its code when it
// is compiled. Each is a shared library with this one symbol, so that no template leaks.
namespace sumac::bench {

#define SUMAC_EIGEN_GEMM_NAME(variant) eigenGemm##variant
#define SUMAC_EIGEN_GEMM(variant) SUMAC_EIGEN_GEMM_NAME(variant)

extern "C" {
// Without `bias`. Each must only be called on a machine with its instructions.
void eigenGemmBaseline(const SumacGemm* gemm);
void eigenGemmAvx2(const SumacGemm* gemm);
void eigenGemmAvx512(const SumacGemm* gemm);
}

}  // namespace sumac::bench
