#include "worker/session/session.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "exchange/member/membership.h"
#include "exchange/member/contribution_exchange.h"

namespace sumac::worker {

namespace {

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

constexpr std::size_t kCrcsKept = 2;  // repeated on a new connection

// What the coordinator must know of us even when the connection broke while we said it.
struct Reported {
  struct Weights {
    Step step = 0;
    std::uint32_t crc = 0;
    std::string times;
    bool is_last = false;
  };
  std::vector<Weights> crcs;
  std::optional<Step> checkpointed;
  std::optional<Step> stopped;
  std::optional<std::string> finished;
};

}  // namespace

struct Session::State final : MembershipOwner {
  State(WorkerIdentity who, const ExchangePlan& plan, std::string coordinator_endpoint,
        link::Link& over, Trainer& owner, const KernelTable* kernels)
      : identity(std::move(who)),
        link(&over),
        trainer(&owner),
        parts(plan.parts),
        client({identity.self, identity.job, identity.coordinator, std::move(coordinator_endpoint)},
               over, *this),
        exchange(client.header(MessageType::kPush), plan, over, kernels) {}

  JoinRequest joinRequest() const override;
  void repeatWhatWasTold() override;
  bool fits(const Roster& roster) const override {
    return roster.workers() <= parts && exchange.fits(roster);
  }
  void onRoster(const Roster& roster) override;
  void onControl(const Header& header, BytesView payload) override;
  void onEnd(ExitCode code, const std::string& reason) override { trainer->onEnd(code, reason); }

  void openLanes(const Roster& roster);
  void tellWeights(const Reported::Weights& weights);
  bool needsNoSum() const;
  void prepare();
  void commit(Step step, std::uint64_t how);
  void deliver(Step step);

  WorkerIdentity identity;
  link::Link* link;
  Trainer* trainer;
  int parts;
  Membership client;
  ContributionExchange exchange;
  TreeNode block;  // our parts; none before the first roster
  Step begun = 0;  // the highest step that the trainer may have begun
  bool prepared = false;
  std::optional<Step> committed;
  std::optional<Step> held;  // its sum has come, but the trainer would begin the next step on it
  Reported reported;
  bool has_trained = false;  // all steps are done
  std::uint64_t ignored = 0;
};

JoinRequest Session::State::joinRequest() const {
  JoinRequest request;
  request.plan_text = identity.plan_text;
  request.kernels = identity.kernels;
  request.endpoint = identity.endpoint;
  request.newest_checkpoint = identity.newest_checkpoint;
  request.vocabulary = identity.vocabulary;
  request.description = identity.description;
  request.add_rate = identity.add_rate;
  request.algorithm = identity.algorithm;
  return request;
}

void Session::State::repeatWhatWasTold() {
  for (const Reported::Weights& weights : reported.crcs)
    tellWeights(weights);
  if (reported.checkpointed) client.tell(MessageType::kCheckpointed, *reported.checkpointed);
  if (reported.stopped) client.tell(MessageType::kFinished, *reported.stopped, /*value=*/1);
  if (reported.finished) client.tell(MessageType::kFinished, 0, 0, *reported.finished);
}

void Session::State::onRoster(const Roster& roster) {
  const TreeNode before = block;
  const bool first = before == TreeNode{};
  block = blockOf(roster.positionOf(identity.self), roster.workers(), parts);
  if (first) {
    begun = roster.start_step + 1;
    openLanes(roster);
  }
  exchange.onRoster(roster);
  if (block != before) trainer->onStart(roster, block);
}

/// Of two processes the one with the lower slot listens.
void Session::State::openLanes(const Roster& roster) {
  const Routes routes(roster, parts);
  for (const auto& [member, endpoint] : roster.members) {
    if (!routes.areNeighbours(identity.self.slot, member.slot)) continue;
    const Peer peer{member.slot, Lane::kData};
    if (member.slot < identity.self.slot) {
      link->connect(peer, endpoint);
    } else {
      link->await(peer, member.incarnation);
    }
  }
}

void Session::State::onControl(const Header& header, BytesView payload) {
  switch (header.type) {
    case MessageType::kPrepare: prepare(); break;
    case MessageType::kCommit: commit(header.step, header.value); break;
    case MessageType::kWeightsCrc:
      if (!payload.empty()) trainer->onWorkerTimes(workerTimesFromText(asText(payload)));
      trainer->onWeightsAgreed(header.step);
      break;
    default: ++ignored;
  }
}

void Session::State::tellWeights(const Reported::Weights& weights) {
  Header message = client.header(MessageType::kWeightsCrc);
  message.step = weights.step;
  message.value = weights.crc;
  message.first = weights.is_last ? 1 : 0;
  link->send(client.coordinator(), message, asBytes(weights.times));
}

/// After the last step, or in a stop without an open one. Where workers sum, others may still wait
/// for ours: then they say so.
bool Session::State::needsNoSum() const {
  if (has_trained || committed == Step{0}) return true;
  const bool sums = client.roster() && client.roster()->shards.role() == Role::kWorker;
  return reported.stopped && !sums;
}

void Session::State::prepare() {
  if (!client.roster()) return;
  prepared = true;
  client.tell(MessageType::kPrepared, begun);
}

void Session::State::commit(Step step, std::uint64_t how) {
  const bool at_once = how != static_cast<std::uint64_t>(wire::StopNow::kNo);
  if (!client.roster() || (committed && !at_once)) return;
  committed = at_once ? 0 : step;
  if (at_once) {
    trainer->onStopNow(how == static_cast<std::uint64_t>(wire::StopNow::kWithCheckpoint));
  } else {
    trainer->onStopAfter(step);
  }
  if (held) deliver(*std::exchange(held, std::nullopt));
}

void Session::State::deliver(Step step) {
  if (prepared && !committed) {
    held = step;  // the trainer begins the next step on a sum: only when the last one is agreed
    return;
  }
  begun = std::max(begun, step + 1);
  trainer->onSum(step, exchange.sum(step));
}

Session::Session(WorkerIdentity identity, const ExchangePlan& plan, std::string coordinator,
                 link::Link& link, Trainer& trainer, const KernelTable* kernels)
    : state_(std::make_unique<State>(std::move(identity), plan, std::move(coordinator), link,
                                     trainer, kernels)) {}

Session::~Session() = default;

void Session::traceTo(trace::Recorder* recorder) {
  state_->client.alignClockOf(recorder);
  state_->exchange.traceTo(recorder);
}

void Session::start(TimePoint now) {
  state_->client.start(now);
}

void Session::onTick(TimePoint now) {
  state_->client.onTick(now);
  if (!state_->client.hasEnded()) state_->exchange.onTick(now);
}

void Session::onMessage(Peer from, const Header& header, const link::PayloadPtr& payload) {
  State& s = *state_;
  if (s.client.hasEnded() || header.job != s.identity.job) {
    ++s.ignored;
    return;
  }
  if (from == s.client.coordinator()) return s.client.onMessage(header, link::bytesOf(payload));
  const auto& roster = s.client.roster();
  const RosterEntry* sender = roster ? roster->find(from.slot) : nullptr;
  if (from.lane != Lane::kData || sender == nullptr || sender->member != header.sender) {
    ++s.ignored;
    return;
  }
  const auto came = s.exchange.onMessage(from.slot, header, link::bytesOf(payload));
  if (!came) return;
  s.trainer->onPartialSum(came->step, came->run, s.exchange.sum(came->step));
  if (came->is_last) s.deliver(came->step);
}

void Session::onPeerUp(Peer peer) {
  if (peer == state_->client.coordinator()) state_->client.onPeerUp();
}

void Session::onPeerDown(Peer peer, const std::string& /*why*/) {
  if (peer == state_->client.coordinator()) state_->client.onPeerDown();
}

void Session::onRoom(Peer peer) {
  if (!state_->client.hasEnded()) state_->exchange.onRoom(peer.slot);
}

void Session::onSuspected(Peer peer, const std::string& why) {
  State& s = *state_;
  if (s.client.hasEnded() || s.needsNoSum()) return;  // the coordinator ends the job
  const std::string text = "lost the connection between " + toString(s.identity.self.slot) +
                           " and " + toString(peer.slot) + " (" + why + ")";
  s.client.tell(MessageType::kAbort, 0, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
                text);
  s.client.end(ExitCode::kLostPeers, text, /*goodbye=*/false);
}

void Session::begin(Step step, std::span<const Contribution> contributions, Lease lease) {
  if (state_->client.hasEnded()) return;
  state_->exchange.begin(step, contributions, std::move(lease));
}

void Session::announce(std::span<const FinalRange> ranges) {
  if (!state_->client.hasEnded()) state_->exchange.announce(ranges);
}

void Session::announceRest() {
  if (!state_->client.hasEnded()) state_->exchange.announceRest();
}

void Session::reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times, bool is_last) {
  Reported& reported = state_->reported;
  reported.crcs.push_back({step, crc, toText({&times, 1}), is_last});
  if (reported.crcs.size() > kCrcsKept) reported.crcs.erase(reported.crcs.begin());
  state_->has_trained = state_->has_trained || is_last;
  state_->tellWeights(reported.crcs.back());
}

void Session::tellWork(std::uint64_t done, bool works) {
  state_->client.tellWork({done, works});
}

void Session::reportProgress(const std::string& json) {
  state_->client.tell(MessageType::kProgress, 0, 0, json);
}

void Session::checkpointed(Step step) {
  state_->reported.checkpointed = step;
  state_->client.tell(MessageType::kCheckpointed, step);
}

void Session::finished(const std::string& result) {
  state_->reported.finished = result;
  state_->client.tell(MessageType::kFinished, 0, 0, result);
}

void Session::stopped() {
  const Step step = state_->committed.value_or(0);
  state_->reported.stopped = step;
  state_->client.tell(MessageType::kFinished, step, /*value=*/1);
}

SessionView Session::view() const {
  const auto& roster = state_->client.roster();
  return {state_->client.isConnected(), roster ? roster->order : RosterOrder{},
          state_->exchange.limited()};
}

std::vector<Wait> Session::waits() const {
  return state_->client.hasEnded() ? std::vector<Wait>() : state_->exchange.waits();
}

void Session::leave() {
  state_->client.leave();
}

void Session::fail(ExitCode code, const std::string& reason) {
  if (state_->client.hasEnded()) return;
  const std::string text = toString(state_->identity.self.slot) + " failed: " + reason;
  state_->client.tell(MessageType::kAbort, 0,
                      static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)), text);
  state_->client.end(code, reason, /*goodbye=*/false);
}

}  // namespace sumac::worker
