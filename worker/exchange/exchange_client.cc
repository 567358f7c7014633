#include "worker/exchange/exchange_client.h"

#include <bit>
#include <utility>

#include "common/base/stop_times.h"
#include "common/process/question_signal.h"

namespace sumac::worker {
namespace {

constexpr std::chrono::minutes kReminder{1};
// What the exchange of a small vector takes. Of a larger one, more than a wake-up costs.
constexpr Duration kWatched = std::chrono::microseconds(300);
// A trainer that gets nothing done for so long after the job's end hangs.
constexpr std::chrono::seconds kHangs{5};
// The coordinator itself may take its time for goodbyes.
constexpr Duration kFarewell = 2 * StopTimes::kFarewell;

coordination::ResidentIdentity residentOf(const WorkerIdentity& identity,
                                          trace::Recorder* recorder) {
  return {identity.self, identity.job, recorder};
}

/// Of a step: a block is made of at most two tree nodes of each size.
std::size_t mostFinalRanges(const ExchangePlan& plan) {
  const auto parts = static_cast<unsigned>(plan.parts);
  return plan.ranges.size() * 2 * static_cast<std::size_t>(std::bit_width(parts));
}

}  // namespace

class ExchangeClient::Waiting {
 public:
  explicit Waiting(ExchangeClient& client) : client_(client) { ++client_.waiting_; }
  ~Waiting() {
    client_.work_.add();
    --client_.waiting_;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  ExchangeClient& client_;  // outlives us
};

ExchangeClient::ExchangeClient(std::unique_ptr<link::ZmqLink> link, WorkerIdentity identity,
                               const ExchangePlan& plan, const ExchangeOptions& options,
                               const Log& log)
    : log_(log),
      options_(options),
      wait_log_(log),
      link_(std::move(link)),
      lanes_(identity.job, identity.self, *link_, log),
      shared_(options_.resident == nullptr ? nullptr
                                           : std::make_unique<link::SharedLink>(
                                                 identity.self.slot, identity.coordinator, lanes_)),
      session_(identity, plan, options_.coordinator,
               shared_ ? shared_->forWorker() : static_cast<link::Link&>(lanes_), *this,
               options_.kernels),
      reactor_(*link_, clock_),
      watch_(clock_, kWatched) {
  session_.traceTo(options_.recorder);
  if (shared_) {
    options_.resident->open(residentOf(identity, options_.recorder), shared_->forSums());
    shared_->deliverTo(session_, *options_.resident);
    lanes_.deliverTo(*shared_);
  } else {
    lanes_.deliverTo(session_);
  }
  const std::size_t most = mostFinalRanges(plan);
  taken_.reserve(most);
  announced_.reserve(most);
  if (options_.question_fd >= 0) {
    link_->watch(options_.question_fd, [this] { onQuestion(); });
  }
  thread_ = std::jthread([this] { runReactor(); });
}

ExchangeClient::~ExchangeClient() {
  close();
}

void ExchangeClient::close() {
  if (shared_) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kFarewell,
                      [this] { return !inbox_.end() || resident_is_over_ || reactor_gone_; });
  }
  reactor_.stop();
  if (thread_.joinable()) thread_.join();
}

// The thread's root: nothing is above it that could handle an exception.
void ExchangeClient::runReactor() {
  const auto failure = endOfException(
      [this] {
        startAll(clock_.now());
        reactor_.run(
            lanes_, [this](TimePoint now) { onTick(now); }, [this] { takeOutbox(); });
      },
      "not enough memory for the exchange with the other members; give this worker more");
  if (failure) {
    log_.error("the exchange failed", {{"error", failure->reason}});
    onEnd(failure->code, failure->reason);
  }
  const std::scoped_lock lock(mutex_);
  reactor_gone_ = true;
  changed_.notify_all();
  has_room_.notify_all();
}

void ExchangeClient::startAll(TimePoint now) {
  lanes_.onTick(now);
  if (shared_) options_.resident->start(now);
  session_.start(now);
  settle();
}

/// What worker and resident have told each other.
void ExchangeClient::settle() {
  if (!shared_) return;
  shared_->settle();
  if (!options_.resident->isOver()) return;
  const std::scoped_lock lock(mutex_);
  if (resident_is_over_) return;
  resident_is_over_ = true;
  changed_.notify_all();
}

/// Makes the reactor's thread run a task of the session.
void ExchangeClient::call(std::function<void()> task) {
  reactor_.post([this, task = std::move(task)] {
    task();
    settle();
  });
}

void ExchangeClient::onTick(TimePoint now) {
  watchTrainer(now);
  lanes_.onTick(now);
  session_.onTick(now);
  if (shared_) options_.resident->onTick(now);
  settle();
  const SessionView session = session_.view();
  const std::vector<Wait> waiting = waits();
  wait_log_.onTick(waiting, now);
  tellLimited(session.limited);
  if (options_.published != nullptr) {
    options_.published->set({counted(), session, waiting, now});
  }
  if (session.order != RosterOrder{} || now < next_reminder_) return;
  next_reminder_ = now + kReminder;
  log_.info(session.connected ? "waiting for the other members" : "waiting for the coordinator",
            {{"endpoint", options_.coordinator}});
}

/// Tells the coordinator whether the trainer gets on, and ends a process whose trainer does not
/// come to its end.
void ExchangeClient::watchTrainer(TimePoint now) {
  const bool works = waiting_.load() == 0;
  const std::uint64_t done = work_.done();
  session_.tellWork(done, works);
  std::optional<ProcessEnd> end;
  {
    const std::scoped_lock lock(mutex_);
    end = inbox_.end();
  }
  const bool should_end = end && end->code != ExitCode::kDone;
  if (!should_end || !works || done != seen_work_) worked_ = now;
  seen_work_ = done;
  if (now - worked_ >= kHangs && options_.on_hang) options_.on_hang(*end);
}

/// Once: the metric counts on.
void ExchangeClient::tellLimited(std::uint64_t values) {
  if (values == 0 || std::exchange(is_limited_told_, true)) return;
  log_.warn("gradients beyond fp16 were limited",
            {{"limit", 65504}, {"values", values}, {"try", "spec.strategy.codec: bf16"}});
}

/// Members that hold up the step, then those that the network does not reach.
std::vector<Wait> ExchangeClient::waits() const {
  std::vector<Wait> all = session_.waits();
  for (Wait& wait : lanes_.waits())
    all.push_back(std::move(wait));
  return all;
}

void ExchangeClient::onQuestion() {
  if (takeQuestion(options_.question_fd)) wait_log_.tell(waits(), clock_.now());
}

link::Statistics ExchangeClient::counted() const {
  link::Statistics counted = link_->statistics();
  lanes_.addTo(counted);
  return counted;
}

void ExchangeClient::takeOutbox() {
  Outbox taken;
  taken_.clear();
  {
    const std::scoped_lock lock(mutex_);
    taken = std::exchange(outbox_, {});
    taken_.swap(announced_);
    is_woken_ = false;
  }
  if (taken.isEmpty() && taken_.empty()) return;
  has_room_.notify_all();
  for (const ProgressReport& report : taken.progress.values())
    session_.reportProgress(toLine(report.progress, report.is_interim));
  for (const WeightsReport& report : taken.weights.values())
    session_.reportWeights(report.step, report.crc, report.times, report.is_last);
  if (taken.beginning) {
    const auto& [step, contributions] = *taken.beginning;
    session_.begin(step, contributions, leases_->take(step, contributions));
  }
  if (!taken_.empty()) session_.announce(taken_);
  if (taken.rest) session_.announceRest();
  settle();
}

/// Puts something into the outbox as soon as there is room, which is at once unless the reactor is
/// held up.
template <typename HasRoom, typename Put>
void ExchangeClient::post(const HasRoom& hasRoom, const Put& put) {
  {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [&] { return reactor_gone_ || hasRoom(); });
    if (reactor_gone_) return;
    put();
    if (std::exchange(is_woken_, true)) return;
  }
  link_->wake();
}

/// Passes an event on to the trainer's thread.
template <typename Event>
void ExchangeClient::pass(const Event& event) {
  {
    const std::scoped_lock lock(mutex_);
    event(inbox_);
    news_.fetch_add(1, std::memory_order_release);
    changed_.notify_all();
    range_came_.notify_all();
  }
  leases_->look();
}

void ExchangeClient::onStart(const Roster& roster, TreeNode block) {
  pass([&](Inbox& inbox) { inbox.onStart(roster, block); });
}

// Wakes the trainer only for what it waits for.
void ExchangeClient::onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) {
  const std::scoped_lock lock(mutex_);
  inbox_.onPartialSum(step, run, sum);
  news_.fetch_add(1, std::memory_order_release);
  if (awaited_range_ && *awaited_range_ - run.range < run.ranges) range_came_.notify_all();
}

void ExchangeClient::onSum(Step step, std::span<const float> sum) {
  pass([&](Inbox& inbox) { inbox.onSum(step, sum); });
}

void ExchangeClient::onStopAfter(Step step) {
  pass([&](Inbox& inbox) { inbox.onStopAfter(step); });
}

void ExchangeClient::onStopNow(bool writes) {
  pass([&](Inbox& inbox) { inbox.onStopNow(writes); });
}

void ExchangeClient::onWeightsAgreed(Step step) {
  pass([&](Inbox& inbox) { inbox.onWeightsAgreed(step); });
}

void ExchangeClient::onWorkerTimes(const std::vector<WorkerTimes>& times) {
  pass([&](Inbox& inbox) { inbox.onWorkerTimes(times); });
}

void ExchangeClient::onEnd(ExitCode code, const std::string& reason) {
  pass([&](Inbox& inbox) { inbox.onEnd(code, reason); });
}

std::variant<Start, ProcessEnd> ExchangeClient::join() {
  const Waiting waiting(*this);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return inbox_.start() || inbox_.end(); });
  if (inbox_.end()) return *inbox_.end();
  return *inbox_.start();
}

std::optional<StepEvent> ExchangeClient::awaitBuffers(Step step) {
  const Waiting waiting(*this);
  std::optional<StepEvent> over;
  leases_->awaitReturn(step, [this, step, &over] {
    const std::scoped_lock lock(mutex_);
    over = inbox_.sumOf(step);
    return over.has_value();
  });
  return over;
}

// Nothing can be sent yet: the reactor takes it with the first ranges.
void ExchangeClient::begin(Step step, std::span<const Contribution> contributions) {
  std::unique_lock lock(mutex_);
  // The end of the step before is taken first, or it would be that of this one.
  has_room_.wait(lock, [this] { return reactor_gone_ || (!outbox_.beginning && !outbox_.rest); });
  outbox_.beginning = Beginning{step, contributions};
}

void ExchangeClient::announce(std::span<const FinalRange> ranges) {
  post([] { return true; },
       [&] { announced_.insert(announced_.end(), ranges.begin(), ranges.end()); });
}

void ExchangeClient::announceRest() {
  post([] { return true; }, [this] { outbox_.rest = true; });
}

/// Before the trainer's thread sleeps until `hasCome`, which is called with the lock held. Keeps
/// the reactor awake until the wait is over: call link_->stayAwake(false) then.
template <typename HasCome>
void ExchangeClient::watchFor(const HasCome& hasCome) {
  if (!options_.stays_awake) return;
  link_->stayAwake(true);
  std::optional<std::uint64_t> seen;
  watch_.watch([&] {
    const std::uint64_t news = news_.load(std::memory_order_acquire);
    if (seen == news) return false;
    seen = news;
    const std::scoped_lock lock(mutex_);
    return hasCome();
  });
}

PartialSum ExchangeClient::awaitRanges(Step step, std::uint32_t first, std::uint32_t end) {
  const Waiting waiting(*this);
  PartialSum found;
  const auto hasCome = [&] {
    found = inbox_.partialSumOf(step, first, end);
    return found.ranges > 0 || inbox_.isOver(step);
  };
  watchFor(hasCome);
  std::unique_lock lock(mutex_);
  awaited_range_ = first;
  range_came_.wait(lock, hasCome);
  awaited_range_.reset();
  link_->stayAwake(false);
  return found;
}

StepEvent ExchangeClient::awaitSum(Step step) {
  const Waiting waiting(*this);
  const auto hasCome = [this, step] { return inbox_.sumOf(step).has_value(); };
  watchFor(hasCome);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, hasCome);
  link_->stayAwake(false);
  return *inbox_.sumOf(step);
}

StopOrder ExchangeClient::stopOrder() const {
  work_.add();
  const std::scoped_lock lock(mutex_);
  return inbox_.stopOrder();
}

bool ExchangeClient::isEnding() const {
  const std::scoped_lock lock(mutex_);
  return inbox_.isEnding();
}

std::optional<ProcessEnd> ExchangeClient::end() const {
  const std::scoped_lock lock(mutex_);
  return inbox_.end();
}

void ExchangeClient::reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times,
                                   bool is_last) {
  post([this] { return !outbox_.weights.full(); },
       [&] {
         outbox_.weights.push({step, crc, times, is_last});
       });
}

std::vector<WorkerTimes> ExchangeClient::workerTimes() const {
  const std::scoped_lock lock(mutex_);
  return inbox_.workerTimes();
}

std::optional<ProcessEnd> ExchangeClient::awaitAgreement(Step step) {
  const Waiting waiting(*this);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, step] { return inbox_.end() || inbox_.isAgreed(step); });
  if (inbox_.isAgreed(step)) return std::nullopt;
  return inbox_.end();
}

void ExchangeClient::reportProgress(const Progress& progress, bool is_interim) {
  post([this] { return !outbox_.progress.full(); },
       [&] {
         outbox_.progress.push({progress, is_interim});
       });
}

void ExchangeClient::reportEvaluation(const Evaluated& evaluation) {
  call([this, line = toLine(evaluation)] { session_.reportProgress(line); });
}

link::Statistics ExchangeClient::statistics() {
  reactor_.post([this] {
    const std::scoped_lock lock(mutex_);
    statistics_ = counted();
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return statistics_ || reactor_gone_; });
  return std::exchange(statistics_, std::nullopt).value_or(link::Statistics{});
}

void ExchangeClient::checkpointed(Step step) {
  call([this, step] { session_.checkpointed(step); });
}

void ExchangeClient::finished(const std::string& result) {
  call([this, result] { session_.finished(result); });
}

void ExchangeClient::stopped() {
  call([this] { session_.stopped(); });
}

void ExchangeClient::leave() {
  call([this] { session_.leave(); });
}

void ExchangeClient::fail(ExitCode code, const std::string& reason) {
  call([this, code, reason] { session_.fail(code, reason); });
}

ProcessEnd ExchangeClient::awaitEnd() {
  const Waiting waiting(*this);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return inbox_.end().has_value(); });
  return *inbox_.end();
}

}  // namespace sumac::worker
