#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/log_reader.h"
#include "job/progress/job_event.h"
#include "kube/api/objects.h"

namespace sumac::cli {

/// Reads the log of slot 0 of a cluster's job, over all attempts, in their order, on its own
/// thread. Times are those of the log's lines, from the nodes' clocks, converted to our clock.
/// Owned by the run's thread.
class CoordinatorLog {
 public:
  struct Job {
    api::ObjectKey key;
    std::string uid;
    Slot coordinator;  // its log has the steps
  };

  /// Receives what the log has. All members are called on the log's thread, and return soon.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The log of this pod is read from now on; its lines may come much later.
    virtual void onAttempt(const api::Pod& pod) = 0;
    virtual void onEvent(const std::string& pod_uid, const JobEvent& event, TimePoint time) = 0;
    /// Whether a step was seen: until then lines tell how the nodes' clock and ours differ.
    virtual bool hasBegun() const = 0;
    /// When onDue() is to be called where nothing else happens; asked after each call.
    virtual std::optional<TimePoint> dueAt() const = 0;
    virtual void onDue(const std::stop_token& stop) = 0;
  };

  /// `cluster` and `listener` outlive us.
  CoordinatorLog(const Cluster& cluster, Job job, Listener& listener);
  ~CoordinatorLog();
  CoordinatorLog(const CoordinatorLog&) = delete;
  CoordinatorLog& operator=(const CoordinatorLog&) = delete;

  /// The job has ended: reads its log to the end, for a minute at most, and not after `stop`; where
  /// it is not `is_wanted`, nothing more is read. Returns when no more calls come. Called once.
  void finish(bool is_wanted, const std::stop_token& stop);

 private:
  struct Line {
    std::string pod_uid;
    std::string text;
    TimePoint arrived;
  };
  struct ReaderEnded {
    std::string pod_uid;
  };
  struct Finish {};
  /// An attempt of the job, while its log is read.
  struct Attempt {
    std::string uid;                  // of slot 0's pod
    std::optional<TimePoint> latest;  // its log is not waited for any longer: the next has begun
    std::vector<Line> lines;          // not used yet: those of the attempt before come first
    bool has_ended = false;           // all lines are here
    std::unique_ptr<LogReader> reader;
  };
  using News = std::variant<Change, Line, ReaderEnded, Finish>;

  void run(const std::stop_token& stop);
  std::optional<TimePoint> oldestUntil() const;
  std::optional<TimePoint> listenerAt() const;
  std::optional<TimePoint> dueAt() const;
  void onDue(const std::stop_token& stop);
  void on(const Change& change);
  void on(const Line& line);
  void on(const ReaderEnded& ended);
  void on(const Finish& finish);
  void onPod(const api::Pod& pod);
  void read(const api::Pod& pod);
  Attempt* attemptOf(const std::string& uid);
  void leaveOldest();
  void useLines();
  void use(const Line& line);
  TimePoint timeOf(const Line& line);

  const Cluster& cluster_;  // outlives us
  const Job job_;
  Listener& listener_;  // outlives us
  Inbox<News> inbox_;
  // Until the thread has ended, the following is its own.
  std::optional<TimePoint> give_up_;  // finishing
  std::optional<Duration> skew_;      // from the nodes' time of day to our clock
  std::set<std::string> read_;        // by uid of slot 0's pod
  // Each is read from its beginning on, as its pod's name is the next one's soon; in order.
  std::deque<Attempt> attempts_;
  std::jthread thread_;  // last: it uses all above
};

}  // namespace sumac::cli
