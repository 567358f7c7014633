#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/descriptor.h"
#include "base/core/result.h"

#include "experiment/measure/figures.h"
#include "experiment/measure/schedule.h"

namespace sumac::cli {

/// What the runs of one folder have in common; with anything else they must not be mixed.
struct FolderIdentity {
  std::string experiment;  // its name
  std::string jobs;        // SHA-256 over what is run and how it is measured
  std::string seed;        // of the order
  std::string version;     // of Sumac
  std::string machine;     // host and processor, or kSimulatedMachine
};

/// Of what ran on virtual time. Such folders and those of measured runs never take one another
/// over.
inline constexpr const char* kSimulatedMachine = "simulated";

/// The folder of an experiment: every file in it is written as a whole, so that what looks complete
/// is. Locked while this object lives, and by the end of the process in any case.
class ExperimentFolder {
 public:
  /// Makes the folder, or opens that of the same experiment, or takes one over in which nothing was
  /// measured, or if it is one, that of another simulation. Fails with kConflict if another process
  /// uses it, or if it holds something else, with the difference; with kInvalid if the file that
  /// names its experiment is damaged; with kUnavailable if nothing can be written there.
  static Result<ExperimentFolder> open(const std::filesystem::path& path,
                                       const FolderIdentity& identity);

  /// Whether open() would find a folder of something else, without making or locking any. Fails
  /// likewise.
  static Result<void> check(const std::filesystem::path& path, const FolderIdentity& identity);

  const std::filesystem::path& path() const { return path_; }
  /// What open() deleted of another experiment, for people; mostly empty.
  const std::string& note() const { return note_; }
  std::filesystem::path document() const { return path_ / "experiment.yaml"; }
  std::filesystem::path csv() const { return path_ / "cells.csv"; }
  std::filesystem::path decisions() const { return path_ / "decisions.csv"; }
  std::filesystem::path scale() const { return path_ / "scale.csv"; }
  std::filesystem::path results() const { return path_ / "results.json"; }
  std::filesystem::path report() const { return path_ / "report.html"; }
  std::filesystem::path picture(const std::string& name) const { return path_ / (name + ".svg"); }

  /// All that are there: the next ones may be fewer.
  void removePictures() const;

  /// The folders of the runs under way, and of one of them.
  std::filesystem::path running() const { return path_ / "running"; }
  std::filesystem::path running(experiment::RunId run) const;

  /// Writes down what is measured: the document as it was read, and the job of each cell with all
  /// defaults, as YAML.
  Result<void> describe(const std::string& document, const std::vector<std::string>& jobs) const;

  /// Where the logs of a failed run are kept.
  std::filesystem::path failed(experiment::RunId run) const;

  /// What was measured of a run; nothing if it has not finished. Fails with kInvalid, and what to
  /// do, where its file is damaged.
  Result<std::optional<experiment::RunFigures>> load(experiment::RunId run) const;
  Result<void> save(experiment::RunId run, const experiment::RunFigures& figures) const;

  /// How many runs it has, whatever their repetition.
  int countRuns() const;

 private:
  ExperimentFolder(std::filesystem::path path, std::string jobs, Descriptor lock, std::string note)
      : path_(std::move(path)),
        jobs_(std::move(jobs)),
        lock_(std::move(lock)),
        note_(std::move(note)) {}

  std::filesystem::path fileOf(experiment::RunId run) const;
  std::string ownerOf(experiment::RunId run) const;

  std::filesystem::path path_;
  std::string jobs_;  // as in the identity
  Descriptor lock_;
  std::string note_;
};

}  // namespace sumac::cli
