#include "base/process/exit_code_help.h"

namespace sumac {
namespace {

std::string_view meaningOf(ExitCode code) {
  switch (code) {
    case ExitCode::kDone: return "done";
    case ExitCode::kFailed: return "failed; starting again does not help before the cause is fixed";
    case ExitCode::kUsage: return "invalid command line";
    case ExitCode::kResourceFailed:
      return "storage or memory of the machine failed; start again from the newest checkpoint";
    case ExitCode::kLostPeers:
      return "another member was lost; start again from the newest checkpoint";
    case ExitCode::kBadConfiguration: return "the job or the configuration cannot be run";
    case ExitCode::kInterrupted: return "stopped by Ctrl-C";
    case ExitCode::kBrokenInvariant: return "a bug in Sumac; please report the message";
    case ExitCode::kStopped: return "stopped by SIGTERM";
  }
  return {};
}

}  // namespace

std::string exitCodeHelp(std::initializer_list<ExitCodeNote> notes) {
  constexpr std::size_t kWidth = 5;
  std::string help = "Exit codes:";
  for (const ExitCodeNote& note : notes) {
    const std::string number = std::to_string(toInt(note.code));
    help += '\n';
    help.append(kWidth - number.size(), ' ');
    help += number;
    help += "  ";
    help += note.text.empty() ? meaningOf(note.code) : note.text;
  }
  return help;
}

std::string memberExitCodeHelp() {
  return exitCodeHelp({{ExitCode::kDone, "the job is complete"},
                       ExitCode::kFailed,
                       ExitCode::kUsage,
                       ExitCode::kResourceFailed,
                       ExitCode::kLostPeers,
                       ExitCode::kBadConfiguration,
                       ExitCode::kBrokenInvariant,
                       ExitCode::kStopped});
}

}  // namespace sumac
