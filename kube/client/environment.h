#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/core/clock.h"
#include "base/core/wall_time.h"

namespace sumac::kube {

/// What finding and reaching a cluster takes from the process and its machine, as a parameter:
/// tests make their own.
struct Environment {
  std::map<std::string, std::string> variables;  // exec plugins inherit all of them
  std::filesystem::path home;                    // the folder of .kube/config; empty: none
  std::filesystem::path service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
  bool is_interactive = false;  // a person sits at standard input
  std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();
  std::shared_ptr<const WallClock> wall_clock = std::make_shared<SystemWallClock>();

  /// This process's variables, home and terminal. Not safe while a thread changes variables.
  static Environment ofProcess();

  /// The variable's value; empty where there is none.
  std::string variable(const std::string& name) const;
};

}  // namespace sumac::kube
