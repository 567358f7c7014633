#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exchange/link/link.h"

namespace sumac {

/// A link that keeps what was sent, for a test to look at.
class RecordingLink final : public link::Link {
 public:
  struct Sent {
    link::Peer to;
    wire::Header header;
    Bytes payload;
  };

  void beginTerm(std::uint32_t term) override { terms.push_back(term); }
  void connect(link::Peer peer, const std::string& /*endpoint*/, Incarnation expected) override {
    connected.push_back(peer);
    expected_process[peer] = expected;
  }
  void await(link::Peer peer, Incarnation incarnation) override {
    awaited.push_back(peer);
    expected_process[peer] = incarnation;
  }
  void reconnect(link::Peer peer) override { reconnected.push_back(peer); }
  void close(link::Peer peer) override { closed.push_back(peer); }
  using link::Link::send;
  void send(link::Peer to, const wire::Header& header, const link::PayloadPtr& payload) override {
    const BytesView bytes = link::bytesOf(payload);
    sent.push_back({to, header, Bytes(bytes.begin(), bytes.end())});
    payloads.push_back(payload);
    answered.emplace_back();
    room -= std::min(room, bytes.size());
  }
  using link::Link::answer;
  void answer(const Member& to, const wire::Header& header,
              const link::PayloadPtr& payload) override {
    send(link::Peer{to.slot, link::Lane::kControl}, header, payload);
    answered.back() = to.incarnation;
  }
  bool hasRoom(link::Peer /*to*/, std::size_t size) const override {
    return !has_no_room && size <= room;
  }
  void withhold(link::Peer /*from*/) override { ++withheld; }
  void giveBack(link::Peer /*from*/, std::size_t size) override { given_back += size; }

  std::size_t count(wire::MessageType type) const {
    std::size_t n = 0;
    for (const Sent& message : sent) {
      n += message.header.type == type ? 1U : 0U;
    }
    return n;
  }

  std::vector<std::uint32_t> terms;
  std::vector<link::Peer> connected;
  std::vector<link::Peer> awaited;
  std::map<link::Peer, Incarnation> expected_process;  // by the last connect() or await()
  std::vector<link::Peer> reconnected;
  std::vector<link::Peer> closed;
  std::vector<Sent> sent;
  std::vector<link::PayloadPtr> payloads;            // of these
  std::vector<std::optional<Incarnation>> answered;  // to which process, where by answer()
  std::size_t room = std::numeric_limits<std::size_t>::max();
  bool has_no_room = false;  // not even for a message without payload
  int withheld = 0;
  std::size_t given_back = 0;
};

}  // namespace sumac
