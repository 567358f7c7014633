#include "exchange/client/exchange_client.h"

#include <utility>

#include "base/core/stop_times.h"

namespace sumac::worker {
namespace {

// What the exchange of a small vector takes. Of a larger one, more than a wake-up costs.
constexpr Duration kWatched = std::chrono::microseconds(300);
// The coordinator itself may take its time for goodbyes.
constexpr Duration kFarewell = 2 * StopTimes::kFarewell;

constexpr auto kAlways = [](const Outbox& /*outbox*/) { return true; };

}  // namespace

ExchangeClient::ExchangeClient(std::unique_ptr<link::ZmqLink> link, const MemberIdentity& identity,
                               const ExchangePlan& plan, const ExchangeOptions& options,
                               const Log& log)
    : stays_awake_(options.stays_awake),
      sums_(options.sums != nullptr),
      watch_(clock_, kWatched),
      handover_(mostFinalRanges(plan)),
      thread_(std::move(link), identity, plan, options, handover_, log) {}

void ExchangeClient::close() {
  if (sums_) handover_.awaitFarewell(kFarewell);
  thread_.stop();
}

/// What `find`, called with the inbox, returns once it returns something.
template <typename Find>
auto ExchangeClient::await(const Find& find, TimePoint until) {
  const Handover::Waiting waiting(handover_);
  return handover_.await(find, until).value_or(NotYet());
}

JoinEvent ExchangeClient::join(TimePoint until) {
  return await([](const Inbox& inbox) { return inbox.joined(); }, until);
}

void ExchangeClient::halted(std::optional<Step> done) {
  thread_.post([done](JobMember& member) { member.training().halted(done); });
}

RosterEvent ExchangeClient::awaitRoster(RosterOrder seen, TimePoint until) {
  RosterEvent event = await([seen](const Inbox& inbox) { return inbox.rosterAfter(seen); }, until);
  if (std::holds_alternative<Start>(event)) handover_.leases().renew();
  return event;
}

void ExchangeClient::offerState(StateView state) {
  thread_.post([state = std::move(state)](JobMember& member) { member.training().offer(state); });
}

void ExchangeClient::askState(StateRoom room) {
  thread_.post([room = std::move(room)](JobMember& member) { member.training().receive(room); });
}

StateEvent ExchangeClient::awaitState(TimePoint until) {
  return await([](const Inbox& inbox) { return inbox.state(); }, until);
}

std::optional<StepEvent> ExchangeClient::awaitBuffers(Step step, TimePoint until) {
  const Handover::Waiting waiting(handover_);
  std::optional<StepEvent> over;
  const auto isOver = [this, step, &over] {
    over = handover_.look([step](const Inbox& inbox) { return inbox.sumOf(step); });
    return over.has_value();
  };
  if (handover_.leases().awaitReturn(step, isOver, until)) return std::nullopt;
  return over.value_or(NotYet());
}

void ExchangeClient::begin(Step step, std::span<const Contribution> contributions) {
  handover_.begin(step, contributions);
}

void ExchangeClient::announce(std::span<const FinalRange> ranges) {
  if (handover_.announce(ranges)) thread_.wake();
}

void ExchangeClient::announceRest() {
  post(kAlways, [](Outbox& outbox) { outbox.rest = true; });
}

/// Puts something into the outbox as soon as there is room.
template <typename HasRoom, typename Put>
void ExchangeClient::post(const HasRoom& hasRoom, const Put& put) {
  if (handover_.post(hasRoom, put)) thread_.wake();
}

/// Before the trainer's thread sleeps until `hasCome` of the inbox. Keeps the reactor awake until
/// the wait is over: call thread_.stayAwake(false) then.
template <typename HasCome>
void ExchangeClient::watchFor(const HasCome& hasCome) {
  if (!stays_awake_) return;
  thread_.stayAwake(true);
  std::optional<std::uint64_t> seen;
  watch_.watch([&] {
    const std::uint64_t news = handover_.news();
    if (seen == news) return false;
    seen = news;
    return handover_.look(hasCome);
  });
}

PartialSum ExchangeClient::awaitRanges(Step step, std::uint32_t first, std::uint32_t end,
                                       TimePoint until) {
  const Handover::Waiting waiting(handover_);
  watchFor([=](const Inbox& inbox) {
    return inbox.partialSumOf(step, first, end).ranges > 0 || inbox.isOver(step);
  });
  const PartialSum found = handover_.awaitRanges(step, first, end, until);
  thread_.stayAwake(false);
  return found;
}

StepEvent ExchangeClient::awaitSum(Step step, TimePoint until) {
  const Handover::Waiting waiting(handover_);
  watchFor([step](const Inbox& inbox) { return inbox.sumOf(step).has_value(); });
  StepEvent came = handover_.await([step](const Inbox& inbox) { return inbox.sumOf(step); }, until)
                       .value_or(NotYet());
  thread_.stayAwake(false);
  return came;
}

StopOrder ExchangeClient::stopOrder() const {
  handover_.work().add();
  return handover_.look([](const Inbox& inbox) { return inbox.stopOrder(); });
}

bool ExchangeClient::isEnding() const {
  return handover_.look([](const Inbox& inbox) { return inbox.isEnding(); });
}

std::optional<ProcessEnd> ExchangeClient::end() const {
  return handover_.look([](const Inbox& inbox) { return inbox.end(); });
}

void ExchangeClient::reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times,
                                   bool is_last) {
  post([](const Outbox& outbox) { return !outbox.weights.full(); },
       [&](Outbox& outbox) {
         outbox.weights.push({step, crc, times, is_last});
       });
}

std::vector<WorkerTimes> ExchangeClient::workerTimes() const {
  return handover_.look([](const Inbox& inbox) { return inbox.workerTimes(); });
}

AgreementEvent ExchangeClient::awaitAgreement(Step step, TimePoint until) {
  return await([step](const Inbox& inbox) { return inbox.agreement(step); }, until);
}

EndEvent ExchangeClient::awaitEndOrHalt(TimePoint until) {
  return await([](const Inbox& inbox) { return inbox.endOrHalt(); }, until);
}

void ExchangeClient::reportProgress(const Progress& progress, bool is_interim) {
  post([](const Outbox& outbox) { return !outbox.progress.full(); },
       [&](Outbox& outbox) {
         outbox.progress.push({progress, is_interim});
       });
}

void ExchangeClient::reportEvaluation(const Evaluated& evaluation) {
  thread_.post(
      [line = toLine(evaluation)](JobMember& member) { member.training().reportProgress(line); });
}

link::Statistics ExchangeClient::statistics() {
  thread_.count();
  return handover_.awaitStatistics().value_or(link::Statistics{});
}

void ExchangeClient::reportSkipped(const CheckpointSkipped& skipped) {
  thread_.post(
      [line = toLine(skipped)](JobMember& member) { member.training().reportProgress(line); });
}

void ExchangeClient::checkpointed(Step step) {
  thread_.post([step](JobMember& member) { member.training().checkpointed(step); });
}

void ExchangeClient::foundCheckpoint(Step step) {
  thread_.post([step](JobMember& member) { member.training().foundCheckpoint(step); });
}

void ExchangeClient::finished(const std::string& result) {
  thread_.post([result](JobMember& member) { member.training().finished(result); });
}

void ExchangeClient::stopped() {
  thread_.post([](JobMember& member) { member.training().stopped(); });
}

void ExchangeClient::leave() {
  thread_.post([](JobMember& member) { member.leave(); });
}

void ExchangeClient::fail(ExitCode code, const std::string& reason) {
  thread_.post([code, reason](JobMember& member) { member.training().fail(code, reason); });
}

std::optional<ProcessEnd> ExchangeClient::awaitEnd(TimePoint until) {
  const Handover::Waiting waiting(handover_);
  return handover_.await([](const Inbox& inbox) { return inbox.end(); }, until);
}

}  // namespace sumac::worker
