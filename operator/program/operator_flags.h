#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "base/core/exit_code.h"
#include "base/process/log_flags.h"

namespace sumac::program {

/// The command line of sumac-operator; environment variables give the defaults of some flags. Each
/// value is checked by itself; files are read later.
struct OperatorFlags {
  std::string name_space;  // to watch; empty: all

  std::string kubeconfig;
  std::string context;

  bool leader_elect = true;
  std::string lease_namespace;  // empty: the namespace of the service account or context
  std::string lease_name = "sumac-operator";
  std::chrono::seconds lease_duration{15};
  std::chrono::seconds renew_deadline{10};
  std::chrono::seconds retry_period{2};

  double qps = 50;
  int burst = 100;
  int max_concurrent_reconciles = 4;
  int in_flight = 16;

  std::string health_listen = ":8081";
  LogFlags log;

  std::string worker_image;
  std::string server_image;
  std::string image_pull_policy;
  std::string worker_template_file;
  std::string server_template_file;
  std::string metrics_namespace;
};

/// The flags, or the exit code if the process should exit at once: after it printed the help, the
/// version or an error.
std::variant<OperatorFlags, ExitCode> parseOperatorFlags(int argc, const char* const* argv);

}  // namespace sumac::program
