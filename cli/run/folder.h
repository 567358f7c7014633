#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "job/progress/output_folder.h"

namespace sumac::cli {

/// The output folder of a run. The supervisor writes the job and each member's log,
/// worker 0 the results of training (job/progress/output_folder.h).
class RunFolder {
 public:
  /// The largest job document, as given and as stored.
  static constexpr std::uint64_t kMaxJobBytes = 1'000'000;

  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path job() const { return path_ / "job.yaml"; }
  std::filesystem::path unfinishedJob() const { return path_ / "job.yaml.tmp"; }
  std::filesystem::path nextJob() const { return path_ / "job.next.yaml"; }  // attempt.h
  OutputFolder output() const { return OutputFolder(path_); }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path trace() const { return path_ / "trace.json"; }
  std::filesystem::path workers() const { return path_ / "workers"; }  // wanted_workers.h
  std::filesystem::path keys() const { return path_ / "keys"; }
  std::filesystem::path log(Slot slot) const;              // "worker-1.log"
  std::filesystem::path terminationFile(Slot slot) const;  // "worker-1.end"

  /// Creates a new folder: `wanted` or, if that exists, the first of `wanted`-2, `wanted`-3 and so
  /// on that does not. Of several processes that ask for the same one, each gets its own.
  static Result<RunFolder> createNext(const std::filesystem::path& wanted);

  /// Creates the folder. Fails with kConflict if it holds anything but what is left of a run that
  /// ended before it trained, such as one whose data were missing.
  Result<void> create() const;

  /// Removes what create() accepted. Requires the folder's lock.
  void removeLeftovers() const;

  /// Removes the folder itself if it holds only what create() accepts; returns whether it did.
  bool removeUnused() const;

  /// A text without newlines at its end, and with spaces for other control characters.
  static std::string onOneLine(std::string text);

  /// tail() of a member's log from byte `from` on, `without_end` without the line that repeats
  /// its termination file.
  std::string logTail(Slot slot, int lines, bool without_end, std::uintmax_t from = 0) const;

  /// The last `lines` lines of a text file from byte `from` on, each indented and without control
  /// characters, JSON lines of a log as text; empty if there is no file. Reads at most the last
  /// eight kilobytes.
  static std::string tail(const std::filesystem::path& file, int lines, std::uintmax_t from = 0);
  /// The same of a text.
  static std::string lastLines(const std::string& text, int lines);

 private:
  std::filesystem::path path_;
};

}  // namespace sumac::cli
