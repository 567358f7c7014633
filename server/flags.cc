#include "server/flags.h"

#include <CLI/CLI.hpp>

#include "common/base/slot.h"
#include "common/base/termination_message.h"
#include "common/base/version.h"

namespace sumac::server {
namespace {

constexpr const char* kFooter =
    "A flag wins over the environment variable beside it, which wins over the default.\n\n"
    "Exit status: 0 job complete; 1 failed for good, 2 bad usage, 78 bad configuration\n"
    "(not retried); 75 lost its peers, 134 broken invariant, 143 asked to stop.";

void addRequired(CLI::App& app, Flags& flags) {
  app.add_option("--job", flags.job_file, "Job document, YAML or JSON")
      ->envname("SUMAC_JOB")
      ->type_name("FILE")
      ->required();
  app.add_option("--index", flags.index, "This server, from 0; server 0 coordinates the job")
      ->envname("SUMAC_INDEX")
      ->type_name("N")
      ->check(CLI::Range(0, kLargestIndex))
      ->required();
}

void addConnections(CLI::App& app, Flags& flags) {
  app.add_option("--coordinator", flags.coordinator, "Where server 0 listens; not for server 0")
      ->envname("SUMAC_COORDINATOR")
      ->type_name("ENDPOINT");
  app.add_option("--listen", flags.listen, "Where others connect; port 0 picks one")
      ->envname("SUMAC_LISTEN")
      ->type_name("ENDPOINT")
      ->capture_default_str();
  app.add_option("--attempt", flags.attempt, "Which start of the job this is")
      ->envname("SUMAC_ATTEMPT")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--workers", flags.workers, "Workers of this attempt, over the document's")
      ->envname("SUMAC_WORKERS")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_option("--job-uid", flags.job_uid, "The TrainingJob's uid, as /progress tells it")
      ->envname("SUMAC_JOB_UID")
      ->type_name("UID");
  app.add_option("--status-listen", flags.status_listen,
                 "Address in numbers for /healthz, /readyz, /metrics and /progress over HTTP; port "
                 "0 picks one (none: no HTTP)")
      ->envname("SUMAC_STATUS_LISTEN")
      ->type_name("HOST:PORT");
  app.add_option("--keys", flags.keys, "Folder with this server's files private and public")
      ->envname("SUMAC_KEYS")
      ->type_name("FOLDER");
}

void addReports(CLI::App& app, Flags& flags, std::string& level) {
  app.add_option("--ready-fd", flags.ready_fd, "Gets the endpoint as a line, when it listens")
      ->envname("SUMAC_READY_FD")
      ->type_name("N");
  app.add_option("--progress-fd", flags.progress_fd, "Gets progress as JSON lines")
      ->envname("SUMAC_PROGRESS_FD")
      ->type_name("N");
  app.add_option("--termination-file", flags.termination_file,
                 "Gets the result or the cause of the end, at most 1,024 bytes")
      ->envname("SUMAC_TERMINATION_FILE")
      ->type_name("FILE");
  app.add_option("--log-level", level, "debug, info, warn or error")
      ->envname("SUMAC_LOG_LEVEL")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app.add_option("--cpu", flags.cpu, "Best instruction set to use: baseline, avx2 or avx512")
      ->envname("SUMAC_CPU")
      ->type_name("NAME");
}

}  // namespace

std::variant<Flags, ExitCode> parseFlags(int argc, char** argv) {
  Flags flags;
  flags.listen = "tcp://127.0.0.1:0";
  flags.attempt = "0";
  std::string level = "info";
  CLI::App app("Sums the ranges of the gradient that it owns; server 0 coordinates the job.",
               "sumac-server");
  app.set_version_flag("--version", std::string("sumac-server ") + kVersion);
  app.footer(kFooter);
  addRequired(app, flags);
  addConnections(app, flags);
  addReports(app, flags, level);
  try {
    app.parse(argc, argv);
    if ((flags.index == 0) != flags.coordinator.empty()) {
      throw CLI::ValidationError("--coordinator",
                                 "is needed by all servers but server 0, and only by them");
    }
  } catch (const CLI::ParseError& stop) {
    const bool is_done = app.exit(stop) == 0;
    if (!is_done) writeUsageTermination(flags.termination_file, stop.what());
    return is_done ? ExitCode::kDone : ExitCode::kUsage;
  }
  flags.log_level = logLevelFromName(level).value();
  return flags;
}

}  // namespace sumac::server
