#pragma once

#include <optional>
#include <string>

#include "common/base/exit_code.h"

namespace sumac::worker {

/// The command line of sumac-worker.
struct ProcessOptions {
  std::string job_file;
  int index = -1;
  std::string coordinator;
  std::string attempt = "0";
  std::optional<int> workers;  // over the document's
  int local_workers = 1;       // of the job on this machine, which share its processors
  std::string keys_folder;
  std::string output_folder;
  std::string checkpoint_folder;
  std::string data_folder;
  std::string termination_file;
  std::string cpu_limit;
  std::string log_level = "info";
  std::string status_listen;  // HOST:PORT for health and metrics; empty: none
};

/// One worker's process, from reading the job to its exit status: the thread root, which logs what
/// went wrong and writes the termination message. Call it once, before any other thread exists: it
/// takes over SIGTERM and SIGINT.
ExitCode runProcess(const ProcessOptions& options);

}  // namespace sumac::worker
