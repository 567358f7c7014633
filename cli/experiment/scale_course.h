#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "cli/run/job_observer.h"

#include "experiment/document/experiment.h"
#include "experiment/measure/scale_record.h"

namespace sumac::cli {

/// One run with a script of numbers of workers: says when the job is to be stopped and with how
/// many workers it goes on, and keeps what happened. A step of the script that is late is not left
/// out: each number trains at least one step. How many workers train may differ from the script: a
/// job may found itself with fewer, lose one and get it back.
///
/// A state machine without a clock. Owned by the thread that runs the job.
class ScaleCourse final : public JobObserver {
 public:
  /// How a job gets another number of workers.
  enum class Means {
    kRestart,  // it stops at a checkpoint and goes on as another attempt: stopAt(), moveOn()
    kInPlace,  // its members change while it trains: resizeAt()
  };

  /// Requires a script with at least one step, in order of time.
  explicit ScaleCourse(std::vector<experiment::ScaleStep> script, Means means = Means::kRestart);

  /// By the script: of the attempt under way, or of the next one.
  int workers() const { return script_[at_].workers; }

  /// The next number. Requires that changeAt() has a time.
  int nextWorkers() const { return script_.at(at_ + 1).workers; }

  /// Whether a step was seen.
  bool hasBegun() const { return begun_.has_value(); }

  void onEvent(const JobEvent& event, TimePoint now) override;
  std::optional<TimePoint> stopAt() const override;
  std::optional<Resize> resizeAt() const override;
  void onResize() override { onAsked(/*is_certain=*/true); }

  /// When the next number of workers is due; nothing: there is none, or this one has no step yet.
  std::optional<TimePoint> changeAt() const;

  /// The job was given the next number or, where nobody has confirmed that, may have been. In place
  /// it is there with the next roster of so many workers, at once where they train already.
  /// Requires that changeAt() has a time.
  void onAsked(bool is_certain);
  bool isAsked() const { return is_asked_; }

  /// The job has stopped at its checkpoint, asked to by stopAt(): the next attempt has the next
  /// number of workers.
  void moveOn();

  /// Why the script was not carried out to its end; empty if it was.
  std::string missing() const;

  experiment::ScaleRecord take(std::string parameters_sha256);

 private:
  void onRoster(const RosterBegan& roster, TimePoint now);
  void onProgress(const Progress& progress, TimePoint now);
  void beginNumber();
  void change(int workers, double seconds);
  void addUntold(Step step, TimePoint now);
  void addTimes();
  void add(Step step, double seconds, std::optional<double> loss);
  double secondsAt(TimePoint time) const;

  std::vector<experiment::ScaleStep> script_;
  Means means_;
  std::size_t at_ = 0;                             // the step of the script in force
  std::size_t begin_ = 0;                          // its first point
  bool is_asked_ = false;                          // the job may know of the next number
  int training_;                                   // workers, whatever the script says
  std::size_t first_point_ = 0;                    // with so many
  std::optional<TimePoint> begun_;                 // the end of the first step
  std::optional<Progress> newest_;                 // of this attempt
  std::optional<Progress> before_;                 // in place: the newest with the number before
  std::optional<experiment::ScaleChange> change_;  // under way: its cost is not known yet
  experiment::ScaleRecord record_;
};

}  // namespace sumac::cli
