#pragma once

#include <deque>

#include "common/link/link.h"

namespace sumac::link {

/// The link of a process that is a worker and sums ranges, too: two state machines on one link.
/// Messages from outside go to the one that they are meant for; what one of the two sends to the
/// process's own slot is handed to the other.
///
/// The coordinator, where it is in this process, belongs to the half that sums. Owned by one
/// thread.
class SharedLink final : public Handler {
 public:
  /// `self` is the process's slot, a worker; `coordinator` that of the process that coordinates.
  /// `below` outlives us.
  SharedLink(Slot self, Slot coordinator, Link& below);
  SharedLink(const SharedLink&) = delete;  // its ports refer to it
  SharedLink& operator=(const SharedLink&) = delete;

  Link& forWorker() { return worker_port_; }
  Link& forSums() { return sums_port_; }

  /// Both outlive us. Call before the first event.
  void deliverTo(Handler& worker, Handler& sums);

  /// Hands over what the two have sent each other. Call after each call of one of them that did not
  /// come from here.
  void settle();

  void onMessage(Peer from, const wire::Header& header, const PayloadPtr& payload) override;
  void onPeerUp(Peer peer) override;
  void onPeerDown(Peer peer, const std::string& why) override;
  void onRoom(Peer peer) override;
  void onSuspected(Peer peer, const std::string& why) override;

 private:
  /// What one of the two sees of the link.
  class Port final : public Link {
   public:
    Port(SharedLink& shared, bool is_worker) : shared_(&shared), is_worker_(is_worker) {}

    void connect(Peer peer, const std::string& endpoint) override;
    void await(Peer peer, Incarnation incarnation) override;
    void reconnect(Peer peer) override;
    using Link::send;
    void send(Peer to, const wire::Header& header, const PayloadPtr& payload) override;
    bool hasRoom(Peer to, std::size_t size) const override;
    void withhold(Peer from) override;
    void giveBack(Peer from, std::size_t size) override;

   private:
    bool isOurs(Peer peer) const { return peer.slot == shared_->self_; }

    SharedLink* shared_;
    bool is_worker_;
  };
  /// A message, or the news that the lane to the other half is there.
  struct Handed {
    bool to_worker = false;
    bool is_news = false;
    Peer peer;
    wire::Header header;
    PayloadPtr payload;
  };

  Slot self_;
  Slot coordinator_;
  Link* below_;
  Port worker_port_;
  Port sums_port_;
  Handler* worker_ = nullptr;
  Handler* sums_ = nullptr;
  std::deque<Handed> handed_;
  bool is_settling_ = false;
};

}  // namespace sumac::link
