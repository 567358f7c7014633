// sumac-bench-fma-peak: how many fp32 operations a second one core can do, which no matrix product
// can exceed: multiply-adds whose operands never leave the registers. Prints one JSON line.
//
// The widest vectors that the processor has count. Every thread runs many short trials on its own
// and keeps its best one, so that a disturbed moment does not make the limit look lower; the result
// is the sum over the threads.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <immintrin.h>

namespace {

using Clock = std::chrono::steady_clock;

// 2 units with 4 to 5 cycles of latency need 10 sums under way; 16 registers hold 12 and 2 factors.
constexpr std::size_t kSums = 12;
constexpr int kRounds = 100'000;  // some 0.3 ms
constexpr std::chrono::milliseconds kDuration{300};

// Each returns a value that depends on every product, or the compiler would drop them.
using Trial = float (*)();

__attribute__((target("avx2,fma"))) float trialAvx2() {
  std::array<float[8], kSums> start{};  // zeros
  __m256 sums[kSums];
  for (std::size_t i = 0; i < kSums; ++i)
    sums[i] = _mm256_loadu_ps(start[i]);
  const __m256 factor = _mm256_set1_ps(0.5F);
  const __m256 term = _mm256_set1_ps(0.25F);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kSums; ++i)
      sums[i] = _mm256_fmadd_ps(sums[i], factor, term);
  }
  __m256 total = sums[0];
  for (std::size_t i = 1; i < kSums; ++i)
    total += sums[i];
  return _mm256_cvtss_f32(total);
}

__attribute__((target("avx512f"))) float trialAvx512() {
  std::array<float[16], kSums> start{};  // zeros
  __m512 sums[kSums];
  for (std::size_t i = 0; i < kSums; ++i)
    sums[i] = _mm512_loadu_ps(start[i]);
  const __m512 factor = _mm512_set1_ps(0.5F);
  const __m512 term = _mm512_set1_ps(0.25F);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kSums; ++i)
      sums[i] = _mm512_fmadd_ps(sums[i], factor, term);
  }
  __m512 total = sums[0];
  for (std::size_t i = 1; i < kSums; ++i)
    total += sums[i];
  return _mm512_cvtss_f32(total);
}

struct Width {
  std::string_view name;
  Trial trial;
  int lanes;
};

/// The least time of a trial, in seconds.
double bestTrial(Trial trial) {
  double best = 1;
  volatile float sink = 0;
  for (const auto end = Clock::now() + kDuration; Clock::now() < end;) {
    const auto start = Clock::now();
    sink = trial();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  static_cast<void>(sink);
  return best;
}

double gflops(const Width& width, int threads) {
  std::vector<double> seconds(static_cast<std::size_t>(threads));
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < seconds.size(); ++i)
    others.emplace_back([&, i] { seconds[i] = bestTrial(width.trial); });
  seconds[0] = bestTrial(width.trial);
  for (auto& other : others)
    other.join();
  double total = 0;
  for (const double one : seconds)
    total += 2.0 * kSums * kRounds * width.lanes / one / 1e9;
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc == 2 ? std::atoi(argv[1]) : 1;
  if (argc > 2 || threads < 1) {
    std::fprintf(stderr, "usage: sumac-bench-fma-peak [THREADS]\n");
    return 2;
  }
  Width width{"avx2", trialAvx2, 8};
  if (__builtin_cpu_supports("avx512f")) {
    width = {"avx512", trialAvx512, 16};
  } else if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::fprintf(stderr, "sumac-bench-fma-peak: this processor has no fused multiply-add\n");
    return 1;
  }
  std::printf("{\"variant\": \"%s\", \"threads\": %d, \"gflops\": %.1f}\n", width.name.data(),
              threads, gflops(width, threads));
  return 0;
}
