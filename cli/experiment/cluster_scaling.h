#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "base/core/wall_time.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/log_reader.h"
#include "cli/experiment/scale_course.h"

#include "experiment/document/experiment.h"
#include "experiment/measure/scale_record.h"

namespace sumac::cli {

/// Carries out a script of numbers of workers on a job of a cluster, on a thread of its own: reads
/// the log of slot 0 over all attempts, and sets the job's `/scale` when the script says so. A
/// change is there with the roster that has as many workers, at once where they train already, or,
/// where members do not change, the attempt. Times are those of the log's lines, which the nodes'
/// clocks give. Owned by the run's thread.
class ClusterScaling {
 public:
  struct Job {
    api::ObjectKey key;
    std::string uid;
    Slot coordinator;  // whose log has the steps
    ScaleCourse::Means means = ScaleCourse::Means::kRestart;
  };

  /// `cluster` outlives us. Requires a script with at least one step, in order of time.
  /// `on_failure` is called on our thread where the cluster refuses a change: finish() tells why.
  ClusterScaling(const Cluster& cluster, Job job, std::vector<experiment::ScaleStep> script,
                 std::function<void()> on_failure);
  ~ClusterScaling();
  ClusterScaling(const ClusterScaling&) = delete;
  ClusterScaling& operator=(const ClusterScaling&) = delete;

  /// The job has succeeded: reads its log to the end, for a minute at most, and not after `stop` or
  /// a failure. Fails where the script was not carried out, with a message for people. Called once.
  Result<experiment::ScaleRecord> finish(std::string parameters_sha256,
                                         const std::stop_token& stop);

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
  /// An attempt whose log is read.
  struct Attempt {
    std::string uid;                  // of slot 0's pod
    std::optional<TimePoint> latest;  // its log is not waited for any longer: the next has begun
    std::vector<Line> lines;          // not used yet: those of the attempt before come first
    bool has_ended = false;           // all lines are here
    std::unique_ptr<LogReader> reader;
  };
  using News = std::variant<Change, Line, ReaderEnded, Finish>;

  void run(const std::stop_token& stop);
  std::optional<TimePoint> changeAt() const;
  std::optional<TimePoint> oldestUntil() const;
  std::optional<TimePoint> dueAt() const;
  void onDue();
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
  void noteWorkers(const api::Pod& pod);
  TimePoint timeOf(const Line& line);
  void fail(std::string problem);

  const Cluster& cluster_;  // outlives us
  const Job job_;
  const std::function<void()> on_failure_;
  std::atomic<bool> has_failed_ = false;
  Inbox<News> inbox_;
  // Until the thread has ended, the following is its own.
  ScaleCourse course_;
  std::string problem_;
  bool is_confirmed_ = false;  // the cluster knows of the change that is due
  std::optional<TimePoint> ask_again_;
  std::optional<TimePoint> give_up_;    // finishing
  std::optional<Duration> skew_;        // from the nodes' time of day to our clock
  std::map<std::string, int> workers_;  // of the attempts that were read, by uid of slot 0's pod
  std::string step_uid_;                // whose steps are read
  // Each is read from its beginning on, as its pod's name is the next one's soon; in order.
  std::deque<Attempt> attempts_;
  std::jthread thread_;  // last: it uses all above
};

}  // namespace sumac::cli
