#pragma once

#include <string>
#include <vector>

#include "base/core/wall_time.h"
#include "base/report/text.h"
#include "kube/api/training_job.h"

namespace sumac::cli {

/// Which columns a table of jobs has: those of the CRD.
struct Columns {
  bool has_namespace = false;
  bool is_wide = false;
};

std::vector<std::string> jobHeader(Columns columns);
std::vector<std::string> jobRow(const api::TrainingJob& job, Columns columns, WallTime now);

/// status.state; "Pending" before the operator has seen the job, "Deleting" during its deletion.
std::string stateOf(const api::TrainingJob& job);

/// The lines of a growing table: columns only ever become wider.
class GrowingTable {
 public:
  explicit GrowingTable(std::vector<std::string> header) : header_(std::move(header)) {}

  /// The first call adds the header before it. A table that grows has lines of any length.
  std::string add(const std::vector<std::vector<std::string>>& rows,
                  const report::TextStyle& style = {});

 private:
  std::vector<std::string> header_;
  std::vector<std::string> widest_;  // of each column
  bool has_begun_ = false;
};

}  // namespace sumac::cli
