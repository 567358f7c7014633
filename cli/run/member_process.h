#pragma once

#include <string>

#include <sys/types.h>

#include "base/core/descriptor.h"
#include "base/core/result.h"
#include "base/core/slot.h"
#include "cli/run/local_job.h"

namespace sumac::cli {

/// What one member is started with, besides what all members of a run share.
struct MemberStart {
  Slot slot;
  bool is_coordinator = false;
  std::string coordinator;  // its endpoint; for the coordinator itself that of the process before
  int workers = 1;          // that are wanted
  std::string token;        // with it the members of a run know each other
  int ready = -1;           // where the coordinator writes its endpoint
  int progress = -1;        // where it writes events
};

/// A member that runs, and where it writes why it ends: into memory, as the disk may be what fails.
struct MemberProcess {
  pid_t pid = 0;
  Slot slot;
  Descriptor last_words;
};

/// Starts a member of the run; its log is appended to. Fails, naming the file or the program, where
/// it cannot be started.
Result<MemberProcess> startMember(const LocalJobOptions& options, const MemberStart& start);

/// What a member has written about its end; empty if nothing.
std::string lastWordsOf(const MemberProcess& process);

}  // namespace sumac::cli
