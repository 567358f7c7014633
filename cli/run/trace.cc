#include "cli/run/trace.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/core/units.h"
#include "base/trace/part_file.h"

namespace sumac::cli {
namespace {

using trace::StepRange;

std::string missingText(Step from, Step to) {
  if (from == to) return "step " + std::to_string(from) + " is missing: this run did not train it";
  return "steps " + std::to_string(from) + " to " + std::to_string(to) +
         " are missing: this run did not train them";
}

/// What a part lacks, in words.
void addProblems(const std::string& member, const trace::Part& part,
                 std::vector<std::string>& problems) {
  if (!part.is_complete) return problems.push_back("the trace of " + member + " is cut short");
  if (!part.is_aligned) {
    problems.push_back("the clock of " + member +
                       " could not be compared with the coordinator's: its times may be shifted");
  }
  if (part.dropped > 0) {
    problems.push_back(member + " had no room for " +
                       counted(static_cast<std::int64_t>(part.dropped), "span") +
                       "; trace fewer steps");
  }
}

/// The wanted steps that no worker did.
void addMissingSteps(const StepRange& wanted, const std::optional<StepRange>& done,
                     std::vector<std::string>& problems) {
  if (!done) return problems.push_back(missingText(wanted.from, wanted.to));
  if (done->from > wanted.from) problems.push_back(missingText(wanted.from, done->from - 1));
  if (done->to < wanted.to) problems.push_back(missingText(done->to + 1, wanted.to));
}

StepRange both(const std::optional<StepRange>& some, const StepRange& more) {
  if (!some) return more;
  return {std::min(some->from, more.from), std::max(some->to, more.to)};
}

}  // namespace

void removeTrace(const RunFolder& folder, const std::vector<Slot>& members) {
  std::error_code ignored;
  std::filesystem::remove(folder.trace(), ignored);
  for (const Slot member : members)
    std::filesystem::remove(trace::partFile(folder.path(), member), ignored);
}

std::vector<std::string> joinTrace(const RunFolder& folder, const std::vector<Slot>& members,
                                   const StepRange& wanted) {
  std::vector<std::string> problems;
  std::optional<StepRange> done;
  std::string processes;
  trace::EventsFile joined(folder.trace());
  for (const Slot member : members) {
    const auto part = trace::readPart(trace::partFile(folder.path(), member),
                                      [&](const std::string& event) { joined.add(event); });
    if (!part) {
      problems.push_back(toString(member) + " has written no trace; " +
                         folder.log(member).string() + " may say why");
      continue;
    }
    addProblems(toString(member), *part, problems);
    if (part->steps) done = both(done, *part->steps);
    if (part->is_complete) processes += (processes.empty() ? "" : ",") + part->description;
  }
  addMissingSteps(wanted, done, problems);
  const auto written =
      joined.complete(R"({"steps":")" + toString(wanted) + R"(","processes":[)" + processes + "]}");
  if (!written) {
    problems.push_back(written.error().message);
    return problems;
  }
  std::error_code ignored;
  for (const Slot member : members)
    std::filesystem::remove(trace::partFile(folder.path(), member), ignored);
  return problems;
}

}  // namespace sumac::cli
