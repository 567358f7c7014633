#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "base/core/check.h"
#include "exchange/link/value_payloads.h"
#include "exchange/member/job_member.h"
#include "exchange/membership/join_request.h"
#include "exchange/wire/codec.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/script.h"
#include "tests/support/manual_clock.h"
#include "tests/support/plain_kernels.h"

namespace sumac::fuzz {
namespace {

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

constexpr std::uint64_t kJob = 7;
constexpr const char* kPlan = "a=1\n";
constexpr std::size_t kMostSteps = 400;

/// What goes over the link must be a message that every peer decodes; sums and rosters go to
/// members of the job only.
class CheckingLink final : public link::Link {
 public:
  CheckingLink(int workers, int servers, const ExchangePlan& plan)
      : workers_(workers), servers_(servers), plan_(plan), values_(plan, &kPlainKernels) {}

  void beginTerm(std::uint32_t /*term*/) override {}
  void connect(Peer /*peer*/, const std::string& /*endpoint*/, Incarnation /*expected*/) override {}
  void await(Peer /*peer*/, Incarnation /*incarnation*/) override {}
  void reconnect(Peer /*peer*/) override {}
  void close(Peer /*peer*/) override {}
  void send(Peer to, const Header& header, const link::PayloadPtr& bytes) override {
    const BytesView payload = link::bytesOf(bytes);
    SUMAC_CHECK(!is_over, header.type, to.slot);
    SUMAC_CHECK(to.lane == Lane::kControl || has_room || payload.empty(), header.type, to.slot);
    const int most = to.slot.role == Role::kWorker ? workers_ : servers_;
    const bool is_member = to.slot.index >= 0 && to.slot.index < most;
    const auto decoded = wire::decode(wire::encode(header, payload), payload);
    SUMAC_CHECK(std::holds_alternative<Header>(decoded), header.type);
    const bool is_sum = header.type == MessageType::kSum || header.type == MessageType::kTotal;
    if (!is_sum && header.type != MessageType::kRoster) return;
    SUMAC_CHECK(is_member, header.type, to.slot);
    if (!is_sum) checkRoster(payload);
    if (is_sum && !is_ring) checkSum(header, payload);
  }

  void answer(const Member& to, const Header& header, const link::PayloadPtr& bytes) override {
    send({to.slot, Lane::kControl}, header, bytes);
  }

  bool hasRoom(Peer /*to*/, std::size_t /*size*/) const override { return has_room; }
  void withhold(Peer from) override { ++withheld_[from.slot]; }
  /// Never more often than withheld.
  void giveBack(Peer from, std::size_t /*size*/) override {
    SUMAC_CHECK(--withheld_[from.slot] >= 0);
  }

  bool is_over = false;
  bool has_room = true;  // credit of all data lanes
  bool is_ring = false;  // where the input says what others have added

 private:
  /// A push has the number of its parts as each value: a sum has all of them, each once. Every
  /// codec has these numbers.
  void checkSum(const Header& header, BytesView payload) {
    const auto run = findRun(plan_, header.range, header.first, header.count);
    SUMAC_CHECK(run.has_value() && values_.isOurs(header), header.range, header.codec);
    const auto restored = values_.restore(header, *run, payload);
    SUMAC_CHECK(restored.has_value(), payload.size());
    std::vector<float> read(header.count);
    values_.read(*run, restored->bytes, run->first, read);
    for (const float value : read)
      SUMAC_CHECK(value == static_cast<float>(plan_.parts), value, plan_.parts);
  }
  /// Each roster is valid and is not below the one before.
  void checkRoster(BytesView payload) {
    const auto roster = rosterFromJson(asText(payload));
    SUMAC_CHECK(roster.has_value(), roster ? "" : roster.error().message);
    SUMAC_CHECK(roster->workers() == workers_ && roster->servers() == servers_);
    SUMAC_CHECK(roster->order >= newest_, roster->order.generation);
    newest_ = roster->order;
  }

  int workers_;
  int servers_;
  const ExchangePlan& plan_;  // outlives us
  link::ValuePayloads values_;
  RosterOrder newest_;
  std::map<Slot, int> withheld_;
};

Member memberOf(Slot slot) {
  const Incarnation first = slot.role == Role::kServer ? 200 : 100;
  return {slot, first + static_cast<Incarnation>(slot.index)};
}

struct Part {
  Member self;
  Codec codec = Codec::kFp32;
};

/// Server 0 or 1, or who sums in the process of worker 0 or 1.
Part drawPart(Script& script) {
  constexpr std::array kCodecs{Codec::kFp32, Codec::kBf16, Codec::kFp16};
  const auto which = script.next(4 * kCodecs.size());
  const auto index = static_cast<int>(which % 2);
  return {memberOf({which % 4 < 2 ? Role::kServer : Role::kWorker, index}), kCodecs.at(which / 4)};
}

ExchangePlan planOf(std::int64_t values, int parts, Codec codec) {
  ExchangePlan plan = makeExchangePlan({values}, parts);
  plan.codec = codec;
  return plan;
}

/// A server of a job of at most three workers and two servers, or a worker that sums in a job
/// without, whose trainer does nothing; all others are played by the input.
class Play final : public MemberListener, public Trainer {
 public:
  explicit Play(Script& script)
      : script_(script),
        part_(drawPart(script)),
        self_(part_.self),
        has_servers_(self_.slot.role == Role::kServer),
        workers_(std::max(1 + static_cast<int>(script.next(3)),
                          has_servers_ ? 0 : self_.slot.index + 1)),
        servers_(has_servers_ ? 1 + self_.slot.index : 0),
        parts_(workers_ + static_cast<int>(script.next(4))),
        // One who sums owns all of a few values.
        plan_(planOf(sums() == 1 ? 5 : 4000, parts_, part_.codec)),
        values_(plan_, &kPlainKernels),
        link_(workers_, servers_, plan_),
        member_(identity(), roles(), link_) {
    clock_.advance(std::chrono::hours(1));
    member_.start(clock_.now());
  }

  void step() {
    switch (script_.next(8)) {
      case 0: return tick(script_.next(4) == 3 ? 4000 : 50);
      case 1: return member_.onPeerUp(peer());
      case 2: return member_.onPeerDown(peer(), "it broke");
      case 3: return control();
      case 4: return script_.next(16) == 0 ? member_.leave() : join();
      case 5: return roster();
      default: return push();
    }
  }

  void onProgress(const std::string& line) override {
    SUMAC_CHECK(!is_over_ && !line.empty() && line.find('\n') == std::string::npos, line);
  }
  void onJobOver(ExitCode /*code*/, const std::string& /*reason*/) override {
    SUMAC_CHECK(!is_over_);
    is_over_ = true;
  }
  void onStart(const Roster& /*roster*/, TreeNode block) override {
    SUMAC_CHECK(!has_started_ && block.size() > 0);
    has_started_ = true;
  }
  void onPartialSum(Step /*step*/, const RangeRun& /*run*/,
                    std::span<const float> /*sum*/) override {
    SUMAC_CHECK(false);  // it has begun no step
  }
  void onSum(Step /*step*/, std::span<const float> /*sum*/) override { SUMAC_CHECK(false); }
  void onStop(const StopOrder& /*order*/) override {}
  void onState(StateArrival /*arrival*/) override {}
  void onWeightsAgreed(Step /*step*/) override {}
  void onEnd(ExitCode /*code*/, const std::string& /*reason*/) override {
    SUMAC_CHECK(!has_ended_);
    has_ended_ = true;
  }
  /// After its end a member says nothing more.
  void finishStep() { link_.is_over = is_over_; }

 private:
  MemberIdentity identity() const {
    MemberIdentity identity{self_, kJob, coordinator(), "tcp://a:1", {}};
    identity.request.plan_text = kPlan;
    identity.request.endpoint = has_servers_ ? "tcp://s:1" : "tcp://w:1";
    if (!has_servers_) identity.request.kernels = {"baseline"};
    return identity;
  }
  Roles roles() {
    Roles roles;
    if (!has_servers_)
      roles.training = {.plan = &plan_, .trainer = this, .kernels = &kPlainKernels};
    roles.summing = {.kernels = &kPlainKernels};
    std::optional<ExchangeMethod> method = ExchangeMethod::kServers;
    if (!has_servers_) method = ExchangeMethod::kScatterGather;
    if (!has_servers_ && script_.next(2) != 0) method.reset();
    if (self_.slot == coordinator()) {
      roles.coordinating = {
          .method = method, .workers = workers_, .servers = servers_, .clock = &clock_};
    }
    roles.plan_of = [this](std::int64_t size) -> Result<SumPlan> {
      if (size == 3) return Error{ErrorCode::kInvalid, "too few words"};
      return SumPlan{plan_, kPlan};
    };
    roles.listener = this;
    return roles;
  }
  Slot coordinator() const { return {self_.slot.role, 0}; }
  int sums() const { return has_servers_ ? servers_ : workers_; }
  Slot slot() {
    const Role role = script_.next(3) == 0 ? Role::kServer : Role::kWorker;
    return {role, static_cast<int>(script_.next(4))};
  }
  Peer peer() { return {slot(), script_.next(2) == 0 ? Lane::kControl : Lane::kData}; }
  /// Of the first process of a slot, seldom of another.
  Incarnation incarnation(Slot of) {
    return memberOf(of).incarnation + (script_.next(16) == 0 ? 50U : 0U);
  }
  Header header(MessageType type, Slot from) {
    Header made;
    made.type = type;
    made.job = script_.next(64) == 63 ? kJob + 1 : kJob;
    made.sender = {from, incarnation(from)};
    made.term = 1;
    made.generation = 1 + script_.next(3);
    made.step = static_cast<Step>(script_.next(4));
    return made;
  }
  /// As the link hands it over, which checks the sender; the payload may be any.
  void deliver(Lane lane, const Header& message, BytesView payload) {
    member_.onMessage({message.sender.slot, lane}, message, link::makePayload(payload));
  }

  void tick(int milliseconds) {
    clock_.advance(std::chrono::milliseconds(milliseconds));
    member_.onTick(clock_.now());
  }
  void control() {
    const auto type = static_cast<MessageType>(script_.next(28));
    Header message = header(type, slot());
    message.value = script_.next(4);
    deliver(script_.next(8) == 0 ? Lane::kData : Lane::kControl, message, script_.bytes());
  }
  void join() {
    const Slot from = slot();
    JoinRequest request;
    request.plan_text = script_.next(16) == 0 ? "a=2\n" : kPlan;
    request.size = script_.next(16) == 0 ? 3 : 0;
    request.newest_checkpoint = static_cast<Step>(script_.next(2));
    if (from.role == Role::kWorker) request.kernels = {"baseline"};
    if (!has_servers_) request.endpoint = "tcp://w:1";  // others dial it
    if (script_.next(4) == 0) request.kernels.emplace_back(asText(script_.bytes()));
    if (script_.next(4) == 0) request.endpoint = asText(script_.bytes());
    Header message = header(MessageType::kJoin, from);
    message.value = planHash(request.plan_text);
    deliver(Lane::kControl, message, asBytes(toJson(request)));
  }
  /// The coordinator's roster, to one who sums and is not it.
  void roster() {
    Roster made;
    made.order = {1, 1 + script_.next(3)};
    for (int i = 0; i < servers_; ++i)
      made.members.push_back({memberOf({Role::kServer, i}), ""});
    for (int i = 0; i < workers_; ++i)
      made.members.push_back({memberOf({Role::kWorker, i}), ""});
    made.start_step = static_cast<Step>(script_.next(2));
    made.shards = shards();
    link_.is_ring = link_.is_ring || made.shards.method() == ExchangeMethod::kRing;
    const Header message = header(MessageType::kRoster, coordinator());
    deliver(Lane::kControl, message, asBytes(toJson(made)));
  }
  ShardMap shards() {
    const std::vector<int> owners{0, sums() - 1};
    if (has_servers_) return ShardMap::shareOut(ExchangeMethod::kServers, plan_, owners);
    constexpr std::array kMethods{ExchangeMethod::kDirect, ExchangeMethod::kScatterGather,
                                  ExchangeMethod::kRing, ExchangeMethod::kHalvingDoubling};
    return ShardMap::shareOut(kMethods.at(script_.next(kMethods.size())), plan_, owners);
  }
  /// Credit is used up, or comes back for one worker.
  void room(Slot worker) {
    link_.has_room = !link_.has_room;
    if (link_.has_room) member_.onRoom({worker, Lane::kData});
  }
  /// A contribution to a range or its sum, true or not; seldom the credit changes instead.
  void push() {
    const Slot from = {Role::kWorker, static_cast<int>(script_.next(4))};
    if (script_.next(8) == 0) return room(from);
    Header message = header(script_.next(4) == 0 ? MessageType::kTotal : MessageType::kPush, from);
    message.range = script_.next(static_cast<unsigned>(plan_.ranges.size()) + 1);
    const Range& range = plan_.ranges[message.range % plan_.ranges.size()];
    message.first = static_cast<std::uint64_t>(range.first);
    message.count = static_cast<std::uint32_t>(range.count) + (script_.next(32) == 0 ? 1U : 0U);
    const auto begin = static_cast<int>(script_.next(static_cast<unsigned>(parts_) + 1));
    const auto size = static_cast<int>(script_.next(static_cast<unsigned>(parts_) + 1));
    message.node = {begin, begin + size};
    const int value = message.type == MessageType::kTotal ? parts_ : size;
    const std::vector<float> values(message.count, static_cast<float>(value));
    message.codec = script_.next(32) == 0 ? Codec::kFp32 : plan_.codec;
    const auto written =
        values_.write({message.range, 1, range.first, message.count}, values, nullptr);
    deliver(Lane::kData, message, link::bytesOf(written.payload));
  }

  Script& script_;  // outlives us
  const Part part_;
  const Member self_;
  const bool has_servers_;
  const int workers_;
  const int servers_;
  const int parts_;
  const ExchangePlan plan_;
  link::ValuePayloads values_;
  CheckingLink link_;
  ManualClock clock_;
  bool is_over_ = false;
  bool has_started_ = false;
  bool has_ended_ = false;
  JobMember member_;
};

}  // namespace

void session(BytesView input) {
  Script script(input);
  Play play(script);
  for (std::size_t i = 0; i < kMostSteps && !script.isOver(); ++i) {
    play.step();
    play.finishStep();
  }
}

}  // namespace sumac::fuzz
