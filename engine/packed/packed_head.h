#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"

namespace sumac::worker {

/// How the names of packed files end.
inline constexpr const char* kPackedEnding = ".sumac";

/// Their first bytes.
inline constexpr std::string_view kPackedMagic = "SUMACPAK";

inline constexpr std::size_t kPackedOpening = 64;          // bytes of the opening
inline constexpr std::size_t kPackedChunk = 256UL * 1024;  // bytes of samples with one checksum
inline constexpr std::uint64_t kMaxPackedSamples = 1U << 30U;
inline constexpr std::uint64_t kMaxDescription = 1U << 26U;

/// The first bytes of a packed file, which fix where everything is. All numbers are little-endian:
///
///   opening      "SUMACPAK", version (u32), bytes of the description (u32), samples to train on,
///                samples to test with, bytes of a sample (u64 each), CRC-32C of what follows up to
///                the samples (u32), zeros, CRC-32C of the opening before it (u32)
///   description  text
///   labels       u16 of each sample, those to train on first
///   checksums    CRC-32C (u32) of each chunk of the samples; the last may be shorter
///   zeros        up to a multiple of 4,096 bytes from the beginning of the file
///   samples      one after another
struct PackedOpening {
  std::uint32_t description_bytes = 0;
  std::uint64_t train = 0;
  std::uint64_t test = 0;
  std::uint64_t sample_bytes = 0;
  std::uint32_t head_crc = 0;  // of description, labels and checksums

  std::uint64_t samples() const { return train + test; }
  std::uint64_t dataBytes() const { return samples() * sample_bytes; }
  std::uint64_t chunks() const { return (dataBytes() + kPackedChunk - 1) / kPackedChunk; }
  /// Bytes of description, labels and checksums.
  std::uint64_t headBytes() const;
  /// Where the samples begin.
  std::uint64_t dataBegin() const;
  std::uint64_t fileBytes() const { return dataBegin() + dataBytes(); }
};

/// What lies between the opening and the samples.
struct PackedHead {
  std::string description;
  std::vector<std::uint16_t> labels;
  std::vector<std::uint32_t> checksums;  // of the chunks
};

/// The opening with its checksums. Requires what readOpening() accepts.
Bytes openingBytes(PackedOpening opening, BytesView head);
Bytes headBytes(const PackedHead& head);

/// Reads an opening of a file of `file_bytes` bytes. Fails with kInvalid for another file, a later
/// version, damage, and a file of another size than the opening says; the message is about "it",
/// the file. What is accepted makes none of the sums above overflow.
Result<PackedOpening> readOpening(BytesView bytes, std::uint64_t file_bytes);

/// Reads the rest. Requires headBytes() bytes. Fails with kInvalid where they are damaged.
Result<PackedHead> readHead(const PackedOpening& opening, BytesView bytes);

}  // namespace sumac::worker
