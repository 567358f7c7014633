#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/telemetry/metrics.h"
#include "exchange/link/statistics.h"

namespace sumac::link {

/// The data lane to one peer as metrics with the label `peer`; a handle.
class PeerMetrics {
 public:
  /// `metrics` outlives us.
  PeerMetrics(Metrics& metrics, const std::string& component, const std::string& peer);

  void update(const PeerStatistics& statistics);

 private:
  Counter sent_bytes_;
  Counter received_bytes_;
  Counter credit_stall_;
  Counter reopened_lanes_;
  Gauge queued_messages_;
};

/// A link's statistics as metrics of a process, "sumac_<component>_sent_bytes_total" and so on
/// (docs/metrics.md). Owned by the thread that answers /metrics.
class LinkMetrics {
 public:
  /// So many peers have metrics of their own, the first that there were; those of all others are
  /// added up as "other": a scraper keeps every series for weeks.
  static constexpr std::size_t kMostPeers = 64;

  /// `metrics` outlives us.
  LinkMetrics(Metrics& metrics, const std::string& component);

  void update(const Statistics& statistics);

 private:
  void updatePeers(const std::vector<PeerStatistics>& peers);

  Metrics& metrics_;  // outlives us
  const std::string component_;
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
  std::map<Slot, PeerMetrics> peers_;
  std::optional<PeerMetrics> others_;
};

}  // namespace sumac::link
