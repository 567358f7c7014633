#include "cli/run/local_job.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/core/text.h"
#include "base/core/units.h"
#include "base/keys/job_token.h"
#include "base/process/resource_limits.h"
#include "base/process/spawn.h"
#include "cli/run/coordinator_pipes.h"
#include "cli/run/member_process.h"
#include "cli/run/signals.h"
#include "cli/run/wanted_workers.h"
#include "job/progress/job_event.h"

namespace sumac::cli {
namespace {

Ending endingFrom(int status) {
  if (WIFSIGNALED(status)) return Ending{0, WTERMSIG(status)};
  return Ending{WEXITSTATUS(status), 0};
}

/// A user's program may have children, such as those that load its data: each member leads its own
/// process group.
void killWithChildren(pid_t pid) {
  ::kill(-pid, SIGKILL);
}

constexpr std::chrono::milliseconds kLookPeriod{200};

/// On the screen.
std::string firstLineOf(const std::string& text) {
  constexpr std::size_t kMost = 300;
  return std::string(wholeCharacters(RunFolder::onOneLine(text.substr(0, text.find('\n'))), kMost));
}

std::optional<Supervisor::Changes> changesOf(const LocalJobOptions& options) {
  if (!options.most_workers) return std::nullopt;
  return Supervisor::Changes{.restarts = options.restarts};
}

/// One run: carries out the supervisor's decisions.
class LocalJob {
 public:
  LocalJob(const LocalJobOptions& options, const Clock& clock, std::ostream& out, Terminal terminal)
      : options_(options),
        folder_(options.folder),
        clock_(clock),
        display_(out, terminal),
        coordinator_(coordinatorOf(options.servers)),
        supervisor_(options.servers, options.workers, changesOf(options),
                    options.program.has_value()),
        wanted_(folder_.workers()) {}

  ~LocalJob() {
    for (const auto& [pid, process] : processes_) {
      killWithChildren(pid);
      ::waitpid(pid, nullptr, 0);
    }
  }
  LocalJob(const LocalJob&) = delete;
  LocalJob& operator=(const LocalJob&) = delete;

  Result<LocalJobResult> run();

 private:
  Result<void> open();
  void perform(const std::vector<Action>& actions);
  Result<void> startMember(Slot slot);
  void wait();
  void takeSignals();
  std::optional<TimePoint> observersStop() const;
  std::optional<Resize> observersResize() const;
  std::optional<TimePoint> observersTime() const;
  void askObserver();
  void reap();
  void keepLastWords(Slot slot, std::string text);
  void takeReady();
  void takeProgress();
  void takeLine(const std::string& line);
  void lookForWorkers();
  Result<void> resize(int workers);
  void tellRestarts();
  void tellSkip(const CheckpointSkipped& skipped);

  const LocalJobOptions& options_;  // outlives us
  const RunFolder folder_;
  std::string token_;   // with it this run's members know each other
  const Clock& clock_;  // outlives us
  Display display_;
  const Slot coordinator_;
  Supervisor supervisor_;
  Signals signals_;
  CoordinatorPipes pipes_;
  WantedWorkers wanted_;
  std::optional<TimePoint> begun_;     // the first roster
  std::optional<TimePoint> finished_;  // training; the members end after it
  TimePoint next_look_;                // at how many workers are wanted
  std::string endpoint_;               // the coordinator's, of its later processes too
  std::map<pid_t, MemberProcess> processes_;
  bool is_stopped_by_observer_ = false;
  bool is_skip_told_ = false;
  int user_signal_ = 0;  // that came after the observer's stop, and counts in its place
  LocalJobResult result_;
};

Result<void> LocalJob::open() {
  auto token = makeJobToken();
  if (!token) return token.error();
  token_ = *std::move(token);
  if (!signals_.descriptor()) return Error{ErrorCode::kUnavailable, "cannot watch signals"};
  return {};
}

Result<LocalJobResult> LocalJob::run() {
  if (auto opened = open(); !opened) return opened.error();
  perform(supervisor_.start(clock_.now()));
  while (!supervisor_.isOver()) {
    wait();
    takeSignals();
    takeReady();
    takeProgress();
    tellRestarts();
    lookForWorkers();
    askObserver();
    display_.tick(clock_.now());
    perform(supervisor_.tick(clock_.now()));
  }
  takeProgress();  // what was written just before the end
  display_.finish();
  if (begun_) result_.seconds = secondsBetween(*begun_, finished_.value_or(clock_.now()));
  result_.coordinator_reason = result_.last_words[coordinator_];
  result_.code = supervisor_.exitCode();
  result_.is_stopped_by_observer = is_stopped_by_observer_;
  result_.stop_signal = user_signal_ != 0         ? user_signal_
                        : is_stopped_by_observer_ ? 0
                                                  : supervisor_.stopSignal();
  result_.failure = supervisor_.failure();
  if (result_.failure) result_.failure->reason = result_.last_words[result_.failure->slot];
  result_.unanswered = supervisor_.unanswered();
  return std::move(result_);
}

/// When the observer ends the job; nothing where it does not, or the job is ending anyway.
std::optional<TimePoint> LocalJob::observersStop() const {
  if (options_.observer == nullptr || supervisor_.stopSignal() != 0 || supervisor_.failure())
    return std::nullopt;
  return options_.observer->stopAt();
}

/// When the observer changes the number of workers; nothing where it does not.
std::optional<Resize> LocalJob::observersResize() const {
  if (options_.observer == nullptr || !options_.most_workers || !supervisor_.isTraining())
    return std::nullopt;
  return options_.observer->resizeAt();
}

/// When the observer wants to be called; nothing where it does not, or the job is ending anyway.
std::optional<TimePoint> LocalJob::observersTime() const {
  if (options_.observer == nullptr || !supervisor_.isTraining()) return std::nullopt;
  return options_.observer->wakeAt();
}

void LocalJob::askObserver() {
  if (const auto time = observersTime(); time && clock_.now() >= *time) {
    options_.observer->onTime(clock_.now());
    if (const auto victim = options_.observer->takeVictim())
      perform({{Action::Kind::kKill, *victim}});
  }
  if (const auto wanted = observersResize(); wanted && clock_.now() >= wanted->time) {
    if (!wanted->line.empty()) display_.note(wanted->line);
    perform(supervisor_.resize(wanted->workers, clock_.now()));
    options_.observer->onResize();
  }
  const auto at = observersStop();
  if (!at || clock_.now() < *at) return;
  is_stopped_by_observer_ = true;
  perform(supervisor_.signalled(SIGTERM, clock_.now()));
}

void LocalJob::perform(const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    if (action.kind == Action::Kind::kStart) {
      if (auto started = startMember(action.slot); !started) {
        perform(supervisor_.notStarted(action.slot, started.error(), clock_.now()));
      }
      continue;
    }
    for (const auto& [pid, process] : processes_) {
      // Not reaped yet, so the number cannot have become another process's.
      if (process.slot != action.slot) continue;
      if (action.kind == Action::Kind::kTerminate) {
        ::kill(pid, SIGTERM);
      } else {
        killWithChildren(pid);
      }
    }
  }
}

Result<void> LocalJob::startMember(Slot slot) {
  const bool is_coordinator = slot == coordinator_;
  if (is_coordinator) {
    if (auto opened = pipes_.open(); !opened) return opened;
  }
  std::error_code ignored;  // do not mistake an older run's reason for this one's
  std::filesystem::remove(folder_.terminationFile(slot), ignored);
  tellRestarts();  // with what the process before said last
  result_.last_words.erase(slot);
  const auto before = std::filesystem::file_size(folder_.log(slot), ignored);
  if (!ignored) result_.log_begins[slot] = before;
  auto started = cli::startMember(options_, {.slot = slot,
                                             .is_coordinator = is_coordinator,
                                             .coordinator = endpoint_,
                                             .workers = supervisor_.workers(),
                                             .token = token_,
                                             .ready = pipes_.readyEnd(),
                                             .progress = pipes_.progressEnd()});
  if (is_coordinator) pipes_.handOver();
  if (!started) return started.error();
  const pid_t pid = started->pid;
  processes_.emplace(pid, *std::move(started));
  return {};
}

void LocalJob::wait() {
  std::optional<TimePoint> until = supervisor_.deadline();
  if (const auto draw = display_.deadline(); draw && (!until || *draw < *until)) until = draw;
  if (const auto stop = observersStop(); stop && (!until || *stop < *until)) until = stop;
  if (const auto wanted = observersResize(); wanted && (!until || wanted->time < *until))
    until = wanted->time;
  if (const auto time = observersTime(); time && (!until || *time < *until)) until = time;
  if (supervisor_.isTraining() && (!until || next_look_ < *until)) until = next_look_;
  int timeout_ms = -1;
  if (until) {
    // Rounded up: a wait that ends before its time would spin.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - clock_.now()).count();
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }
  pollfd watched[] = {{signals_.descriptor().get(), POLLIN, 0},
                      {pipes_.ready(), POLLIN, 0},
                      {pipes_.progress(), POLLIN, 0}};
  ::poll(watched, std::size(watched), timeout_ms);  // EINTR: the loop looks at everything anyway
}

void LocalJob::takeSignals() {
  while (const int signal = signals_.next()) {
    if (signal == SIGCHLD) {
      reap();
      continue;
    }
    const bool again = supervisor_.stopSignal() != 0;
    if (std::exchange(is_stopped_by_observer_, false)) user_signal_ = signal;
    display_.note(again ? "stopping immediately"
                        : "stopping: waiting for the processes to end; again to stop immediately");
    perform(supervisor_.signalled(signal, clock_.now()));
  }
}

void LocalJob::reap() {
  int status = 0;
  while (true) {
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return;
    const auto process = processes_.find(pid);
    if (process == processes_.end()) continue;
    const Slot slot = process->second.slot;
    keepLastWords(slot, lastWordsOf(process->second));
    processes_.erase(process);
    takeReady();  // what it said before it ended came first
    takeProgress();
    perform(supervisor_.ended(slot, endingFrom(status), clock_.now()));
  }
}

/// In the folder too, if the disk takes it.
void LocalJob::keepLastWords(Slot slot, std::string text) {
  if (text.empty()) return;
  std::ofstream(folder_.terminationFile(slot), std::ios::binary) << text;
  result_.last_words[slot] = std::move(text);
}

void LocalJob::takeReady() {
  const auto endpoint = pipes_.takeEndpoint();
  if (!endpoint) return;
  endpoint_ = *endpoint;
  perform(supervisor_.ready(clock_.now()));
}

void LocalJob::takeProgress() {
  for (const std::string& line : pipes_.takeLines())
    takeLine(line);
}

void LocalJob::takeLine(const std::string& line) {
  const auto event = jobEventFromLine(line);
  if (!event) return;  // not one of ours: it must not reach the screen
  const Step step = stepOf(*event);
  result_.last_step = std::max(result_.last_step, step);
  supervisor_.stepDone(step);
  if (const auto* written = std::get_if<CheckpointWritten>(&*event)) {
    result_.newest_checkpoint = written->step;
    is_skip_told_ = false;
  } else if (const auto* skipped = std::get_if<CheckpointSkipped>(&*event)) {
    tellSkip(*skipped);
  } else if (const auto* roster = std::get_if<RosterBegan>(&*event)) {
    if (!begun_) result_.first_step = roster->start_step;
    if (!begun_) begun_ = clock_.now();
    supervisor_.rosterBegan(roster->members);
  } else if (std::holds_alternative<MembersChanged>(*event)) {
    ++result_.changes;
  } else if (std::holds_alternative<Finished>(*event)) {
    finished_ = clock_.now();
    supervisor_.complete();
  } else if (const auto* dispensable = std::get_if<MemberDispensable>(&*event)) {
    supervisor_.dispensable(dispensable->member);
  }
  display_.show(*event, clock_.now());
  if (options_.observer == nullptr) return;
  options_.observer->onEvent(*event, clock_.now());
  if (const auto note = options_.observer->takeNote()) display_.note(*note);
}

void LocalJob::lookForWorkers() {
  const TimePoint now = clock_.now();
  if (!supervisor_.isTraining() || now < next_look_) return;
  next_look_ = now + kLookPeriod;
  const std::string cause =
      options_.most_workers ? options_.workers_cause : "the members of this run are fixed";
  const auto wanted = wanted_.look(cause.empty() ? *options_.most_workers : 0);
  if (!cause.empty()) {
    if (!wanted)
      display_.note("warning: " + folder_.workers().string() + " is not followed: " + cause);
    return;
  }
  if (wanted && !*wanted) return;
  const auto done = wanted ? resize(**wanted) : Result<void>(wanted.error());
  if (!done) display_.note("warning: " + done.error().message + "; training goes on as it was");
}

Result<void> LocalJob::resize(int workers) {
  const int before = supervisor_.workers();
  if (workers == before) return {};
  if (auto enough = requireOpenFiles(filesOfRun(options_.servers + workers), "sumac run"); !enough)
    return enough;
  display_.note(counted(workers, "worker") + " wanted in place of " + std::to_string(before));
  perform(supervisor_.resize(workers, clock_.now()));
  return {};
}

void LocalJob::tellRestarts() {
  for (Restart& restart : supervisor_.takeRestarts()) {
    ++result_.restarts;
    restart.reason = firstLineOf(result_.last_words[restart.slot]);
    display_.note(restart.text());
  }
}

/// Once, until there is a checkpoint again.
void LocalJob::tellSkip(const CheckpointSkipped& skipped) {
  if (std::exchange(is_skip_told_, true)) return;
  display_.note("warning: " + RunFolder::onOneLine(skipped.message) +
                "; training goes on, and later checkpoints are tried");
}

}  // namespace

std::int64_t filesOfRun(std::int64_t members) {
  constexpr std::int64_t kOwn = 80;  // copies for a member to be started have high numbers (spawn)
  return kOwn + members;
}

Result<LocalJobResult> superviseJob(const LocalJobOptions& options, const Clock& clock,
                                    std::ostream& out, Terminal terminal) {
  LocalJob local(options, clock, out, terminal);
  return local.run();
}

}  // namespace sumac::cli
