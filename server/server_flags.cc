#include "server/server_flags.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "base/core/slot.h"
#include "base/core/version.h"
#include "base/process/exit_code_help.h"
#include "base/process/help_format.h"
#include "base/process/member_flags.h"
#include "base/process/termination_message.h"
#include "base/process/usage.h"

namespace sumac::server {
namespace {

void addRequired(CLI::App& app, ServerFlags& flags) {
  addFlag(app, member_flags::kJob, flags.job_file)->required();
  addFlag(app, member_flags::kIndex, flags.index)->check(CLI::Range(0, kLargestIndex))->required();
}

void addConnections(CLI::App& app, ServerFlags& flags) {
  addFlag(app, member_flags::kCoordinator, flags.coordinator)
      ->description(std::string(member_flags::kCoordinator.help) + "; not for server 0");
  addFlag(app, member_flags::kListen, flags.listen)->capture_default_str();
  addFlag(app, member_flags::kAttempt, flags.attempt)->capture_default_str();
  addFlag(app, member_flags::kWorkers, flags.workers)->check(CLI::Range(1, kLargestIndex + 1));
  addFlag(app, member_flags::kElastic, flags.is_elastic);
  addFlag(app, member_flags::kOrphanSeconds, flags.orphan_seconds)
      ->capture_default_str()
      ->check(CLI::Range(1, member_flags::kMostOrphanSeconds));
  addFlag(app, member_flags::kFlappingSeconds, flags.flapping_seconds)
      ->capture_default_str()
      ->check(CLI::Range(0, member_flags::kMostFlappingSeconds));
  addFlag(app, member_flags::kJobUid, flags.job_uid);
  addFlag(app, member_flags::kStatusListen, flags.status_listen);
  addFlag(app, member_flags::kKeys, flags.keys);
}

void addReports(CLI::App& app, ServerFlags& flags) {
  addFlag(app, member_flags::kReadyFd, flags.ready_fd);
  addFlag(app, member_flags::kProgressFd, flags.progress_fd);
  addFlag(app, member_flags::kTerminationFile, flags.termination_file);
  addLogFlags(app, member_flags::kLogLevel, member_flags::kLogFormat, flags.log);
  addFlag(app, member_flags::kTrace, flags.trace.steps)->check(trace::checkStepRange);
  addFlag(app, member_flags::kTraceDir, flags.trace.folder);
  addFlag(app, member_flags::kKernels, flags.kernels);
}

}  // namespace

std::variant<ServerFlags, ExitCode> parseFlags(int argc, char** argv) {
  ServerFlags flags;
  flags.listen = "tcp://127.0.0.1:0";
  flags.attempt = "0";
  CLI::App app("Sums the ranges of the gradient that it owns; server 0 coordinates the job.",
               "sumac-server");
  app.formatter(std::make_shared<HelpFormat>());
  app.set_version_flag("--version", std::string("sumac-server ") + kVersion, "Print the version");
  app.footer("A flag wins over its environment variable, which wins over the default.\n\n" +
             memberExitCodeHelp());
  addRequired(app, flags);
  addConnections(app, flags);
  addReports(app, flags);
  try {
    app.parse(argc, argv);
    if ((flags.index == 0) != flags.coordinator.empty()) {
      throw CLI::ValidationError(
          "--coordinator", "is required for every server except server 0, which must not have it");
    }
  } catch (const CLI::ParseError& stop) {
    const ExitCode code = endOfUsage(app, stop);
    if (code == ExitCode::kUsage)
      writeUsageTermination(flags.termination_file, usageText(app, stop));
    return code;
  }
  return flags;
}

}  // namespace sumac::server
