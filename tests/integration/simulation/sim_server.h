#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exchange/member/job_member.h"
#include "tests/integration/simulation/sim_options.h"
#include "tests/integration/simulation/sim_watch.h"

namespace sumac {

/// What the processes of a job share, and those who look at it; outlives them.
struct SimGround {
  const SimOptions& options;
  SimNetwork& network;
  SimFiles& files;
  SimWatch& watch;
  int workers = 1;  // that the job is to have as the process starts: a founder waits for them
};

/// One server's process.
class SimServer final : public MemberListener, public link::Handler {
 public:
  using OnEnd = std::function<void(const Member&, const SimEnd&)>;

  /// `onEnd` is called when the process exits.
  SimServer(const Member& self, const SimGround& ground, OnEnd onEnd);

  void start();
  JobMember& member() { return *member_; }
  /// What it has told, where it is the coordinator.
  const std::vector<std::string>& progress() const { return progress_; }

  void onMessage(link::Peer from, const wire::Header& header,
                 const link::PayloadPtr& payload) override;
  void onPeerUp(link::Peer peer) override { member_->onPeerUp(peer); }
  void onPeerDown(link::Peer peer, const std::string& why) override {
    member_->onPeerDown(peer, why);
  }
  void onRoom(link::Peer peer) override { member_->onRoom(peer); }
  void onSuspected(link::Peer peer, const std::string& why) override {
    member_->onSuspected(peer, why);
  }
  void onProgress(const std::string& json) override {
    progress_.push_back(json);
    watch_.onTold(json);
  }
  void onJobOver(ExitCode code, const std::string& reason) override {
    on_end_(self_, {code, reason});
  }

 private:
  SimNetwork& network_;  // outlives us
  SimWatch& watch_;      // outlives us
  OnEnd on_end_;
  Member self_;
  std::unique_ptr<JobMember> member_;
  SimOrder order_;
  std::vector<std::string> progress_;
};

/// The roles of a member that sums: that and, in the coordinator's process, coordinating.
void addSums(Roles& roles, Slot self, const SimGround& ground, MemberListener& listener);
/// Throws when somebody reads a contribution after its time.
void checkPush(const wire::Header& header, const link::PayloadPtr& payload);

}  // namespace sumac
