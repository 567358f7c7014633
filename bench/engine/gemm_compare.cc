#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine/gemm_eigen.h"
#include "kernels/aligned_buffer.h"
#include "kernels/kernels.h"

// The engine's matrix product beside Eigen's at the shapes of ptb-lstm-small with 20 streams of 20
// words as one part and as one of four: sumac-bench-gemm. Single calls by turns, the best of many:
// what each can do, without what else the machine was doing.
namespace sumac::bench {
namespace {

struct Shape {
  std::string_view name;
  std::size_t m, n, k;
  bool transpose_a, transpose_b;
  bool packs_once;  // b is packed before: a step uses it again
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const std::size_t rows : {400U, 100U}) {
    const std::size_t streams = rows / 20;
    all.insert(all.end(), {{"logits", rows, 10'000, 200, false, true, false},
                           {"logits' input gradient", rows, 200, 10'000, false, false, false},
                           {"logits' weights", 10'000, 200, rows, true, false, false},
                           {"lstm inputs", rows, 800, 200, false, true, false},
                           {"lstm input gradient", rows, 200, 800, false, false, false},
                           {"lstm weights", 800, 200, rows, true, false, false},
                           {"lstm recurrent", streams, 800, 200, false, true, true},
                           {"lstm recurrent gradient", streams, 200, 800, false, false, true}});
  }
  return all;
}

using EigenGemm = void (*)(const SumacGemm*);

EigenGemm eigenOf(KernelVariant variant) {
  if (variant == KernelVariant::kAvx512) return eigenGemmAvx512;
  if (variant == KernelVariant::kAvx2) return eigenGemmAvx2;
  return eigenGemmBaseline;
}

/// Of processor time: what else runs does not count, though it takes cache and clock rate.
template <typename Function>
double secondsOf(const Function& function) {
  const auto now = [] {
    std::timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  function();
  return now() - begin;
}

/// The matrices of the largest shape.
struct Memory {
  static constexpr std::size_t kValues = 4'000'000;
  AlignedBuffer a{kValues};
  AlignedBuffer b{kValues};
  AlignedBuffer c{kValues};
  AlignedBuffer packed{kValues};

  Memory() {
    for (std::size_t i = 0; i < kValues; ++i)
      a.data()[i] = b.data()[i] = static_cast<float>(i % 1000) * 1e-3F - 0.5F;
  }
};

SumacGemm productOf(const Shape& s, Memory& memory) {
  return {.m = s.m,
          .n = s.n,
          .k = s.k,
          .a = memory.a.data(),
          .a_stride = s.transpose_a ? s.m : s.k,
          .transpose_a = s.transpose_a ? 1 : 0,
          .b = memory.b.data(),
          .b_stride = s.transpose_b ? s.k : s.n,
          .transpose_b = s.transpose_b ? 1 : 0,
          .c = memory.c.data(),
          .c_stride = s.n,
          .accumulate = 0};
}

void compare(const Kernels& kernels, const Shape& shape, Memory& memory) {
  constexpr int kRounds = 100;
  const SumacGemm gemm = productOf(shape, memory);
  const EigenGemm eigen = eigenOf(kernels.variant());
  float* const packed = memory.packed.data();
  if (shape.packs_once) kernels->gemmPack(&gemm, packed);
  double ours = 1e9;
  double theirs = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    ours = std::min(ours, secondsOf([&] {
                      if (shape.packs_once) return kernels->gemmPacked(&gemm, packed);
                      kernels->gemm(&gemm);
                    }));
    theirs = std::min(theirs, secondsOf([&] { eigen(&gemm); }));
  }
  const double operations = 2e-9 * static_cast<double>(shape.m * shape.n * shape.k);
  std::printf("%-8s %-24s %5zu x %5zu x %5zu  %6.1f  %6.1f  %5.2f\n", kernels->name,
              std::string(shape.name).c_str(), shape.m, shape.n, shape.k, operations / ours,
              operations / theirs, theirs / ours);
}

int run() {
  const auto variants = availableKernelVariants({});
  if (!variants) return 1;
  Memory memory;
  std::printf("%-8s %-24s %21s  %6s  %6s  %5s\n", "kernels", "product", "rows x columns x depth",
              "GF/s", "Eigen", "ratio");
  for (const KernelVariant variant : *variants) {
    const auto kernels = Kernels::load(variant);
    if (!kernels) {
      std::fprintf(stderr, "sumac-bench-gemm: %s\n", kernels.error().message.c_str());
      return 1;
    }
    for (const Shape& shape : shapes())
      compare(*kernels, shape, memory);
  }
  return 0;
}

}  // namespace
}  // namespace sumac::bench

int main() {
  return sumac::bench::run();
}
