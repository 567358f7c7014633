#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/appended_file.h"
#include "base/core/result.h"
#include "job/progress/job_end.h"
#include "job/progress/job_result.h"

namespace sumac {

/// The files that a job's worker 0, and nobody else, writes into the output folder: the same
/// files with the same content in a cluster and under `sumac run`.
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path model() const { return path_ / "model.safetensors"; }
  std::filesystem::path result() const { return path_ / "result.json"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path curve() const { return path_ / "curve.svg"; }

  /// Makes the folder that of this job, NAMESPACE/NAME, where it is nobody's yet, by the file
  /// `.job`: a job that was deleted and made again keeps its folder. Earlier versions give and
  /// wrote a name alone, which is that of every job of this name. Fails with kConflict, and says
  /// what to do, where it is another job's. Storage that fails is no failure here: the files that
  /// matter will tell.
  Result<void> claim(const std::string& job) const;

  /// Writes curve.svg, then result.json: if that exists, the rest is complete. Fails with
  /// kUnavailable if the disk is full.
  Result<void> writeResult(const JobResult& result) const;

  /// Writes how a job ended that did not succeed: as the last line of metrics.jsonl, in place of
  /// one there that says an end, then as curve.svg and result.json. Writes as many of them as
  /// it can. Fails with kUnavailable and the first that could not be written.
  Result<void> writeEnd(const JobEnd& end) const;

  /// Removes the result of an earlier job, or of one that failed after writing it.
  void removeResult() const;

  /// What result.json says of a complete job. Fails with kNotFound where there is none, with
  /// kInvalid where it is of a job that did not succeed, and as errorCodeOf() says.
  Result<JobResult> readResult() const;

  /// The last step that result.json says is done, however the job ended; 0 where it says none.
  Step lastStep() const;

  /// Whether a step was made: metrics.jsonl has a line that is not of an end before the first one.
  bool hasTrained() const;

  /// Removes from metrics.jsonl what it tells of later steps than `last`, all at once: the job goes
  /// on from there. Fails as errorCodeOf() says, and changes nothing then.
  Result<void> cutMetrics(Step last) const;

  /// Gives metrics.jsonl the first free name of metrics-1.jsonl, metrics-2.jsonl and so on, and
  /// returns that; an empty path where there is no metrics.jsonl. Fails as errorCodeOf() says.
  Result<std::filesystem::path> setMetricsAside() const;

 private:
  Result<void> writeCurve(const std::string& title) const;

  std::filesystem::path path_;
};

/// A metrics.jsonl that lines are appended to, as AppendedFile does.
class MetricsFile {
 public:
  /// Creates an empty file when the job starts from step 0; else appends to the lines of earlier
  /// attempts, after removing a last line that was cut short.
  static Result<MetricsFile> open(const OutputFolder& folder, bool from_the_beginning);

  /// Fails with kUnavailable when the line could not be written, of which nothing is left then;
  /// later ones may.
  Result<void> append(std::string_view line);

 private:
  explicit MetricsFile(AppendedFile file) : file_(std::move(file)) {}

  AppendedFile file_;
  std::string text_;
};

}  // namespace sumac
