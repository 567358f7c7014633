#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exchange/client/inbox.h"
#include "exchange/course/training_course.h"
#include "tests/integration/simulation/sim_options.h"
#include "tests/integration/simulation/sim_server.h"
#include "tests/integration/simulation/sim_watch.h"

namespace sumac {

/// One worker's process: the member of production and, in place of the trainer's thread, its
/// course (exchange/course/training_course.h) with gradients that cost nothing. What a thread would
/// do takes a time drawn by the seed, so that the member's events come at any point of it.
class SimWorker final : public Trainer, public MemberListener, public link::Handler {
 public:
  using OnEnd = std::function<void(const Member&, const SimEnd&)>;

  /// `onEnd` is called when the process exits.
  SimWorker(const Member& self, const SimGround& ground, OnEnd onEnd);

  void start();
  /// The process receives SIGTERM.
  void leave();
  JobMember& member() { return *member_; }
  /// What it has told, where it is the coordinator.
  const std::vector<std::string>& progress() const { return progress_; }
  const std::vector<float>& weights() const { return state_.weights; }
  Step done() const { return done_; }
  const std::optional<MethodChoice>& choice() const { return choice_; }

 private:
  void onMessage(link::Peer from, const wire::Header& header,
                 const link::PayloadPtr& payload) override {
    order_.take(from, header);
    checkPush(header, payload);
    member_->onMessage(from, header, payload);
    look();
  }
  void onPeerUp(link::Peer peer) override { member_->onPeerUp(peer); }
  void onPeerDown(link::Peer peer, const std::string& why) override {
    member_->onPeerDown(peer, why);
  }
  void onRoom(link::Peer peer) override { member_->onRoom(peer); }
  void onSuspected(link::Peer peer, const std::string& why) override {
    watch_.onSuspected(self_, peer.slot, inbox_.start()->roster);
    member_->onSuspected(peer, why);
  }
  void onStart(const Roster& roster, TreeNode block) override;
  void onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) override;
  void onSum(Step step, std::span<const float> sum) override;
  void onStop(const StopOrder& order) override;
  void onState(StateArrival arrival) override;
  void onWeightsAgreed(Step step) override;
  void onEnd(ExitCode code, const std::string& reason) override;

  void onProgress(const std::string& json) override {
    progress_.push_back(json);
    watch_.onTold(json);
  }
  void onJobOver(ExitCode /*code*/, const std::string& /*reason*/) override { endIfOver(); }

  MemberIdentity identityOf(const Member& self) const;
  void tick();
  /// Something came: wakes the trainer where it waited for that.
  void look();
  /// The trainer does so much more, then `what`.
  void later(std::int64_t most_us, std::function<void()> what);
  /// Uniform, from 0.
  std::size_t draw(std::int64_t below);
  void beginRoster();
  void obtainState(Step step);
  void keepState(Step step);
  bool holdsFolder();
  void lookForNewer();
  void completeCheckpoint();
  void reportEvaluation();
  void receiveState();
  void carryOut();
  void evaluateFor(Duration time);
  void went(worker::Outcome outcome);
  void say(std::function<void()> what);
  void beginStep();
  void evaluate(std::size_t batches);
  void computeStep();
  void finishStep(const std::function<void()>& then);
  void awaitSum(Step step, const std::function<void()>& then);
  void beginAnnouncing();
  void computeSome();
  void fill(std::size_t contribution, const Range& range);
  void sent();
  bool apply(Step step);
  void awaitRoster();
  void awaitAgreement();
  void awaitEnd();
  /// Waits until `isThere`, then goes on with `then`.
  void wait(std::function<bool()> isThere, std::function<void()> then);
  void exit();
  void endIfOver();
  ExitCode endCode() const;
  bool hangs() const { return options_.hangs == slot_.index && action_.step > 5; }
  std::string result() const { return "{\"steps\":" + std::to_string(done_) + "}"; }

  const SimOptions& options_;  // outlives us
  SimNetwork& network_;        // outlives us
  SimFiles& files_;            // outlives us
  SimWatch& watch_;            // outlives us
  OnEnd on_end_;
  ExchangePlan plan_;
  Slot slot_;
  Member self_;
  std::unique_ptr<JobMember> member_;
  SimOrder order_;
  worker::Inbox inbox_;

  // The trainer's.
  std::optional<worker::TrainingCourse> course_;
  worker::Action action_;
  std::function<bool()> awaited_;  // what it waits for
  std::function<void()> awaiting_;
  SimState state_;
  std::optional<Step> held_;  // the step whose state that is
  SimState draft_;            // as the checkpoint that is not complete has it
  SimState next_;             // after the open step, as far as its sums have come
  std::string kernels_;       // that it has loaded for its first roster: it never has others
  RosterOrder roster_;
  bool is_writer_ = false;            // the roster says
  std::vector<RosterEntry> members_;  // of that roster; another one may have come since
  TreeNode block_;
  std::optional<MethodChoice> choice_;  // of the first roster
  using Buffers = std::array<std::vector<std::vector<float>>, 2>;
  Buffers sums_;                                     // of odd and even steps, by node
  std::vector<Buffers> former_;                      // of rosters before: may still be read
  std::array<std::weak_ptr<const void>, 2> leases_;  // of these
  Step done_ = 0;
  Step begun_ = 0;
  Duration slow_{};                           // how much longer it still takes
  std::vector<std::vector<float>> computed_;  // its contributions
  std::vector<FinalRange> final_;             // of that step what is not, the next ones last
  Step open_ = 0;                             // all of it is sent, its sums are not applied
  std::uint32_t updated_ = 0;                 // so many ranges of next_
  std::string message_;                       // the result's
  std::optional<std::string> cause_;
  std::uint64_t work_ = 0;  // what it has got done
  bool has_started_ = false;
  bool exited_ = false;
  bool has_ended_ = false;  // kept out of the folder by another writer, or before its start
  std::vector<std::string> progress_;
};

}  // namespace sumac
