#pragma once

#include <array>
#include <cstdint>

namespace sumac {

/// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
/// 1, 2, 3", SC'11).
///
/// The n-th number of a stream is a pure function of (seed, stream, n), so what is drawn never
/// depends on who draws first, on how many processes there are, or on where a job resumed. A value
/// type without state; safe from any thread.
class Rng {
 public:
  /// `stream` separates uses: see the k*Stream constants.
  Rng(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  /// 32 random bits, the n-th of the stream.
  std::uint32_t bits(std::uint64_t n) const;

  /// In [0, 1), a multiple of 2^-24: exact in fp32.
  float uniform(std::uint64_t n) const;

  /// In [0, bound), without bias worth the name (64-bit multiply of 64 random bits). Requires bound
  /// > 0.
  std::uint64_t below(std::uint64_t n, std::uint64_t bound) const;

  /// The four words that Philox makes of one counter value.
  std::array<std::uint32_t, 4> block(std::uint64_t counter) const;

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

/// What streams are for; the low 32 bits of a stream are free for a tensor's index, an epoch, a
/// layer.
inline constexpr std::uint64_t kInitializerStream = 1ULL << 32U;
inline constexpr std::uint64_t kShuffleStream = 2ULL << 32U;
inline constexpr std::uint64_t kDropoutStream = 3ULL << 32U;
inline constexpr std::uint64_t kGeneratedDataStream = 4ULL << 32U;
inline constexpr std::uint64_t kValidationStream = 5ULL << 32U;
inline constexpr std::uint64_t kAugmentStream = 6ULL << 32U;
inline constexpr std::uint64_t kWrittenWordsStream = 8ULL << 32U;

}  // namespace sumac
