#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "exchange/link/link.h"

namespace sumac {

/// What a process tells itself, in the order of telling.
class OwnMessages {
 public:
  enum class Part : std::uint8_t { kMembership, kCoordinator };
  struct Message {
    Part to = Part::kMembership;  // of a control message; the type of any other says it
    link::Lane lane = link::Lane::kControl;
    bool is_up = false;  // no message: the lane is there
    wire::Header header{};
    link::PayloadPtr payload = nullptr;
  };

  void push(Message message) { waiting_.push_back(std::move(message)); }
  /// The next one; none: there is none.
  std::optional<Message> take() {
    if (waiting_.empty()) return std::nullopt;
    Message next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

 private:
  std::deque<Message> waiting_;
};

/// The link as a part of a member has it: what is for the member's own slot goes to `own`, with
/// neither checksum nor credit, as the steps that a worker may have open bound it. Everything else
/// goes to the link below, an answer to another process of the own slot too.
class OwnLink final : public link::Link {
 public:
  using Part = OwnMessages::Part;

  /// `receiver`: of control messages. The references outlive us.
  OwnLink(const Member& self, Part receiver, OwnMessages& own, link::Link& below)
      : self_(self), receiver_(receiver), own_(&own), below_(&below) {}

  void beginTerm(std::uint32_t term) override { below_->beginTerm(term); }
  void connect(link::Peer peer, const std::string& endpoint, Incarnation expected) override {
    if (isOurs(peer)) return reconnect(peer);
    below_->connect(peer, endpoint, expected);
  }
  void await(link::Peer peer, Incarnation incarnation) override {
    if (!isOurs(peer)) below_->await(peer, incarnation);
  }
  void reconnect(link::Peer peer) override {
    if (!isOurs(peer)) return below_->reconnect(peer);
    own_->push({.lane = peer.lane, .is_up = true});
  }
  void close(link::Peer peer) override {
    if (!isOurs(peer)) below_->close(peer);
  }
  using Link::answer;
  using Link::send;
  void send(link::Peer to, const wire::Header& header, const link::PayloadPtr& payload) override {
    if (!isOurs(to)) return below_->send(to, header, payload);
    own_->push({receiver_, to.lane, /*is_up=*/false, header, payload});
  }
  void answer(const Member& to, const wire::Header& header,
              const link::PayloadPtr& payload) override {
    if (to != self_) return below_->answer(to, header, payload);
    send(link::Peer{to.slot, link::Lane::kControl}, header, payload);
  }
  bool hasRoom(link::Peer to, std::size_t size) const override {
    return isOurs(to) || below_->hasRoom(to, size);
  }
  void withhold(link::Peer from) override {
    if (!isOurs(from)) below_->withhold(from);
  }
  void giveBack(link::Peer from, std::size_t size) override {
    if (!isOurs(from)) below_->giveBack(from, size);
  }

 private:
  bool isOurs(link::Peer peer) const { return peer.slot == self_.slot; }

  Member self_;
  Part receiver_;
  OwnMessages* own_;
  link::Link* below_;
};

}  // namespace sumac
