#include "exchange/link/link_metrics.h"

#include <algorithm>

namespace sumac::link {
namespace {

/// "frame count" as a label's value: frame_count.
std::string labelOf(wire::Rejection reason) {
  std::string text(wire::toString(reason));
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

/// "worker-1", as pods and files are called.
std::string labelOf(Slot peer) {
  return std::string(toString(peer.role)) + "-" + std::to_string(peer.index);
}

std::string peerMetric(const std::string& component, const std::string& noun) {
  return "sumac_" + component + "_peer_" + noun;
}

}  // namespace

PeerMetrics::PeerMetrics(Metrics& metrics, const std::string& component, const std::string& peer)
    : sent_bytes_(metrics.counter(peerMetric(component, "sent_bytes_total"),
                                  "Bytes sent to the peer on the data lane.", {{"peer", peer}})),
      received_bytes_(metrics.counter(peerMetric(component, "received_bytes_total"),
                                      "Bytes received from the peer on the data lane.",
                                      {{"peer", peer}})),
      credit_stall_(metrics.counter(peerMetric(component, "credit_stall_seconds_total"),
                                    "Time in which something for the peer waited for credit.",
                                    {{"peer", peer}})),
      reopened_lanes_(metrics.counter(peerMetric(component, "reopened_lanes_total"),
                                      "Connections to the peer given up for another.",
                                      {{"peer", peer}})),
      queued_messages_(metrics.gauge(peerMetric(component, "queued_messages"),
                                     "Messages that the peer has not acknowledged.",
                                     {{"peer", peer}})) {}

void PeerMetrics::update(const PeerStatistics& statistics) {
  sent_bytes_.advanceTo(static_cast<double>(statistics.bytes_sent));
  received_bytes_.advanceTo(static_cast<double>(statistics.bytes_received));
  credit_stall_.advanceTo(std::chrono::duration<double>(statistics.credit_stall).count());
  reopened_lanes_.advanceTo(static_cast<double>(statistics.reopened));
  queued_messages_.set(static_cast<double>(statistics.queued));
}

LinkMetrics::LinkMetrics(Metrics& metrics, const std::string& component)
    : metrics_(metrics),
      component_(component),
      sent_messages_(metrics.counter("sumac_" + component + "_sent_messages_total",
                                     "Messages sent to other members.")),
      sent_bytes_(metrics.counter("sumac_" + component + "_sent_bytes_total",
                                  "Bytes of headers and payloads sent to other members.")),
      received_messages_(metrics.counter("sumac_" + component + "_received_messages_total",
                                         "Messages accepted from other members.")),
      received_bytes_(
          metrics.counter("sumac_" + component + "_received_bytes_total",
                          "Bytes of headers and payloads accepted from other members.")),
      dropped_messages_(metrics.counter("sumac_" + component + "_dropped_messages_total",
                                        "Messages for members without a connection.")),
      sequence_gaps_(metrics.counter("sumac_" + component + "_sequence_gaps_total",
                                     "Times that a message of a lane was missing.")),
      resent_messages_(metrics.counter("sumac_" + component + "_resent_messages_total",
                                       "Messages sent again on another connection.")),
      reopened_lanes_(
          metrics.counter("sumac_" + component + "_reopened_lanes_total",
                          "Connections given up for another after something was lost.")),
      reconnects_(metrics.counter("sumac_" + component + "_reconnects_total",
                                  "Connections to other members that broke and were restored.")),
      refused_connections_(metrics.counter(
          "sumac_" + component + "_refused_connections_total",
          "Connections refused for a missing or unknown key, or a failed handshake.")) {
  for (std::size_t i = 0; i < wire::kRejections; ++i) {
    rejected_messages_.push_back(
        metrics.counter("sumac_" + component + "_rejected_messages_total",
                        "Messages rejected: malformed, of another job or in another member's name.",
                        {{"reason", labelOf(static_cast<wire::Rejection>(i))}}));
  }
}

void LinkMetrics::update(const Statistics& statistics) {
  const auto advance = [](Counter& counter, std::uint64_t total) {
    counter.advanceTo(static_cast<double>(total));
  };
  advance(sent_messages_, statistics.messages_sent);
  advance(sent_bytes_, statistics.bytes_sent);
  advance(received_messages_, statistics.messages_received);
  advance(received_bytes_, statistics.bytes_received);
  advance(dropped_messages_, statistics.dropped);
  advance(sequence_gaps_, statistics.gaps);
  advance(resent_messages_, statistics.resent);
  advance(reopened_lanes_, statistics.reopened);
  advance(reconnects_, statistics.reconnects);
  advance(refused_connections_, statistics.strangers);
  for (std::size_t i = 0; i < rejected_messages_.size(); ++i)
    advance(rejected_messages_[i], statistics.rejected.at(i));
  updatePeers(statistics.peers);
}

void LinkMetrics::updatePeers(const std::vector<PeerStatistics>& peers) {
  PeerStatistics others;
  bool has_others = false;
  for (const PeerStatistics& one : peers) {
    auto found = peers_.find(one.peer);
    if (found == peers_.end() && peers_.size() < kMostPeers) {
      const PeerMetrics made(metrics_, component_, labelOf(one.peer));
      found = peers_.emplace(one.peer, made).first;
    }
    if (found != peers_.end()) {
      found->second.update(one);
      continue;
    }
    has_others = true;
    others.add(one);
  }
  if (!has_others) return;
  if (!others_) others_.emplace(metrics_, component_, "other");
  others_->update(others);
}

}  // namespace sumac::link
