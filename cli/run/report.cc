#include "cli/run/report.h"

#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/table.h"

namespace sumac::cli {
namespace {

constexpr const char* kAbsent = "-";

/// Of a file that anybody may have written: no control characters reach the terminal.
std::string shown(std::string text) {
  constexpr std::size_t kMaxShown = 80;
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return text.empty() ? kAbsent : text.substr(0, kMaxShown);
}

std::string decimal(std::optional<double> value, int digits, const char* unit = "") {
  if (!value) return kAbsent;
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, std::abs(*value) < 1e12 ? "%.*f" : "%.*e", digits, *value);
  return buffer + std::string(unit);
}

std::optional<double> percent(std::optional<double> share) {
  return share ? std::optional(100 * *share) : std::nullopt;
}

/// "1.25s 40%" of all.
std::string timeShare(double seconds, double all) {
  const double share = all > 0 ? seconds / all : 0;
  return decimal(seconds, 2, "s") + " " + decimal(100 * share, 0, "%");
}

std::vector<std::string> timeRow(const std::string& name, const WorkerTimes& times) {
  std::vector<std::string> row{name, decimal(times.seconds, 2, "s")};
  for (const double part :
       {times.gradients, times.sum_wait, times.data_wait, times.updates, times.other()})
    row.push_back(timeShare(part, times.seconds));
  return row;
}

}  // namespace

std::string resultTable(const std::string& name, const JobResult& result) {
  const auto& setting = result.setting;
  std::vector<std::string> header{"NAME",   "WORKERS", "SERVERS",   "STEPS",
                                  "EPOCHS", "TIME",    "SAMPLES/S", "LOSS"};
  std::vector<std::string> row{name,
                               std::to_string(setting.workers),
                               std::to_string(setting.servers),
                               std::to_string(result.steps),
                               std::to_string(result.epochs),
                               decimal(result.seconds, 1, "s"),
                               decimal(result.samples_per_second, 0),
                               decimal(result.loss, 4)};
  if (result.valid_perplexity || result.test_perplexity) {
    header.insert(header.end(), {"VALID-PERPLEXITY", "TEST-PERPLEXITY"});
    row.insert(row.end(),
               {decimal(result.valid_perplexity, 2), decimal(result.test_perplexity, 2)});
  } else {
    if (result.valid_accuracy) {
      header.emplace_back("VALIDATION");
      row.push_back(decimal(percent(result.valid_accuracy), 2, "%"));
    }
    header.emplace_back("ACCURACY");
    row.push_back(decimal(percent(result.test_accuracy), 2, "%"));
  }
  const std::string bits =
      table({"LOGICAL-WORKERS", "SEED", "NUMERICS", "PARAMETERS-SHA256"},
            {{std::to_string(setting.logical_workers), std::to_string(setting.seed),
              shown(setting.numerics), shown(result.parameters_sha256)}});
  return table(header, {row}) + "\n" + bits;
}

std::string timeTable(const JobResult& result) {
  constexpr std::size_t kMostRows = 8;
  if (result.worker_times.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  WorkerTimes mean;
  const auto count = static_cast<double>(result.worker_times.size());
  for (const WorkerTimes& one : result.worker_times) {
    if (rows.size() < kMostRows) rows.push_back(timeRow(std::to_string(one.worker), one));
    mean.seconds += one.seconds / count;
    mean.gradients += one.gradients / count;
    mean.sum_wait += one.sum_wait / count;
    mean.data_wait += one.data_wait / count;
    mean.updates += one.updates / count;
  }
  if (result.worker_times.size() > 1) rows.push_back(timeRow("mean", mean));
  return table(
      {"WORKER", "TIME", "GRADIENTS", "WAIT-FOR-SUMS", "WAIT-FOR-DATA", "UPDATES", "OTHER"}, rows);
}

std::string fileTable(const RunFolder& folder) {
  const std::pair<std::filesystem::path, const char*> files[] = {
      {folder.output().result(), "result"},
      {folder.output().model(), "trained model, safetensors"},
      {folder.output().curve(), "training curve"},
      {folder.output().metrics(), "progress, one JSON object a line"},
      {folder.trace(), "trace of some steps, for ui.perfetto.dev or chrome://tracing"},
      {folder.checkpoints(), "checkpoints"},
      {folder.job(), "the job with all defaults"},
  };
  std::vector<std::vector<std::string>> rows;
  for (const auto& [path, what] : files) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) rows.push_back({path.string(), what});
  }
  return table({"FILE", "CONTENT"}, rows);
}

}  // namespace sumac::cli
