#include "cli/run/member_process.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/process/member_flags.h"
#include "base/process/spawn.h"
#include "cli/run/folder.h"
#include "cli/run/keys.h"

namespace sumac::cli {
namespace {

// How long members wait for a coordinator that is started again.
constexpr const char* kOrphanSeconds = "60";

constexpr int kReadyNumber = 3;
constexpr int kProgressNumber = 4;
constexpr int kLastWordsNumber = 5;
constexpr const char* kLastWordsPath = "/proc/self/fd/5";  // of the member

/// Our environment without what would change a member's flags.
std::map<std::string, std::string> membersEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == text.npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const char* const name : member_flags::kOwnedByRun)
    variables.erase(name);
  return variables;
}

/// Among all members, servers first.
int numberOf(const LocalJobOptions& options, Slot slot) {
  return slot.role == Role::kServer ? slot.index : options.servers + slot.index;
}

/// What members read: job.yaml, also when another document has taken its place since (attempt.h).
std::filesystem::path jobOf(const LocalJobOptions& options) {
  std::error_code ignored;
  const bool is_there = !options.job.empty() && std::filesystem::exists(options.job, ignored);
  return is_there ? options.job : RunFolder(options.folder).job();
}

/// Where a member listens; a later process of the coordinator where the others look for it.
std::string listenOf(const LocalJobOptions& options, const MemberStart& start) {
  if (start.is_coordinator && !start.coordinator.empty()) return start.coordinator;
  const std::string address =
      options.links == nullptr ? "127.0.0.1" : Links::addressOf(numberOf(options, start.slot));
  return "tcp://" + address + ":0";
}

using Setting = std::pair<Flag, std::string>;

/// The settings of a member: flags of our programs, variables of the user's.
std::vector<Setting> settingsFor(const LocalJobOptions& options, const MemberStart& start) {
  const Slot slot = start.slot;
  const RunFolder folder(options.folder);
  namespace flags = member_flags;
  std::vector<Setting> settings;
  const auto add = [&settings](const Flag& flag, const std::string& value) {
    settings.emplace_back(flag, value);
  };
  add(flags::kJob, jobOf(options).string());
  add(flags::kIndex, std::to_string(slot.index));
  const bool may_change = options.most_workers.has_value();
  if (may_change || slot.role == coordinatorOf(options.servers).role)
    add(flags::kListen, listenOf(options, start));
  if (start.is_coordinator) {
    add(flags::kReadyFd, std::to_string(kReadyNumber));
    add(flags::kProgressFd, std::to_string(kProgressNumber));
  } else {
    add(flags::kCoordinator, start.coordinator);
  }
  if (options.is_encrypted) add(flags::kKeys, RunKeys::folderOf(folder.keys(), slot).string());
  if (slot.role == Role::kWorker) {
    add(flags::kOutput, folder.path().string());
    add(flags::kTensorBoard, "true");
    add(flags::kCheckpoint, folder.checkpoints().string());
    const int sharing = std::max(options.sharing_workers, start.workers);
    if (options.shares_processors) add(flags::kLocalWorkers, std::to_string(sharing));
  }
  if (may_change) {
    add(flags::kElastic, "true");
    add(flags::kOrphanSeconds, kOrphanSeconds);
  }
  if (start.workers != options.workers) add(flags::kWorkers, std::to_string(start.workers));
  add(flags::kTerminationFile, kLastWordsPath);
  if (!options.trace.empty()) {
    add(flags::kTrace, options.trace);
    add(flags::kTraceDir, folder.path().string());
  }
  if (!options.log_level.empty()) add(flags::kLogLevel, options.log_level);
  if (!options.log_format.empty()) add(flags::kLogFormat, options.log_format);
  return settings;
}

/// A worker or server of ours.
void beOurProgram(const LocalJobOptions& options, const MemberStart& start, ChildProgram& child) {
  const bool is_server = start.slot.role == Role::kServer;
  child.program = options.programs / (is_server ? "sumac-server" : "sumac-worker");
  for (const auto& [flag, value] : settingsFor(options, start))
    child.arguments.insert(child.arguments.end(), {flag.name, value});
  if (is_server) return;
  child.arguments.insert(child.arguments.end(), options.worker_flags.begin(),
                         options.worker_flags.end());
}

/// A worker that is the user's program: its arguments are the user's.
void beUsersProgram(const LocalJobOptions& options, const MemberStart& start, ChildProgram& child) {
  child.program = options.program->file;
  child.arguments = options.program->arguments;
  for (const auto& [name, value] : options.program->variables)
    child.variables->insert_or_assign(name, value);
  for (const auto& [flag, value] : settingsFor(options, start))
    child.variables->insert_or_assign(flag.variable, value);
}

}  // namespace

Result<MemberProcess> startMember(const LocalJobOptions& options, const MemberStart& start) {
  const Slot slot = start.slot;
  const auto log = openToAppend(RunFolder(options.folder).log(slot));
  if (!log) return log.error();
  auto last_words = makeMemoryFile("sumac-last-words");
  if (!last_words) return last_words.error();
  ChildProgram child;
  child.descriptors = {{STDOUT_FILENO, log->get()},
                       {STDERR_FILENO, log->get()},
                       {kLastWordsNumber, last_words->get()}};
  child.variables = membersEnvironment();
  child.variables->insert_or_assign(member_flags::kJobTokenVariable, start.token);
  if (options.program && slot.role == Role::kWorker) {
    beUsersProgram(options, start, child);
  } else {
    beOurProgram(options, start, child);
  }
  child.dies_with_us = true;
  if (options.links != nullptr) child.network = options.links->namespaceOf(numberOf(options, slot));
  if (start.is_coordinator) {
    child.descriptors.emplace(kReadyNumber, start.ready);
    child.descriptors.emplace(kProgressNumber, start.progress);
  }
  const auto pid = startProgram(child);
  if (!pid) return pid.error();
  return MemberProcess{*pid, slot, *std::move(last_words)};
}

std::string lastWordsOf(const MemberProcess& process) {
  constexpr std::size_t kMost = 65'536;
  std::string text(kMost, '\0');
  const ssize_t got = ::pread(process.last_words.get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace sumac::cli
