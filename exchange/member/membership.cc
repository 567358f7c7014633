#include "exchange/member/membership.h"

#include <utility>

#include "base/core/stop_times.h"
#include "base/core/units.h"

namespace sumac {
namespace {

using wire::Header;
using wire::MessageType;

// Who does not answer for so long is an earlier attempt's coordinator, or no member at all.
constexpr Duration kFirstAnswer = std::chrono::seconds(5);
// Echoes asked for one after the other, where clocks are aligned: a short job has few heartbeats.
constexpr std::size_t kFirstEchoes = 8;

}  // namespace

Membership::Membership(MemberIdentity identity, link::Link& link, MembershipOwner& owner)
    : identity_(std::move(identity)), link_(&link), owner_(&owner) {}

std::string Membership::coordinatorName() const {
  return "the coordinator, " + toString(identity_.coordinator);
}

Header Membership::header(MessageType type) const {
  Header header;
  header.type = type;
  header.job = identity_.job;
  header.sender = identity_.self;
  header.term = roster_ ? roster_->order.term : 0;
  header.generation = roster_ ? roster_->order.generation : 0;
  return header;
}

void Membership::tell(MessageType type, Step step, std::uint64_t value, std::string_view text) {
  Header message = header(type);
  message.step = step;
  message.value = value;
  link_->send(coordinator(), message, asBytes(text.substr(0, wire::kMaxControlPayload)));
}

void Membership::start(TimePoint now) {
  now_ = now;
  liveness_ = Liveness(now);
  link_->connect(coordinator(), identity_.coordinator_endpoint, /*expected=*/0);
}

void Membership::onTick(TimePoint now) {
  if (has_ended_) return;
  now_ = now;
  if (is_up_ && now - asked_ >= kFirstAnswer) askAgain();
  const Liveness::Tick tick = liveness_.tick(now);
  if (!tick.lost.empty())
    return loseCoordinator("lost " + coordinatorName() + " (no heartbeat for 3 s)",
                           /*goodbye=*/true);
  if (orphaned_ && now - *orphaned_ >= *identity_.orphan_patience) {
    return end(ExitCode::kLostPeers,
               "lost " + coordinatorName() + ", and no other process took its place in time",
               /*goodbye=*/true);
  }
  const Duration patience = hasHeard() ? StopTimes::kLeave : StopTimes::kLastWord;
  if (leaving_since_ && now - *leaving_since_ >= patience) return leaveUnreleased();
  if (tick.beat && was_up_) beat();
}

/// Of a coordinator that is heard, the answer may have gone with a connection that broke.
void Membership::askAgain() {
  if (!hasHeard()) {
    is_up_ = false;
    return link_->reconnect(coordinator());
  }
  asked_ = now_;
  if (orphaned_) rejoin();
}

/// Where clocks are aligned, asks for an echo.
void Membership::beat() {
  Header beat = header(MessageType::kHeartbeat);
  beat.value = recorder_ == nullptr ? 0 : trace::stampOf(recorder_->now());
  beat.first = work_.done;
  beat.count = work_.works ? 1 : 0;
  beat.step = work_.parts.steps;
  beat.range = work_.parts.milliseconds;
  link_->send(coordinator(), beat, BytesView{});
}

void Membership::takeEcho(const Header& header) {
  if (recorder_ == nullptr || header.value == 0 || header.first == 0) return;
  recorder_->onEcho(trace::timeOf(header.value), trace::timeOf(header.first));
  if (++echoes_ < kFirstEchoes) beat();
}

void Membership::onPeerUp() {
  if (has_ended_) return;
  was_up_ = true;
  is_up_ = true;
  asked_ = now_;
  if (hasHeard()) liveness_.heard(identity_.coordinator);
  if (orphaned_) return rejoin();
  askToJoin();
  owner_->repeatWhatWasTold();
  if (recorder_ != nullptr) beat();
  if (leaving_since_) tell(MessageType::kLeave);
}

void Membership::rejoin() {
  if (!has_ended_ && is_up_ && owner_->isReady()) askToJoin();
}

void Membership::askToJoin() {
  tell(MessageType::kJoin, 0, planHash(identity_.request.plan_text), toJson(request()));
}

/// With what this member has of its roster: who coordinates may be another process by now. Whoever
/// does is to make another roster for a member that has lost its own, and only for such a one.
JoinRequest Membership::request() const {
  JoinRequest request = identity_.request;
  if (!roster_) return request;
  request.followed = Followed{.order = roster_->order,
                              .members = {},
                              .kernels = roster_->kernels,
                              .evaluated = roster_->evaluated,
                              .has_halted = isOrphaned() && owner_->isReady(),
                              .done = owner_->done()};
  for (const RosterEntry& entry : roster_->members)
    request.followed->members.push_back(entry.member);
  return request;
}

/// Where members outlive it, another process of its slot is awaited: it needs nothing of this one,
/// as the members have the state.
void Membership::loseCoordinator(const std::string& why, bool goodbye) {
  if (!outlivesOthers()) return end(ExitCode::kLostPeers, why, goodbye);
  if (leaving_since_) return end(ExitCode::kStopped, "asked to stop; " + why, goodbye);
  liveness_.forget(identity_.coordinator);
  incarnation_ = 0;
  is_up_ = false;
  if (roster_ && !orphaned_) {
    orphaned_ = now_;
    owner_->onOrphaned();
  }
  link_->reconnect(coordinator());
}

void Membership::onMessage(const Header& header, BytesView payload) {
  if (has_ended_) return;
  if (incarnation_ == 0) incarnation_ = header.sender.incarnation;
  if (header.sender.incarnation != incarnation_) {
    return loseCoordinator(
        "lost the coordinator: " + toString(identity_.coordinator) + " was started again",
        /*goodbye=*/false);
  }
  liveness_.heard(identity_.coordinator);
  const std::string text(asText(payload));
  switch (header.type) {
    case MessageType::kRoster: takeRoster(payload); break;
    case MessageType::kHeartbeat: takeEcho(header); break;
    case MessageType::kProbe:  // it measures the connection
      if (header.value != 0) tell(MessageType::kEcho, 0, header.value);
      break;
    case MessageType::kRefuse: end(ExitCode::kBadConfiguration, text, true); break;
    case MessageType::kComplete: end(ExitCode::kDone, text, true); break;
    case MessageType::kRelease: end(ExitCode::kStopped, text, true); break;
    case MessageType::kAbort:
      end(header.value == 1 ? ExitCode::kFailed : ExitCode::kLostPeers, text, true);
      break;
    default: owner_->onControl(header, payload);
  }
}

void Membership::takeRoster(BytesView payload) {
  Result<Roster> read = rosterFromJson(asText(payload));
  const bool is_known = read && roster_ && read->order <= roster_->order;
  if (!read || !read->has(identity_.self) || is_known || !owner_->fits(*read)) {
    ++ignored_;
    return;
  }
  if (roster_ && !owner_->isReady()) {
    return end(ExitCode::kLostPeers,
               "another roster came from " + coordinatorName() + " before this worker had halted",
               /*goodbye=*/true);
  }
  roster_ = *std::move(read);
  orphaned_.reset();
  owner_->onRoster(*roster_);
}

void Membership::leave() {
  if (has_ended_) return;
  if (orphaned_) {
    return end(ExitCode::kStopped, "asked to stop while " + coordinatorName() + ", was away",
               /*goodbye=*/is_up_);
  }
  if (!leaving_since_) leaving_since_ = now_;
  if (was_up_) tell(MessageType::kLeave);
  // Before the first answer nobody can release us. Where it asked to join and the connection broke,
  // the coordinator may know it and would miss it: then it waits for another connection.
  const bool is_cut_off = was_up_ && !is_up_;
  if (!hasHeard() && !is_cut_off) {
    end(ExitCode::kStopped, "asked to stop before " + coordinatorName() + ", answered",
        /*goodbye=*/was_up_);
  }
}

void Membership::leaveUnreleased() {
  const std::string asked = "asked to stop; " + coordinatorName() + ", ";
  if (hasHeard()) {
    return end(ExitCode::kStopped,
               asked + "did not answer within " + durationText(StopTimes::kLeave),
               /*goodbye=*/true);
  }
  const std::string time = durationText(StopTimes::kLastWord);
  if (is_up_) {
    // One that knows this member stops the job when it hears of it.
    return end(ExitCode::kStopped, asked + "was told and did not answer within " + time,
               /*goodbye=*/true);
  }
  end(ExitCode::kStopped,
      asked + "could not be told within " + time +
          ": if it knows this member, the others end with " +
          std::to_string(toInt(ExitCode::kLostPeers)) + " and name it as lost",
      /*goodbye=*/true);
}

void Membership::end(ExitCode code, const std::string& reason, bool goodbye) {
  if (has_ended_) return;
  has_ended_ = true;
  if (goodbye) tell(MessageType::kGoodbye);
  owner_->onEnd(code, reason);
}

}  // namespace sumac
