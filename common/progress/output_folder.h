#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

#include "common/base/result.h"
#include "common/progress/job_result.h"

namespace sumac {

/// The files that a job's lowest worker writes into its output folder, in a cluster as under `sumac
/// run`: the only writer, so that both have the same files with the same content.
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path model() const { return path_ / "model.safetensors"; }
  std::filesystem::path result() const { return path_ / "result.json"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path curve() const { return path_ / "curve.svg"; }

  /// Writes curve.svg, then result.json: where that is, the rest is complete. Fails with
  /// kUnavailable when the disk is full.
  Result<void> writeResult(const JobResult& result) const;

  /// Takes the result away: of an earlier job, or of one that failed after all.
  void removeResult() const;

 private:
  std::filesystem::path path_;
};

/// A metrics.jsonl that lines are appended to, each of them whole when append() returns: who
/// follows the file sees it at once, and it outlives this process.
class MetricsFile {
 public:
  /// Begins an empty file when the job starts from its beginning; else goes on behind the lines of
  /// earlier attempts, without a last one that was cut short.
  static Result<MetricsFile> open(const OutputFolder& folder, bool from_the_beginning);

  /// Fails with kUnavailable when the line could not be written; later ones may.
  Result<void> append(std::string_view line);

 private:
  MetricsFile(std::filesystem::path path, std::ofstream file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace sumac
