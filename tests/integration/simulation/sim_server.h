#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/session/session.h"
#include "tests/integration/simulation/sim_options.h"

namespace sumac {

/// One server's process, or the server in a worker's process.
class SimServer final : public server::Listener, public link::Handler {
 public:
  using OnEnd = std::function<void(Slot, const SimEnd&)>;

  /// The references outlive us. `onEnd` is called when the process exits.
  SimServer(int index, const SimOptions& options, SimNetwork& network, OnEnd onEnd);
  /// In the process of the worker `self`; `onEnd` is called where it coordinates.
  SimServer(const Member& self, const SimOptions& options, SimNetwork& network, link::Link& link,
            OnEnd onEnd);

  void start();
  server::Session& session() { return *session_; }
  /// What it has told, where it is the coordinator.
  const std::vector<std::string>& progress() const { return progress_; }
  std::uint32_t highestGeneration() const { return generation_; }

  void onMessage(link::Peer from, const wire::Header& header,
                 const link::PayloadPtr& payload) override;
  void onPeerUp(link::Peer peer) override { session_->onPeerUp(peer); }
  void onPeerDown(link::Peer peer, const std::string& why) override {
    session_->onPeerDown(peer, why);
  }
  void onRoom(link::Peer peer) override { session_->onRoom(peer); }
  void onSuspected(link::Peer peer, const std::string& why) override {
    session_->onSuspected(peer, why);
  }
  void onProgress(const std::string& json) override { progress_.push_back(json); }
  void onEnd(ExitCode code, const std::string& reason) override { on_end_(slot_, {code, reason}); }

 private:
  void open(const Member& self, const SimOptions& options, link::Link& link);

  SimNetwork& network_;  // outlives us
  OnEnd on_end_;
  Slot slot_;
  bool is_resident_ = false;
  std::unique_ptr<server::Session> session_;
  SimOrder order_;
  std::vector<std::string> progress_;
  std::uint32_t generation_ = 0;
};

}  // namespace sumac
