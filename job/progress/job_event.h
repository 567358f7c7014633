#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "base/core/step.h"
#include "job/progress/progress.h"

namespace sumac {

/// Scores after a step: of images accuracy and loss, of text the perplexities there are.
struct Evaluated {
  Step step = 0;
  std::int64_t epoch = 0;                // whole passes over the training data; 0: not known
  std::optional<double> valid_accuracy;  // 0 to 1
  std::optional<double> test_accuracy;   // 0 to 1
  std::optional<double> valid_perplexity;
  std::optional<double> test_perplexity;
  std::optional<double> valid_loss;
  std::optional<double> test_loss;
};
std::string toLine(const Evaluated& evaluation);

/// A complete checkpoint of this step is on disk.
struct CheckpointWritten {
  Step step = 0;
};
std::string toLine(const CheckpointWritten& checkpoint);

/// There was no room for the checkpoint of this step; training goes on. Not in metrics.jsonl.
struct CheckpointSkipped {
  Step step = 0;
  std::string message;         // why
  bool has_no_volume = false;  // the writer has none: no checkpoints until another worker writes
};
std::string toLine(const CheckpointSkipped& skipped);

/// The coordinator has issued a roster, the first one or the next: its members train together from
/// now on.
struct RosterBegan {
  std::set<Slot> members;
  Step start_step = 0;  // the step whose state they start from
  std::uint32_t term = 0;
  std::uint32_t generation = 0;
};

/// The job's end will be the same without this member, which may end or be lost from now on.
struct MemberDispensable {
  Slot member;
};
std::string toLine(const MemberDispensable& dispensable);

/// Members have come or gone: those of the roster of this order have the state of `step`, and train
/// on from it.
struct MembersChanged {
  std::uint32_t term = 0;
  std::uint32_t generation = 0;
  Step step = 0;
  int workers = 0;
  int servers = 0;
  std::string cause;         // who joined, left and was lost, for people
  Step redone = 0;           // steps that are computed again
  std::uint64_t bytes = 0;   // of states that members have got from each other
  double pause_seconds = 0;  // since the first of them had to wait for the others

  bool operator==(const MembersChanged&) const = default;
};
std::string toLine(const MembersChanged& change);

/// How far the job is now, for those who ask; not for the curve.
struct Interim {
  Progress progress;
};

/// The job is complete.
struct Finished {};

/// The attempt ended before the job was complete (job_end.h).
struct Ended {
  Step step = 0;
};

using JobEvent = std::variant<Progress, Interim, Evaluated, CheckpointWritten, CheckpointSkipped,
                              RosterBegan, MemberDispensable, MembersChanged, Finished, Ended>;

/// The step that an event tells of; 0 where it tells of none.
Step stepOf(const JobEvent& event);

/// Reads one line that a job says of itself, over the wire, on a pipe or in metrics.jsonl. Fails
/// with kInvalid on anything else: the line is not trusted.
Result<JobEvent> jobEventFromLine(std::string_view line);

}  // namespace sumac
