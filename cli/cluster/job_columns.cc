#include "cli/cluster/job_columns.h"

#include <utility>

#include "cli/cluster/failure_text.h"
#include "cli/cluster/time_text.h"

namespace sumac::cli {
namespace {

/// What the job waits for, or how it ended.
std::string messageOf(const api::JobStatus& status) {
  const api::Condition* const said = status.find(status.isTrue("Failed") ? "Failed" : "Running");
  return said == nullptr ? std::string() : oneLine(said->message);
}

}  // namespace

std::vector<std::string> jobHeader(Columns columns) {
  std::vector<std::string> header;
  if (columns.has_namespace) header.emplace_back("NAMESPACE");
  for (const char* name : {"NAME", "STATE", "WORKERS", "PROGRESS(%)", "RESTARTS", "AGE"})
    header.emplace_back(name);
  if (!columns.is_wide) return header;
  for (const char* name : {"STEP", "LOSS", "SPEED", "MESSAGE"})
    header.emplace_back(name);
  return header;
}

std::vector<std::string> jobRow(const api::TrainingJob& job, Columns columns, WallTime now) {
  const api::JobStatus& status = job.status;
  const auto& progress = status.progress;
  std::vector<std::string> row;
  if (columns.has_namespace) row.push_back(job.meta.key.name_space);
  row.push_back(job.meta.key.name);
  row.push_back(stateOf(job));
  row.push_back(oneLine(status.workers));
  row.push_back(progress ? std::to_string(progress->percentage()) : "");
  row.push_back(std::to_string(status.restarts));
  row.push_back(ageText(job.meta.created, now));
  if (!columns.is_wide) return row;
  row.push_back(progress ? std::to_string(progress->step) : "");
  row.push_back(progress ? decimalText(progress->loss) : "");
  row.push_back(progress ? decimalText(progress->samples_per_second) : "");
  row.push_back(messageOf(status));
  return row;
}

std::string stateOf(const api::TrainingJob& job) {
  if (job.meta.deleted) return "Deleting";
  return job.status.state.empty() ? "Pending" : oneLine(job.status.state);
}

std::string GrowingTable::add(const std::vector<std::vector<std::string>>& rows,
                              const report::TextStyle& style) {
  // Rows that only hold the widths, printed above and taken off again.
  std::vector<std::vector<std::string>> all;
  if (has_begun_) all.push_back(widest_);
  all.insert(all.end(), rows.begin(), rows.end());
  std::string text = report::tableText(header_, all, style);
  widest_.resize(header_.size());
  for (const auto& row : all) {
    for (std::size_t i = 0; i < row.size() && i < widest_.size(); ++i) {
      if (row[i].size() > widest_[i].size()) widest_[i] = row[i];
    }
  }
  if (!std::exchange(has_begun_, true)) return text;
  constexpr int kKnown = 2;  // lines: the header and the widths
  std::size_t at = 0;
  for (int line = 0; line < kKnown; ++line)
    at = text.find('\n', at) + 1;
  return text.substr(at);
}

}  // namespace sumac::cli
