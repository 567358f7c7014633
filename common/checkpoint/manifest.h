#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/base/step.h"

namespace sumac::checkpoint {

inline constexpr std::string_view kModelFile = "model.safetensors";
inline constexpr std::string_view kOptimizerFile = "optimizer.safetensors";
inline constexpr std::string_view kStateFile = "state.safetensors";
inline constexpr std::string_view kManifestFile = "manifest.json";

/// What a file of a checkpoint must look like.
struct FileEntry {
  std::string name;
  std::uint64_t length = 0;
  std::uint32_t crc = 0;  // CRC-32C

  static FileEntry of(std::string_view name, BytesView content);
  bool matches(BytesView content) const;
};

/// The last file of a checkpoint to be written: its presence makes the checkpoint complete.
struct Manifest {
  Step step = 0;
  std::uint32_t term = 1;
  std::string plan_hash;
  std::string numerics;
  std::vector<std::string> optimizer;  // names of the optimizer's vectors, in order of the file
  FileEntry model;
  FileEntry optimizer_file;
  // Part state: its file has so many values of each kind; there is none when both are 0.
  std::int64_t recurrent = 0;
  std::int64_t statistics = 0;
  FileEntry state_file;

  bool hasState() const { return recurrent > 0 || statistics > 0; }
  std::vector<FileEntry> files() const;

  /// JSON that carries its own checksum; the same manifest is always the same text.
  std::string text() const;

  /// The reverse. Fails with kInvalid on anything that text() did not make: one flipped bit is
  /// enough.
  static Result<Manifest> parse(std::string_view text);
};

}  // namespace sumac::checkpoint
