#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "kube/client/environment.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"

namespace sumac::kube {

/// A time of day that stands still until a test moves it.
class ManualWallClock final : public WallClock {
 public:
  WallTime now() const override { return now_; }
  void set(WallTime now) { now_ = now; }

 private:
  WallTime now_{};
};

/// A machine with a home folder, a service account and clocks of its own.
class TestEnvironment {
 public:
  TestEnvironment() {
    environment.home = folder / "home";
    environment.service_account = folder / "account";
    environment.clock = clock;
    environment.wall_clock = wall_clock;
    std::filesystem::create_directories(environment.home / ".kube");
    std::filesystem::create_directories(environment.service_account);
  }

  /// Writes a file below the folder and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view text) const {
    auto path = folder / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  void beInCluster() {
    environment.variables["KUBERNETES_SERVICE_HOST"] = "10.96.0.1";
    environment.variables["KUBERNETES_SERVICE_PORT"] = "443";
    write("account/token", "account-token\n");
    write("account/ca.crt", "-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n");
    write("account/namespace", "training\n");
  }

  TemporaryFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  std::shared_ptr<ManualWallClock> wall_clock = std::make_shared<ManualWallClock>();
  Environment environment;
};

}  // namespace sumac::kube
