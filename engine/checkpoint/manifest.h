#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "base/core/step.h"

namespace sumac::checkpoint {

inline constexpr std::string_view kModelFile = "model.safetensors";
inline constexpr std::string_view kOptimizerFile = "optimizer.safetensors";
inline constexpr std::string_view kStateFile = "state.safetensors";
inline constexpr std::string_view kProgramFile = "program.json";
/// For messages: no manifest names it, and a checkpoint without it is whole. Earlier versions do
/// not look at it.
inline constexpr std::string_view kJobFile = "job.txt";
inline constexpr std::string_view kManifestFile = "manifest.json";

/// Formats of a checkpoint. Since 3 its tensors are those of fileTensors(); 1 and 2 have an LSTM's
/// in plan order. 1 has no part state. 4 says how the workers exchanged, and is written only where
/// that was chosen for them: earlier versions read all other checkpoints. 5 is a program's.
inline constexpr int kPlanOrderFormat = 2;
inline constexpr int kFormat = 3;
inline constexpr int kAlgorithmFormat = 4;
inline constexpr int kProgramFormat = 5;

/// Name, length and checksum of one file of a checkpoint.
struct FileEntry {
  std::string name;
  std::uint64_t length = 0;
  std::uint32_t crc = 0;  // CRC-32C

  static FileEntry of(std::string_view name, BytesView content);
  bool matches(BytesView content) const;
};

/// The file that is written last: its presence makes the checkpoint complete.
struct Manifest {
  int format = kFormat;
  Step step = 0;
  std::uint32_t term = 1;
  std::string plan_hash;
  std::string numerics;
  std::vector<std::string> optimizer;  // names of the optimizer's vectors, in order of the file
  FileEntry model;
  FileEntry optimizer_file;
  // Part state: the numbers of values in its file; there is no file if both are 0.
  std::int64_t recurrent = 0;
  std::int64_t statistics = 0;
  FileEntry state_file;
  FileEntry program_file;  // of a program: its text
  std::string algorithm;  // that spec.strategy.algorithm `auto` stood for; empty: it was not `auto`
  int workers = 0;        // for so many

  bool hasState() const { return recurrent > 0 || statistics > 0; }
  bool isOfProgram() const { return format == kProgramFormat; }
  bool isInPlanOrder() const { return format <= kPlanOrderFormat; }
  std::vector<FileEntry> files() const;

  /// JSON that carries its own checksum; the same manifest is always the same text.
  std::string text() const;

  /// The inverse of text(). Fails with kInvalid for anything that text() does not write, even one
  /// flipped bit, and with kUnsupported for a format of a later version.
  static Result<Manifest> parse(std::string_view text);
};

}  // namespace sumac::checkpoint
