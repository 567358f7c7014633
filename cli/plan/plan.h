#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/core/exit_code.h"
#include "base/report/text.h"
#include "cli/plan/plan_amounts.h"
#include "cli/run/run.h"
#include "planner/advice/question.h"

namespace sumac::cli {

enum class PlanFormat : std::uint8_t { kShort, kWide, kJson, kYaml };

/// The options of `sumac plan`.
struct PlanOptions {
  std::string file;  // "-": standard input
  std::vector<std::string> sets;
  std::vector<std::filesystem::path> profiles;  // empty: the kept one, measured where it must be
  bool measures = false;                        // measure that anew
  planner::PlanGoal goal = planner::PlanGoal::kTime;
  std::optional<double> deadline_seconds;
  std::optional<Money> budget;
  int most_workers = 1024;
  std::string machine;                          // "here", a type's name; empty: as the profiled one
  std::filesystem::path machines;               // file of machine types; empty: none
  std::optional<double> link_bytes_per_second;  // over the machine's
  std::optional<double> link_seconds;           // its latency, over the machine's
  std::optional<double> member_bytes;           // of memory, over the machine's
  std::optional<std::int64_t> samples;          // of an epoch, where the job does not tell
  std::optional<double> noise_scale;            // in samples
  std::filesystem::path convolutions;           // file of their algorithms' costs; empty: none
  std::filesystem::path result;                 // result.json of a run with a noise scale
  PlanFormat format = PlanFormat::kShort;
  report::TextStyle style{};   // of where the answer is shown
  std::filesystem::path page;  // file for plan.html; empty: none
  bool is_applied = false;     // print the completed job instead
  std::string command;         // that asks the same again, quoted for a shell
};

struct ThisMachine;

/// Answers which way to run a job, by profiles, and prints it. Without one it takes that which is
/// kept of this machine (keptProfile()), and counts the samples of data that are here where the
/// answer depends on them. Returns kDone; kBadConfiguration for a job,
/// a profile or a limit that gives no answer; kUsage for options that do not go together, or a page
/// that cannot be written; kFailed where the answer is that no configuration keeps the limits. The
/// answer is printed in the last two cases, too. Without a profile also as measuring ended.
ExitCode planJob(const PlanOptions& options, const ThisMachine& machine, Streams streams);

}  // namespace sumac::cli
