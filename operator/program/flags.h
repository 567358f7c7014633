#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "common/base/exit_code.h"
#include "common/log/log.h"

namespace sumac {

/// The command line of sumac-operator, with the environment below it. Checked where a flag alone
/// shows that it cannot work; files are read later.
struct OperatorFlags {
  std::string name_space;  // watched; empty: all

  std::string kubeconfig;
  std::string context;

  bool leader_elect = true;
  std::string lease_namespace;  // empty: that of the service account or context
  std::string lease_name = "sumac-operator";
  std::chrono::seconds lease_duration{15};
  std::chrono::seconds renew_deadline{10};
  std::chrono::seconds retry_period{2};

  double qps = 50;
  int burst = 100;
  int workers = 4;
  int in_flight = 16;

  std::string health_listen = ":8081";
  LogLevel log_level = LogLevel::kInfo;

  std::string worker_image;
  std::string server_image;
  std::string image_pull_policy;
  std::string worker_template_file;
  std::string server_template_file;
  std::string metrics_namespace;
};

/// The flags, or the status to exit with at once: help and version were printed, or what is wrong.
std::variant<OperatorFlags, ExitCode> parseOperatorFlags(int argc, const char* const* argv);

}  // namespace sumac
