#include "cli/cluster/logs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/log_choice.h"
#include "cli/cluster/log_lines.h"
#include "cli/cluster/log_reader.h"
#include "kube/api/json.h"

namespace sumac::cli {
namespace {

struct PodChange {
  Change change;
};
struct JobChange {
  Change change;
};
struct ReaderEnded {
  std::string pod_uid;
};
struct OutputGone {};  // nobody reads the pipe any more
using Event = std::variant<PodChange, JobChange, ReaderEnded, OutputGone>;

/// More connections than this are too much for an API server that others use as well.
constexpr std::size_t kMostReaders = 100;

/// Who is read at the moment. Used by the command's thread only, which takes the events in turn;
/// readers print on their own threads, so that a slow terminal holds them back.
class Following {
 public:
  Following(const Cluster& cluster, const LogChoice& choice, std::string uid,
            const Console& console)
      : cluster_(cluster), choice_(choice), uid_(std::move(uid)), console_(console) {}

  int run() {
    WatchedList pods;
    pods.resource = kube::kPods;
    pods.name_space = cluster_.name_space;
    pods.label_selector = podsOf(choice_.job);
    WatchedList jobs;
    jobs.name_space = cluster_.name_space;
    jobs.field_selector = "metadata.name=" + choice_.job;
    const auto pod_watch =
        cluster_.watch(pods, [this](Change change) { inbox_.put(PodChange{std::move(change)}); });
    const auto job_watch =
        cluster_.watch(jobs, [this](Change change) { inbox_.put(JobChange{std::move(change)}); });
    while (!(is_over_ && readers_.empty())) {
      auto event = inbox_.take(cluster_.stop);
      if (!event) return toInt(ExitCode::kInterrupted);
      std::visit([this](auto& what) { on(what); }, *event);
    }
    return toInt(ExitCode::kDone);
  }

 private:
  void on(const PodChange& event) {
    const auto pod = api::podFromJson(*event.change.object);
    if (!pod || !isChosen(choice_, *pod) || pod->meta.controller_uid != uid_) return;
    const std::string& uid = pod->meta.uid;
    if (hasLog(*pod) && !known_.contains(uid) && !event.change.is_removed) start(*pod);
    const auto reader = readers_.find(uid);
    if (reader == readers_.end()) return;
    if (event.change.is_removed) {
      reader->second->leave();
    } else if (pod->terminated) {
      reader->second->finish();
    }
  }

  void on(const JobChange& event) {
    const auto job = readJob(event.change.object);
    if (!job || job->job.meta.uid != uid_) return;
    is_over_ = is_over_ || job->job.status.isFinished() || event.change.is_removed;
    if (!is_over_) return;
    for (const auto& [uid, reader] : readers_)
      reader->finish();
  }

  void on(const ReaderEnded& event) { readers_.erase(event.pod_uid); }

  void on(const OutputGone&) {
    readers_.clear();
    is_over_ = true;
  }

  void print(Slot slot, std::string_view text) {
    const std::lock_guard lock(console_mutex_);
    console_.out << prefixOf(slot, console_.has_color) << text << "\n" << std::flush;
    if (!console_.out) inbox_.put(OutputGone{});
  }

  void note(const std::string& text) {
    const std::lock_guard lock(console_mutex_);
    console_.err << text << std::endl;
  }

  void start(const api::Pod& pod) {
    if (readers_.size() >= kMostReaders) {
      if (!std::exchange(has_warned_, true)) {
        note("warning: only " + std::to_string(kMostReaders) +
             " members are followed at a time; choose with --role and --index");
      }
      return;
    }
    const std::string uid = pod.meta.uid;
    known_.insert(uid);
    if (attempt_ && pod.attempt > *attempt_) {
      note("--- attempt " + std::to_string(pod.attempt));
    }
    attempt_ = std::max(attempt_.value_or(pod.attempt), pod.attempt);
    if (!first_attempt_) first_attempt_ = pod.attempt;
    // --tail and --since are about what was there at first; later attempts are read from their
    // start.
    LogChoice choice = choice_;
    if (pod.attempt > *first_attempt_) {
      choice.tail.reset();
      choice.since.reset();
    }
    readers_[uid] = std::make_unique<LogReader>(
        cluster_, choice, pod.meta.key,
        [this, slot = pod.slot](std::string_view text) { print(slot, text); },
        [this, uid] { inbox_.put(ReaderEnded{uid}); });
  }

  const Cluster& cluster_;   // outlives us
  const LogChoice& choice_;  // outlives us
  const std::string uid_;
  const Console& console_;  // outlives us
  // Before the readers, which use them.
  std::mutex console_mutex_;  // guards what is written to console_
  Inbox<Event> inbox_;

  std::set<std::string> known_;                                // uids of pods that were read
  std::map<std::string, std::unique_ptr<LogReader>> readers_;  // by pod uid
  std::optional<int> attempt_, first_attempt_;
  bool is_over_ = false;
  bool has_warned_ = false;
};

/// Prints the lines of all chosen members as they come, until the job of this uid has ended, was
/// deleted, or Ctrl-C. Returns an ExitCode.
int followLogs(const Cluster& cluster, const LogChoice& choice, const std::string& uid,
               const Console& console) {
  return Following(cluster, choice, uid, console).run();
}

// A kubelet that answers at all sends a finished log without long pauses.
constexpr Duration kLogsIdle = std::chrono::seconds(60);

std::string notYet(const api::Pod& pod) {
  const std::string& reason =
      pod.waiting_reason.empty() ? pod.unscheduled_reason : pod.waiting_reason;
  const std::string& message =
      pod.waiting_message.empty() ? pod.unscheduled_message : pod.waiting_message;
  std::string text = memberName(pod.slot) + " has not started";
  if (!reason.empty()) text += ": " + oneLine(reason);
  if (!message.empty()) text += ": " + oneLine(message);
  return text;
}

/// Prints one pod's log; whether it could be read.
bool printLog(const Cluster& cluster, const LogsOptions& options, const api::Pod& pod,
              const std::string& prefix, const Console& console) {
  LineCutter cutter;
  const auto print = [&](std::string_view line) {
    console.out << prefix << readableLine(line, options.choice.has_times) << "\n";
  };
  const auto request =
      logRequest(options.choice, pod.meta.key, /*follow=*/false, options.choice.has_times, "");
  const auto response = cluster.transport.stream(
      request, kLogsIdle, cluster.stop,
      [&](std::string_view bytes) {
        cutter.add(bytes, print);
        return true;
      },
      /*raw=*/true);
  cutter.end(print);
  console.out.flush();
  if (response.status == 200 && response.error.empty()) return true;
  const auto failure = kube::failureOf("get the log of " + pod.meta.key.name, response);
  console.err << "error: "
              << inWords(failure,
                         {.verb = "get",
                          .resource = kube::kPods,
                          .subresource = "log",
                          .name_space = pod.meta.key.name_space,
                          .name = pod.meta.key.name},
                         cluster.server)
              << std::endl;
  return false;
}

int printAll(const Cluster& cluster, const LogsOptions& options, const Console& console) {
  auto pods = fetchPods(cluster, options.choice.job);
  if (!pods) return toInt(complain(console.err, pods.error(), ExitCode::kFailed));
  std::erase_if(*pods, [&](const api::Pod& pod) { return !isChosen(options.choice, pod); });
  if (pods->empty()) {
    console.err << "error: the job " << options.choice.job << " has no such pods; `sumac describe "
                << options.choice.job << "` shows those it has" << std::endl;
    return toInt(ExitCode::kFailed);
  }
  bool is_any = false;
  for (const api::Pod& pod : *pods) {
    if (cluster.stop.stop_requested()) return toInt(ExitCode::kInterrupted);
    if (!hasLog(pod)) {
      console.err << notYet(pod) << std::endl;
      continue;
    }
    const std::string prefix = pods->size() > 1 ? prefixOf(pod.slot, console.has_color) : "";
    is_any = printLog(cluster, options, pod, prefix, console) || is_any;
  }
  return toInt(is_any ? ExitCode::kDone : ExitCode::kFailed);
}

}  // namespace

int logs(const Cluster& cluster, const LogsOptions& options, const Console& console) {
  const auto job = fetchJob(cluster, options.choice.job);
  if (!job) return toInt(complain(console.err, job.error(), ExitCode::kFailed));
  if (!options.follow || job->job.status.isFinished()) return printAll(cluster, options, console);
  return followLogs(cluster, options.choice, job->job.meta.uid, console);
}

}  // namespace sumac::cli
