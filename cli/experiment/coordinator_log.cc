#include "cli/experiment/coordinator_log.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/wall_time.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/log_choice.h"
#include "kube/api/json.h"

namespace sumac::cli {
namespace {

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

}  // namespace

CoordinatorLog::CoordinatorLog(const Cluster& cluster, Job job, Listener& listener)
    : cluster_(cluster),
      job_(std::move(job)),
      listener_(listener),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

CoordinatorLog::~CoordinatorLog() {
  thread_.request_stop();
}

void CoordinatorLog::finish(bool is_wanted, const std::stop_token& stop) {
  auto ending = thread_.get_stop_source();
  const std::stop_callback on_stop(stop, [&ending] { ending.request_stop(); });
  if (!is_wanted) ending.request_stop();
  inbox_.put(Finish{});
  thread_.join();
}

void CoordinatorLog::run(const std::stop_token& stop) {
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
      onDue(stop);
    }
  }
  attempts_.clear();
}

/// Until when the oldest log is waited for.
std::optional<TimePoint> CoordinatorLog::oldestUntil() const {
  if (attempts_.empty()) return std::nullopt;
  return earlier(attempts_.front().latest, give_up_);
}

/// A job that has ended needs nothing any more.
std::optional<TimePoint> CoordinatorLog::listenerAt() const {
  return give_up_ ? std::nullopt : listener_.dueAt();
}

/// When there is something to do without news.
std::optional<TimePoint> CoordinatorLog::dueAt() const {
  return earlier(oldestUntil(), listenerAt());
}

void CoordinatorLog::onDue(const std::stop_token& stop) {
  if (dueAt() == oldestUntil()) return leaveOldest();
  listener_.onDue(stop);
}

void CoordinatorLog::on(const Change& change) {
  const auto pod = api::podFromJson(*change.object);
  if (!pod || pod->slot != job_.coordinator || pod->meta.controller_uid != job_.uid) return;
  if (!change.is_removed) return onPod(*pod);
  if (Attempt* attempt = attemptOf(pod->meta.uid)) attempt->reader->leave();
}

void CoordinatorLog::onPod(const api::Pod& pod) {
  if (hasLog(pod) && !read_.contains(pod.meta.uid)) read(pod);
  Attempt* attempt = pod.terminated ? attemptOf(pod.meta.uid) : nullptr;
  if (attempt != nullptr) attempt->reader->finish();
}

void CoordinatorLog::read(const api::Pod& pod) {
  read_.insert(pod.meta.uid);
  listener_.onAttempt(pod);
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

CoordinatorLog::Attempt* CoordinatorLog::attemptOf(const std::string& uid) {
  const auto found = std::ranges::find(attempts_, uid, &Attempt::uid);
  return found == attempts_.end() ? nullptr : &*found;
}

void CoordinatorLog::leaveOldest() {
  attempts_.pop_front();  // its later lines are ignored
  if (give_up_) give_up_ = cluster_.clock.now() + kLongestReading;
  useLines();
}

void CoordinatorLog::useLines() {
  while (!attempts_.empty()) {
    for (const Line& line : std::exchange(attempts_.front().lines, {}))
      use(line);
    if (!attempts_.front().has_ended) return;
    attempts_.pop_front();
  }
}

void CoordinatorLog::on(const Line& line) {
  Attempt* attempt = attemptOf(line.pod_uid);
  if (attempt == nullptr) return;
  attempt->lines.push_back(line);
  useLines();
}

void CoordinatorLog::use(const Line& line) {
  const TimePoint time = timeOf(line);
  if (const auto event = jobEventFromLine(timedLine(line.text).text))
    listener_.onEvent(line.pod_uid, *event, time);
}

/// On our clock. Of the lines before the first step, the one that came fastest gives the difference
/// of the two clocks.
TimePoint CoordinatorLog::timeOf(const Line& line) {
  const auto time = timedLine(line.text).time;
  if (!time) return line.arrived;
  const TimePoint written{std::chrono::duration_cast<Duration>(time->time_since_epoch())};
  const Duration skew = line.arrived - written;
  if (!skew_ || !listener_.hasBegun()) skew_ = std::min(skew_.value_or(skew), skew);
  return written + *skew_;
}

void CoordinatorLog::on(const ReaderEnded& ended) {
  Attempt* attempt = attemptOf(ended.pod_uid);
  if (attempt == nullptr) return;
  attempt->has_ended = true;
  useLines();
}

void CoordinatorLog::on(const Finish& /*finish*/) {
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
