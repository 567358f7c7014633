#pragma once

#include <cstdint>
#include <optional>

#include "exchange/plan/exchange_plan.h"
#include "job/document/training_job.h"
#include "planner/advice/advice.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// What the members of a job are given, and the limit that is compared with it: the machine's, or
/// that of the job's own workers.
MemberMemory memberMemory(const AdviceQuestion& question, const job::TrainingJob& job,
                          const ExchangePlan& plan);

/// So few workers that one of them needs more than a limit.
struct TooFewWorkers {
  int workers = 0;
  std::int64_t bytes = 0;  // that it needs
};

/// The most workers, below those of `choice`, with which one needs more than `limit` bytes, as its
/// members compare them when some are lost: without the quarter that they are given beyond. Nothing
/// where however few are enough, or members may not change.
std::optional<TooFewWorkers> tooFewWorkers(const AdviceQuestion& question, const JobChoice& choice,
                                           std::int64_t limit);

/// The same as a note.
std::optional<Note> fewWorkersNote(const AdviceQuestion& question, const JobChoice& choice,
                                   std::int64_t limit);

}  // namespace sumac::planner
