#include "cli/run/member_process.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/process/member_flags.h"
#include "base/process/spawn.h"
#include "cli/run/folder.h"
#include "cli/run/keys.h"

namespace sumac::cli {
namespace {

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

std::vector<std::string> argumentsFor(const LocalJobOptions& options, const MemberStart& start) {
  const Slot slot = start.slot;
  const RunFolder folder(options.folder);
  namespace flags = member_flags;
  std::vector<std::string> arguments;
  const auto add = [&arguments](const Flag& flag, const std::string& value) {
    arguments.insert(arguments.end(), {flag.name, value});
  };
  add(flags::kJob, (options.job.empty() ? folder.job() : options.job).string());
  add(flags::kIndex, std::to_string(slot.index));
  const std::string address =
      options.links == nullptr ? "127.0.0.1" : Links::addressOf(numberOf(options, slot));
  if (slot.role == coordinatorOf(options.servers).role)
    add(flags::kListen, "tcp://" + address + ":0");
  if (start.is_coordinator) {
    add(flags::kReadyFd, std::to_string(kReadyNumber));
    add(flags::kProgressFd, std::to_string(kProgressNumber));
  } else {
    add(flags::kCoordinator, start.coordinator);
  }
  if (options.is_encrypted) add(flags::kKeys, RunKeys::folderOf(folder.keys(), slot).string());
  if (slot.role == Role::kWorker) {
    add(flags::kOutput, folder.path().string());
    add(flags::kCheckpoint, folder.checkpoints().string());
    if (options.shares_processors) add(flags::kLocalWorkers, std::to_string(options.workers));
    arguments.insert(arguments.end(), options.worker_flags.begin(), options.worker_flags.end());
  }
  add(flags::kTerminationFile, kLastWordsPath);
  if (!options.trace.empty()) {
    add(flags::kTrace, options.trace);
    add(flags::kTraceDir, folder.path().string());
  }
  if (!options.log_level.empty()) add(flags::kLogLevel, options.log_level);
  if (!options.log_format.empty()) add(flags::kLogFormat, options.log_format);
  return arguments;
}

}  // namespace

Result<MemberProcess> startMember(const LocalJobOptions& options, const MemberStart& start) {
  const Slot slot = start.slot;
  const auto log = openToAppend(RunFolder(options.folder).log(slot));
  if (!log) return log.error();
  auto last_words = makeMemoryFile("sumac-last-words");
  if (!last_words) return last_words.error();
  ChildProgram child;
  child.program = options.programs / (slot.role == Role::kServer ? "sumac-server" : "sumac-worker");
  child.arguments = argumentsFor(options, start);
  child.descriptors = {{STDOUT_FILENO, log->get()},
                       {STDERR_FILENO, log->get()},
                       {kLastWordsNumber, last_words->get()}};
  child.variables = membersEnvironment();
  child.variables->insert_or_assign(member_flags::kJobTokenVariable, start.token);
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
