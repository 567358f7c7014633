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

#include "base/keys/job_token.h"
#include "base/process/spawn.h"
#include "cli/run/line_reader.h"
#include "cli/run/member_process.h"
#include "cli/run/signals.h"
#include "job/progress/job_event.h"

namespace sumac::cli {
namespace {

constexpr std::size_t kMaxEndpoint = 256;
constexpr std::size_t kMaxProgressLine = 65'536;

Ending endingFrom(int status) {
  if (WIFSIGNALED(status)) return Ending{0, WTERMSIG(status)};
  return Ending{WEXITSTATUS(status), 0};
}

/// Whatever can be read now; nothing at the end of the stream.
std::optional<std::string> readSome(const Descriptor& from) {
  char buffer[16'384];
  const ssize_t got = ::read(from.get(), buffer, sizeof buffer);
  if (got > 0) return std::string(buffer, static_cast<std::size_t>(got));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::string();
  return std::nullopt;
}

/// Of an event that tells of one; 0 of another.
Step stepOf(const JobEvent& event) {
  if (const auto* progress = std::get_if<Progress>(&event)) return progress->step;
  if (const auto* interim = std::get_if<Interim>(&event)) return interim->progress.step;
  if (const auto* evaluated = std::get_if<Evaluated>(&event)) return evaluated->step;
  const auto* written = std::get_if<CheckpointWritten>(&event);
  return written != nullptr ? written->step : 0;
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
        supervisor_(options.servers, options.workers) {}

  ~LocalJob() {
    for (const auto& [pid, process] : processes_) {
      ::kill(pid, SIGKILL);
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
  void askObserver();
  void reap();
  void keepLastWords(Slot slot, std::string text);
  void takeReady();
  void takeProgress();
  void takeLine(const std::string& line);
  void tellSkip(const CheckpointSkipped& skipped);

  const LocalJobOptions& options_;  // outlives us
  const RunFolder folder_;
  std::string token_;   // with it this run's members know each other
  const Clock& clock_;  // outlives us
  Display display_;
  const Slot coordinator_;
  Supervisor supervisor_;
  Signals signals_;
  Pipe ready_;
  Pipe progress_;
  std::string endpoint_;
  LineReader ready_lines_{kMaxEndpoint};
  LineReader progress_lines_{kMaxProgressLine};
  std::map<pid_t, MemberProcess> processes_;
  bool is_stopped_by_observer_ = false;
  bool is_skip_told_ = false;
  int user_signal_ = 0;  // that came after the observer's stop, and counts in its place
  LocalJobResult result_;
};

Result<void> LocalJob::open() {
  auto ready = makePipe();
  if (!ready) return ready.error();
  ready_ = *std::move(ready);
  auto progress = makePipe();
  if (!progress) return progress.error();
  progress_ = *std::move(progress);
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
    askObserver();
    display_.tick(clock_.now());
    perform(supervisor_.tick(clock_.now()));
  }
  takeProgress();  // what was written just before the end
  display_.finish();
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

void LocalJob::askObserver() {
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
    const int signal = action.kind == Action::Kind::kTerminate ? SIGTERM : SIGKILL;
    for (const auto& [pid, process] : processes_) {
      // Not reaped yet, so the number cannot have become another process's.
      if (process.slot == action.slot) ::kill(pid, signal);
    }
  }
}

Result<void> LocalJob::startMember(Slot slot) {
  std::error_code ignored;  // do not mistake an older run's reason for this one's
  std::filesystem::remove(folder_.terminationFile(slot), ignored);
  const auto before = std::filesystem::file_size(folder_.log(slot), ignored);
  if (!ignored) result_.log_begins[slot] = before;
  auto started = cli::startMember(options_, {.slot = slot,
                                             .is_coordinator = slot == coordinator_,
                                             .coordinator = endpoint_,
                                             .token = token_,
                                             .ready = ready_.write.get(),
                                             .progress = progress_.write.get()});
  // Our copies would keep the pipes open after the coordinator has ended.
  if (slot == coordinator_) {
    ready_.write.reset();
    progress_.write.reset();
  }
  if (!started) return started.error();
  const pid_t pid = started->pid;
  processes_.emplace(pid, *std::move(started));
  return {};
}

void LocalJob::wait() {
  std::optional<TimePoint> until = supervisor_.deadline();
  if (const auto draw = display_.deadline(); draw && (!until || *draw < *until)) until = draw;
  if (const auto stop = observersStop(); stop && (!until || *stop < *until)) until = stop;
  int timeout_ms = -1;
  if (until) {
    // Rounded up: a wait that ends before its time would spin.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - clock_.now()).count();
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }
  pollfd watched[] = {{signals_.descriptor().get(), POLLIN, 0},
                      {ready_.read.get(), POLLIN, 0},
                      {progress_.read.get(), POLLIN, 0}};
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
  if (!ready_.read) return;
  const auto bytes = readSome(ready_.read);
  if (!bytes) {
    ready_.read.reset();
    return;
  }
  for (const std::string& line : ready_lines_.feed(*bytes)) {
    if (!endpoint_.empty() || !line.starts_with("tcp://")) continue;
    endpoint_ = line;
    perform(supervisor_.ready(clock_.now()));
  }
}

void LocalJob::takeProgress() {
  // Bounded, so that a server that writes without end cannot keep signals waiting; enough for all
  // that a pipe holds.
  constexpr int kMaxReads = 128;
  for (int i = 0; i < kMaxReads && progress_.read; ++i) {
    const auto bytes = readSome(progress_.read);
    if (!bytes) progress_.read.reset();
    if (!bytes || bytes->empty()) return;
    for (const std::string& line : progress_lines_.feed(*bytes))
      takeLine(line);
  }
}

void LocalJob::takeLine(const std::string& line) {
  const auto event = jobEventFromLine(line);
  if (!event) return;  // not one of ours: it must not reach the screen
  result_.last_step = std::max(result_.last_step, stepOf(*event));
  if (const auto* written = std::get_if<CheckpointWritten>(&*event)) {
    result_.newest_checkpoint = written->step;
    is_skip_told_ = false;
  } else if (const auto* skipped = std::get_if<CheckpointSkipped>(&*event)) {
    tellSkip(*skipped);
  } else if (std::holds_alternative<AllJoined>(*event)) {
    supervisor_.allJoined();
  } else if (const auto* dispensable = std::get_if<MemberDispensable>(&*event)) {
    supervisor_.dispensable(dispensable->member);
  }
  display_.show(*event, clock_.now());
  if (options_.observer != nullptr) options_.observer->onEvent(*event, clock_.now());
}

/// Once, until there is a checkpoint again.
void LocalJob::tellSkip(const CheckpointSkipped& skipped) {
  if (std::exchange(is_skip_told_, true)) return;
  display_.note("warning: " + RunFolder::onOneLine(skipped.message) +
                "; training goes on, and later checkpoints are tried");
}

}  // namespace

Result<LocalJobResult> superviseJob(const LocalJobOptions& options, const Clock& clock,
                                    std::ostream& out, Terminal terminal) {
  LocalJob local(options, clock, out, terminal);
  return local.run();
}

}  // namespace sumac::cli
