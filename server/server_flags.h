#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/core/exit_code.h"
#include "base/process/log_flags.h"
#include "base/trace/part_writer.h"

namespace sumac::server {

/// The command line of sumac-server, with the environment below it.
struct ServerFlags {
  std::string job_file;
  int index = 0;
  std::optional<int> workers;  // instead of the document's
  bool is_elastic = false;     // members may change, where the job allows it
  int orphan_seconds = 300;    // then it waits so long for another coordinator
  int flapping_seconds = 60;   // then a slot that is lost again and again waits so long
  std::string coordinator;
  std::string listen;
  std::string attempt;
  std::string job_uid;
  std::string status_listen;
  std::string keys;
  int ready_fd = -1;
  int progress_fd = -1;
  std::string termination_file;
  LogFlags log;
  trace::TraceOptions trace;
  std::string kernels;  // the best instruction set to use; empty: the machine's best
};

/// The flags, or the code to exit with at once, after help, the version or an error was printed.
std::variant<ServerFlags, ExitCode> parseFlags(int argc, char** argv);

}  // namespace sumac::server
