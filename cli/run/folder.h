#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/base/result.h"
#include "common/base/slot.h"

namespace sumac::cli {

/// The output folder of a run and the paths of its files.
class RunFolder {
 public:
  /// The largest job document, as given and as stored.
  static constexpr std::uint64_t kMaxJobBytes = 1'000'000;

  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path job() const { return path_ / "job.yaml"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path result() const { return path_ / "result.json"; }
  std::filesystem::path curve() const { return path_ / "curve.svg"; }
  std::filesystem::path model() const { return path_ / "model.safetensors"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path keys() const { return path_ / "keys"; }
  std::filesystem::path log(Slot slot) const;              // "worker-1.log"
  std::filesystem::path terminationFile(Slot slot) const;  // "worker-1.end"

  /// Creates the folder. Fails with kConflict when it is not empty.
  Result<void> create() const;

  /// The last `lines` lines of a text file, each indented and without control characters, JSON
  /// lines of a log as text; empty when there is none. Reads at most the last eight kilobytes.
  static std::string tail(const std::filesystem::path& file, int lines);

 private:
  std::filesystem::path path_;
};

}  // namespace sumac::cli
