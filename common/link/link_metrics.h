#pragma once

#include <string>
#include <vector>

#include "common/link/statistics.h"
#include "common/telemetry/metrics.h"

namespace sumac::link {

/// A link's statistics as metrics of a process, "sumac_<component>_sent_bytes_total" and so on
/// (docs/metrics.md). Owned by the thread that answers /metrics.
class LinkMetrics {
 public:
  /// `metrics` outlives us.
  LinkMetrics(Metrics& metrics, const std::string& component);

  void update(const Statistics& statistics);

 private:
  Counter sent_messages_;
  Counter sent_bytes_;
  Counter received_messages_;
  Counter received_bytes_;
  Counter dropped_messages_;
  Counter sequence_gaps_;
  Counter resent_messages_;
  Counter reopened_lanes_;
  Counter reconnects_;
  Counter refused_connections_;
  std::vector<Counter> rejected_messages_;  // by wire::Rejection
};

}  // namespace sumac::link
