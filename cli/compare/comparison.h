#pragma once

#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/report/report.h"
#include "cli/compare/run_record.h"

namespace sumac::cli {

/// A field of the job that is not the same in all runs.
struct Difference {
  std::string path;                 // "training.optimizer.learningRate"
  std::string name;                 // the end of the path that no other difference has
  std::vector<std::string> values;  // of each run; empty: it has no such field
};

/// What differs in the jobs of these runs, in the order of the documents.
std::vector<Difference> differencesOf(const std::vector<RunRecord>& runs);

/// Runs beside each other: which is best by values of the validation split, what differs in their
/// jobs, what came out, and on pages the curves over each other. Fails with kInvalid where some are
/// of text and others of images: their losses do not compare.
Result<report::Report> comparisonOf(const std::vector<RunRecord>& runs);

}  // namespace sumac::cli
