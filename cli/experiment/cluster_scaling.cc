#include "cli/experiment/cluster_scaling.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/log_choice.h"
#include "job/progress/job_event.h"
#include "kube/api/json.h"

namespace sumac::cli {
namespace {

constexpr std::chrono::seconds kBetweenAsking{1};
constexpr std::chrono::seconds kLongestReading{60};  // of what is left of a log at its end

/// A line of a log without the time before it; the time is empty where there is none.
struct TimedLine {
  std::optional<WallTime> time;
  std::string_view text;
};

TimedLine timedLine(std::string_view line) {
  const auto space = line.find(' ');
  if (space == line.npos) return {std::nullopt, line};
  const auto time = parseRfc3339(line.substr(0, space));
  if (!time) return {std::nullopt, line};
  return {*time, line.substr(space + 1)};
}

std::optional<TimePoint> earlier(std::optional<TimePoint> one, std::optional<TimePoint> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

/// Whether the server may have done what it did not confirm.
bool mayHaveActed(const kube::Failure& failure) {
  constexpr int kServerErrors = 500;
  return failure.status == 0 ? !failure.is_unsent : failure.status >= kServerErrors;
}

}  // namespace

ClusterScaling::ClusterScaling(const Cluster& cluster, Job job,
                               std::vector<experiment::ScaleStep> script,
                               std::function<void()> on_failure)
    : cluster_(cluster),
      job_(std::move(job)),
      on_failure_(std::move(on_failure)),
      course_(std::move(script), job_.means),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

ClusterScaling::~ClusterScaling() {
  thread_.request_stop();
}

Result<experiment::ScaleRecord> ClusterScaling::finish(std::string parameters_sha256,
                                                       const std::stop_token& stop) {
  auto ending = thread_.get_stop_source();
  const std::stop_callback on_stop(stop, [&ending] { ending.request_stop(); });
  // After a failure nobody wants the rest of the log, and the job that writes it goes on.
  if (has_failed_) ending.request_stop();
  inbox_.put(Finish{});
  thread_.join();
  if (problem_.empty() && stop.stop_requested()) problem_ = "stopped";
  if (problem_.empty()) problem_ = course_.missing();
  if (!problem_.empty()) return Error{ErrorCode::kInvalid, problem_};
  return course_.take(std::move(parameters_sha256));
}

void ClusterScaling::run(const std::stop_token& stop) {
  WatchedList pods;
  pods.resource = kube::kPods;
  pods.name_space = job_.key.name_space;
  pods.label_selector = podsOf(job_.key.name);
  const auto watch = cluster_.watch(pods, [this](Change change) { inbox_.put(std::move(change)); });
  while (!stop.stop_requested() && !(give_up_ && attempts_.empty())) {
    auto news = inbox_.take(stop, dueAt());
    if (news) {
      std::visit([this](const auto& what) { on(what); }, *news);
    } else if (!stop.stop_requested()) {
      onDue();
    }
  }
  attempts_.clear();
}

/// When the cluster is asked for the next number of workers.
std::optional<TimePoint> ClusterScaling::changeAt() const {
  const auto stop_at = course_.changeAt();
  if (is_confirmed_ || has_failed_ || !stop_at) return std::nullopt;
  return ask_again_ ? std::max(*ask_again_, *stop_at) : stop_at;
}

/// Until when the oldest log is waited for.
std::optional<TimePoint> ClusterScaling::oldestUntil() const {
  if (attempts_.empty()) return std::nullopt;
  return earlier(attempts_.front().latest, give_up_);
}

/// When there is something to do without news.
std::optional<TimePoint> ClusterScaling::dueAt() const {
  return earlier(oldestUntil(), give_up_ ? std::nullopt : changeAt());
}

void ClusterScaling::onDue() {
  if (dueAt() == oldestUntil()) return leaveOldest();
  const nlohmann::json change{{"spec", {{"replicas", course_.nextWorkers()}}}};
  const auto reply = cluster_.client.patch(kube::kTrainingJobs, job_.key, "scale", change);
  const bool is_done = !reply.failure.has_value();
  if (is_done || mayHaveActed(*reply.failure)) course_.onAsked(is_done);
  is_confirmed_ = is_done && course_.isAsked();
  if (is_done) return;
  ask_again_ = cluster_.clock.now() + kBetweenAsking;
  if (reply.failure->isTransient()) return;
  fail(inWords(*reply.failure,
               {.verb = "patch",
                .subresource = "scale",
                .name_space = job_.key.name_space,
                .name = job_.key.name},
               cluster_.server));
}

void ClusterScaling::fail(std::string problem) {
  problem_ = std::move(problem);
  has_failed_ = true;
  on_failure_();
}

void ClusterScaling::on(const Change& change) {
  const auto pod = api::podFromJson(*change.object);
  if (!pod || pod->slot != job_.coordinator || pod->meta.controller_uid != job_.uid) return;
  if (!change.is_removed) return onPod(*pod);
  if (Attempt* attempt = attemptOf(pod->meta.uid)) attempt->reader->leave();
}

void ClusterScaling::onPod(const api::Pod& pod) {
  if (hasLog(pod) && !workers_.contains(pod.meta.uid)) read(pod);
  Attempt* attempt = pod.terminated ? attemptOf(pod.meta.uid) : nullptr;
  if (attempt != nullptr) attempt->reader->finish();
}

void ClusterScaling::read(const api::Pod& pod) {
  noteWorkers(pod);
  if (!attempts_.empty()) {
    // It has ended, but not all of its lines may be here. Its pod's name is the newer one's by now.
    attempts_.back().reader->leave();
    attempts_.back().latest = cluster_.clock.now() + kLongestReading;
  }
  LogChoice choice;
  choice.job = job_.key.name;
  choice.has_times = true;
  const std::string uid = pod.meta.uid;
  Attempt& attempt = attempts_.emplace_back();
  attempt.uid = uid;
  attempt.reader = std::make_unique<LogReader>(
      cluster_, choice, pod.meta.key,
      [this, uid](std::string_view line) {
        inbox_.put(Line{uid, std::string(line), cluster_.clock.now()});
      },
      [this, uid] { inbox_.put(ReaderEnded{uid}); });
  if (give_up_) attempt.reader->finish();
}

ClusterScaling::Attempt* ClusterScaling::attemptOf(const std::string& uid) {
  const auto found = std::ranges::find(attempts_, uid, &Attempt::uid);
  return found == attempts_.end() ? nullptr : &*found;
}

void ClusterScaling::leaveOldest() {
  attempts_.pop_front();  // lines of it that come now are those of nobody
  if (give_up_) give_up_ = cluster_.clock.now() + kLongestReading;
  useLines();
}

void ClusterScaling::useLines() {
  while (!attempts_.empty()) {
    for (const Line& line : std::exchange(attempts_.front().lines, {}))
      use(line);
    if (!attempts_.front().has_ended) return;
    attempts_.pop_front();
  }
}

/// With how many workers the attempt of this pod began.
void ClusterScaling::noteWorkers(const api::Pod& pod) {
  const auto job = fetchJob(cluster_, job_.key.name);
  const bool is_known = job && job->job.status.attempt == pod.attempt;
  // What was asked for is in the next attempt, whatever it was begun for.
  const int expected = course_.isAsked() ? course_.nextWorkers() : course_.workers();
  workers_[pod.meta.uid] = is_known ? job->job.status.worker.desired : expected;
}

void ClusterScaling::on(const Line& line) {
  Attempt* attempt = attemptOf(line.pod_uid);
  if (attempt == nullptr) return;
  attempt->lines.push_back(line);
  useLines();
}

void ClusterScaling::use(const Line& line) {
  const TimePoint time = timeOf(line);
  const auto event = jobEventFromLine(timedLine(line.text).text);
  if (!event) return;
  const bool was_asked = course_.isAsked();
  if (line.pod_uid != step_uid_) {
    step_uid_ = line.pod_uid;
    const bool is_next = was_asked && workers_[step_uid_] == course_.nextWorkers();
    if (is_next && job_.means == ScaleCourse::Means::kRestart) course_.moveOn();
  }
  course_.onEvent(*event, time);
  if (!was_asked || course_.isAsked()) return;
  is_confirmed_ = false;  // the change is there
  ask_again_.reset();
}

/// On our clock. The line that came fastest, of those before the first step, tells how the two
/// clocks differ.
TimePoint ClusterScaling::timeOf(const Line& line) {
  const auto time = timedLine(line.text).time;
  if (!time) return line.arrived;
  const TimePoint written{std::chrono::duration_cast<Duration>(time->time_since_epoch())};
  const Duration skew = line.arrived - written;
  if (!skew_ || !course_.hasBegun()) skew_ = std::min(skew_.value_or(skew), skew);
  return written + *skew_;
}

void ClusterScaling::on(const ReaderEnded& ended) {
  Attempt* attempt = attemptOf(ended.pod_uid);
  if (attempt == nullptr) return;
  attempt->has_ended = true;
  useLines();
}

void ClusterScaling::on(const Finish& /*finish*/) {
  give_up_ = cluster_.clock.now() + kLongestReading;
  // The watch may be behind.
  if (const auto pods = fetchPods(cluster_, job_.key.name)) {
    for (const api::Pod& pod : *pods) {
      if (pod.slot == job_.coordinator && pod.meta.controller_uid == job_.uid) onPod(pod);
    }
  }
  for (const Attempt& attempt : attempts_)
    attempt.reader->finish();
}

}  // namespace sumac::cli
