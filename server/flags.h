#pragma once

#include <optional>
#include <string>
#include <variant>

#include "common/base/exit_code.h"
#include "common/log/log.h"

namespace sumac::server {

/// The command line and the environment.
struct Flags {
  std::string job_file;
  int index = 0;
  std::optional<int> workers;  // over the document's
  std::string coordinator;
  std::string listen;
  std::string attempt;
  std::string job_uid;
  std::string status_listen;
  std::string keys;
  int ready_fd = -1;
  int progress_fd = -1;
  std::string termination_file;
  LogLevel log_level = LogLevel::kInfo;
  std::string cpu;  // the best instruction set to use; empty for the machine's
};

/// The flags, or the status to exit with at once: help and version were printed, or what is wrong.
std::variant<Flags, ExitCode> parseFlags(int argc, char** argv);

}  // namespace sumac::server
