#include "base/core/rng.h"

namespace sumac {
namespace {

struct Product {
  std::uint32_t high;
  std::uint32_t low;
};

Product multiply(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t wide = static_cast<std::uint64_t>(a) * b;
  return {static_cast<std::uint32_t>(wide >> 32U), static_cast<std::uint32_t>(wide)};
}

constexpr int kRounds = 10;

}  // namespace

std::array<std::uint32_t, 4> Rng::block(std::uint64_t counter) const {
  std::array<std::uint32_t, 4> x{
      static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U),
      static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32U)};
  auto key0 = static_cast<std::uint32_t>(seed_);
  auto key1 = static_cast<std::uint32_t>(seed_ >> 32U);
  for (int round = 0; round < kRounds; ++round) {
    const Product p0 = multiply(0xD2511F53U, x[0]);
    const Product p1 = multiply(0xCD9E8D57U, x[2]);
    x = {p1.high ^ x[1] ^ key0, p1.low, p0.high ^ x[3] ^ key1, p0.low};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return x;
}

std::uint32_t Rng::bits(std::uint64_t n) const {
  return block(n / 4)[n % 4];
}

float Rng::uniform(std::uint64_t n) const {
  return static_cast<float>(bits(n) >> 8U) * 0x1.0p-24F;
}

std::uint64_t Rng::below(std::uint64_t n, std::uint64_t bound) const {
  const auto words = block(n);
  const std::uint64_t wide = (static_cast<std::uint64_t>(words[0]) << 32U) | words[1];
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(wide) * bound) >> 64U);
}

}  // namespace sumac
