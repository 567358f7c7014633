#pragma once

#include <filesystem>

#include "base/telemetry/metrics.h"

namespace sumac {

/// process_*: what every Prometheus client says of its own process, under the usual names. To be
/// updated by one thread at a time.
class ProcessMetrics {
 public:
  /// `metrics` outlives us. `proc`: where the kernel's files are.
  explicit ProcessMetrics(Metrics& metrics, std::filesystem::path proc = "/proc");

  /// Reads the kernel's files; a number that they do not have stays as it is.
  void update();

 private:
  std::filesystem::path proc_;
  Counter cpu_seconds_;
  Gauge resident_bytes_;
  Gauge virtual_bytes_;
  Gauge start_time_;
  Gauge open_fds_;
};

}  // namespace sumac
