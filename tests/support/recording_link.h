#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/link/link.h"

namespace sumac {

/// A link that keeps what was sent, for a test to look at.
class RecordingLink final : public link::Link {
 public:
  struct Sent {
    link::Peer to;
    wire::Header header;
    Bytes payload;
  };

  void connect(link::Peer peer, const std::string& /*endpoint*/) override {
    connected.push_back(peer);
  }
  void reconnect(link::Peer peer) override { reconnected.push_back(peer); }
  void send(link::Peer to, const wire::Header& header, BytesView payload) override {
    sent.push_back({to, header, Bytes(payload.begin(), payload.end())});
  }

  std::size_t count(wire::MessageType type) const {
    std::size_t n = 0;
    for (const Sent& message : sent) {
      n += message.header.type == type ? 1U : 0U;
    }
    return n;
  }

  std::vector<link::Peer> connected;
  std::vector<link::Peer> reconnected;
  std::vector<Sent> sent;
};

}  // namespace sumac
