#pragma once

#include <optional>
#include <vector>

#include "job/document/training_job.h"
#include "job/progress/progress.h"
#include "planner/autoscaling/decide.h"

namespace sumac::autoscaling {

/// What a job's sizes are chosen by and from.
struct SizedJob {
  Policy policy = {};
  int min_workers = 1;
  int max_workers = 1;
  int parts = 1;                                  // V
  int servers = 0;                                // K
  double change_seconds = kChangeInPlaceSeconds;  // of a change, before one was measured
  std::vector<ExpectedStep> expected = {};
};

/// Of a job with spec.autoscaling. Exchanges are expected to be short where there is no model of
/// them: in a strategy that is not synchronous, and of text whose vocabulary only the data tell.
SizedJob sizedJobOf(const job::TrainingJob& job);

/// Steps that were done one after the other by the same workers.
struct StepsDone {
  double steps = 0;
  double step_seconds = 0;                  // a mean, of whole steps without what lies between them
  double compute_seconds = 0;               // of it, what the busiest worker computed
  std::optional<Straggler> straggler = {};  // that all waited for

  bool operator==(const StepsDone&) const = default;
};

/// Those between two reports of one worker, the one with the fewest parts, while so many trained.
/// What the busiest worker computed is taken to be as much a part, or what a straggler did, which
/// counts where it takes at least a tenth of the step. Nothing where the reports do not say, or are
/// of different processes.
std::optional<StepsDone> stepsBetween(const Progress& before, const Progress& after, int workers,
                                      int parts);

/// Steps are observed together until they have taken this share of the time for which a size is
/// observed: a single short step says little.
inline constexpr double kReportShare = 1.0 / 12;

/// Before the first report: not known how many.
inline constexpr double kManySteps = 1e15;

/// What a job has been through. A value type: whoever may be started again keeps it with the job,
/// and gives it to the next JobSizer.
struct SizingCourse {
  double now = 0;            // of what was told last
  int wanted = 1;            // workers, as decided last
  int workers = 1;           // that train
  double since = 0;          // when that many began to
  bool is_changing = false;  // `wanted` was decided, and so many have not trained since
  double steps_left = kManySteps;
  int changes = 0;  // of what is wanted
  double worker_seconds = 0;
  double server_seconds = 0;
  int pauses = 0;              // measured, with
  double pause_seconds = 0;    // in all
  double steps = 0;            // observed, which took
  double inside_seconds = 0;   // themselves, and
  double between_seconds = 0;  // evaluations, checkpoints and the like between them
  Memory memory = {};

  bool operator==(const SizingCourse&) const = default;
};

/// Follows one job, and decides how many workers it should have: decide() with everything that has
/// to be kept for it. Without clock, threads or I/O; the operator and `sumac run` tell it what
/// happens. Times are seconds since the job started (status.startTime); one before the newest, or
/// that is no number, counts as the newest. Owned by one thread.
class JobSizer {
 public:
  /// A job that begins with so many workers.
  JobSizer(SizedJob job, int workers);
  /// One that was followed before.
  JobSizer(SizedJob job, SizingCourse course);

  /// What is spent until now is counted; whatever else is told does it, too.
  void advance(double now);
  /// So many train together from now on.
  void trains(int workers, double now);
  /// A change of members stopped the job for so long.
  void paused(double seconds);
  /// How far the job is. Steps that a change of members lies between are not compared.
  void progressed(const Progress& progress, double now);
  /// The same of one who compares reports itself.
  void done(const StepsDone& steps, double steps_left, double now);

  /// Until the next call; nothing: as many fit as are wanted.
  void setRoom(std::optional<Room> room) { room_ = room; }

  /// The number of workers that the job should have from now on. Asked after each report, and at
  /// Decision::look_again.
  Decision decide(double now);

  const SizedJob& job() const { return job_; }
  const SizingCourse& course() const { return course_; }
  /// At the policy's prices.
  double cost() const;
  /// For which a change stops the job: the mean of those measured, or the prior.
  double changeSeconds() const;

 private:
  void observe();
  Policy policy() const;
  Situation situation() const;

  const SizedJob job_;
  SizingCourse course_;
  std::optional<Room> room_;
  std::optional<Progress> before_;  // of those who train now
  double before_at_ = 0;
  StepsDone unobserved_;  // a report of these says too little
};

}  // namespace sumac::autoscaling
