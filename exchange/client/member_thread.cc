#include "exchange/client/member_thread.h"

#include <utility>

#include "base/core/units.h"
#include "base/process/question_signal.h"

namespace sumac::worker {
namespace {

constexpr std::chrono::minutes kReminder{1};
// A trainer that gets nothing done for so long after the job's end hangs.
constexpr std::chrono::seconds kHangs{5};

Roles rolesOf(const ExchangePlan& plan, const ExchangeOptions& options, Trainer& trainer) {
  Roles roles;
  roles.training = {.plan = &plan, .trainer = &trainer, .kernels = options.kernels};
  if (options.sums != nullptr) options.sums->addTo(roles);
  return roles;
}

}  // namespace

MemberThread::MemberThread(std::unique_ptr<link::ZmqLink> link, const MemberIdentity& identity,
                           const ExchangePlan& plan, ExchangeOptions options, Handover& handover,
                           const Log& log)
    : log_(log),
      options_(std::move(options)),
      handover_(handover),
      wait_log_(log),
      link_(std::move(link)),
      lanes_(identity.job, identity.self, *link_, log),
      coordinator_(identity.coordinator_endpoint),
      member_(identity, rolesOf(plan, options_, handover), lanes_),
      reactor_(*link_, clock_) {
  member_.traceTo(options_.recorder);
  lanes_.deliverTo(member_);
  taken_.announced.reserve(mostFinalRanges(plan));
  if (options_.question_fd >= 0) {
    link_->watch(options_.question_fd, [this] { onQuestion(); });
  }
  thread_ = std::jthread([this] { run(); });
}

void MemberThread::stop() {
  reactor_.stop();
  if (thread_.joinable()) thread_.join();
}

// The thread's root: nothing is above it that could handle an exception.
void MemberThread::run() {
  const auto failure = endOfException(
      [this] {
        start(clock_.now());
        reactor_.run(
            lanes_, [this](TimePoint now) { onTick(now); }, [this] { onTurn(); });
      },
      "not enough memory for the exchange with the other members; give this worker more");
  if (failure) {
    log_.error("the exchange failed", {{"error", failure->reason}});
    handover_.onEnd(failure->code, failure->reason);
  }
  handover_.reactorGone();
}

void MemberThread::start(TimePoint now) {
  lanes_.onTick(now);
  member_.start(now);
}

void MemberThread::post(Task task) {
  reactor_.post([this, task = std::move(task)] {
    task(member_);
    member_.settle();
  });
}

void MemberThread::count() {
  reactor_.post([this] { handover_.counted(counted()); });
}

void MemberThread::onTick(TimePoint now) {
  watchTrainer(now);
  lanes_.onTick(now);
  member_.onTick(now);
  if (!member_.isNeeded()) handover_.freed();
  publish(now);
}

/// Passes on what the trainer's thread has put there.
void MemberThread::onTurn() {
  handover_.take(taken_);
  if (taken_.isEmpty()) return;
  Training& training = member_.training();
  for (const ProgressReport& report : taken_.outbox.progress.values())
    training.reportProgress(toLine(report.progress, report.is_interim));
  for (const WeightsReport& report : taken_.outbox.weights.values())
    training.reportWeights(report.step, report.crc, report.times, report.is_last);
  ContributionExchange& exchange = training.contributions();
  if (taken_.outbox.beginning) {
    const Step step = *taken_.outbox.beginning;
    exchange.begin(step, taken_.begun, handover_.leases().take(step, taken_.begun));
  }
  if (!taken_.announced.empty()) exchange.announce(taken_.announced);
  if (taken_.outbox.rest) exchange.announceRest();
  member_.settle();
}

/// Tells the coordinator whether the trainer gets on, and ends a process whose trainer does not
/// come to its end.
void MemberThread::watchTrainer(TimePoint now) {
  const bool works = !handover_.isWaiting();
  const std::uint64_t done = handover_.work().done();
  member_.tellWork({done, works, handover_.computed()});
  const auto end = handover_.look([](const Inbox& inbox) { return inbox.end(); });
  const bool should_end = end && end->code != ExitCode::kDone;
  if (!should_end || !works || done != seen_work_) worked_ = now;
  seen_work_ = done;
  if (now - worked_ >= kHangs && options_.on_hang) options_.on_hang(*end);
}

void MemberThread::publish(TimePoint now) {
  const MemberView member = member_.view();
  const std::vector<Wait> waiting = waits();
  wait_log_.onTick(waiting, now);
  tellLimited(member.limited);
  if (options_.published != nullptr) options_.published->set({counted(), member, waiting, now});
  if (options_.sums != nullptr) options_.sums->publish(member);
  if (member.order != RosterOrder{} || now < next_reminder_) return;
  next_reminder_ = now + kReminder;
  log_.info(member.connected ? "waiting for the other members" : "waiting for the coordinator",
            {{"endpoint", coordinator_}});
}

/// Once: the metric counts on.
void MemberThread::tellLimited(std::uint64_t values) {
  if (values == 0 || std::exchange(is_limited_told_, true)) return;
  log_.warn("gradients beyond fp16 were limited",
            {{"limit", 65504}, {"values", values}, {"try", "spec.strategy.codec: bf16"}});
}

/// Members that hold up the step, then those that the network does not reach.
std::vector<Wait> MemberThread::waits() const {
  std::vector<Wait> all = member_.waits();
  for (Wait& wait : lanes_.waits())
    all.push_back(std::move(wait));
  return all;
}

void MemberThread::onQuestion() {
  if (takeQuestion(options_.question_fd)) wait_log_.tell(waits(), clock_.now());
}

link::Statistics MemberThread::counted() const {
  link::Statistics counted = link_->statistics();
  lanes_.addTo(counted);
  return counted;
}

}  // namespace sumac::worker
