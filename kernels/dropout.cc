#include <array>
#include <cstdint>

#include "kernels/functions.h"
#include "kernels/loops.h"
#include "kernels/simd.h"

// Which values are dropped: value v of sample s when the v-th number of Philox4x32-10's stream
// (key, s) is below the threshold; the numbers are those of base/core/rng.h. Here kLanes of them
// are computed side by side, which differ in the sample or in v / 4.
namespace sumac::kernels {
namespace {

using Words = std::array<std::uint32_t, kLanes>;

struct Block {
  Words words[4];
};

void multiplyInto(Words& high, Words& low, std::uint32_t factor) {
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::uint64_t wide = std::uint64_t{factor} * low[i];
    high[i] = static_cast<std::uint32_t>(wide >> 32U);
    low[i] = static_cast<std::uint32_t>(wide);
  }
}

// The words of the counters and streams in x, in place.
void philox(Block& x, std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32U);
  for (int round = 0; round < 10; ++round) {
    Words high0;
    Words high1;
    multiplyInto(high0, x.words[0], 0xD2511F53U);
    multiplyInto(high1, x.words[2], 0xCD9E8D57U);
    Block next;
    SUMAC_INDEPENDENT
    for (std::size_t i = 0; i < kLanes; ++i) {
      next.words[0][i] = high1[i] ^ x.words[1][i] ^ key0;
      next.words[1][i] = x.words[2][i];
      next.words[2][i] = high0[i] ^ x.words[3][i] ^ key1;
      next.words[3][i] = x.words[0][i];
    }
    x = next;
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
}

void setCounters(Block& x, std::size_t lane, std::uint64_t counter, std::uint64_t stream) {
  x.words[0][lane] = static_cast<std::uint32_t>(counter);
  x.words[1][lane] = static_cast<std::uint32_t>(counter >> 32U);
  x.words[2][lane] = static_cast<std::uint32_t>(stream);
  x.words[3][lane] = static_cast<std::uint32_t>(stream >> 32U);
}

float dropped(const SumacDropout& d, std::uint32_t word, float value) {
  return (word >> 8U) < d.threshold ? 0.0F : value * d.scale;
}

}  // namespace

void dropout(const SumacDropout* d, float* out, const float* x, size_t n) {
  const std::uint64_t end = d->first_value + n;
  Block block;
  for (std::uint64_t counter = d->first_value / 4; counter * 4 < end; counter += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      setCounters(block, lane, counter + lane, d->sample);
    philox(block, d->key);
    for (std::uint64_t i = 0; i < 4 * kLanes; ++i) {
      const std::uint64_t value = counter * 4 + i;
      if (value < d->first_value || value >= end) continue;
      const std::uint64_t at = value - d->first_value;
      out[at] = dropped(*d, block.words[i % 4][i / 4], x[at]);
    }
  }
}

void lanesDropout(const SumacDropout* d, float* out, const float* x, size_t n) {
  const std::uint64_t end = d->first_value + n;
  Block block;
  for (std::uint64_t counter = d->first_value / 4; counter * 4 < end; ++counter) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      setCounters(block, lane, counter, d->sample + lane);
    philox(block, d->key);
    for (std::uint64_t word = 0; word < 4; ++word) {
      const std::uint64_t value = counter * 4 + word;
      if (value < d->first_value || value >= end) continue;
      const std::uint64_t at = (value - d->first_value) * kLanes;
      SUMAC_INDEPENDENT
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        out[at + lane] = dropped(*d, block.words[word][lane], x[at + lane]);
    }
  }
}

}  // namespace sumac::kernels
