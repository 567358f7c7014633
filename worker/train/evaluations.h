#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "exchange/course/training_course.h"
#include "job/progress/job_result.h"
#include "worker/train/compute.h"
#include "worker/train/evaluator.h"
#include "worker/train/state.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// The evaluations of a roster's writer: its evaluators and the newest scores. Owned by the
/// trainer's thread.
class Evaluations {
 public:
  /// The references outlive us. The engine takes as many samples as worker 0's
  /// (exchange/membership/member_memory.h). `newest`: the scores of the writer's roster before.
  Evaluations(const TrainingSetup& setup, const Compute& compute, const Scores& newest = {});

  const Scores& newest() const { return scores_; }

  /// Renews the scores of these splits, where there are such. Returns all; null, and all scores are
  /// as before, once `mayGoOn` says no, which is asked before each batch.
  const Scores* evaluate(Splits splits, const TrainingState& state,
                         const std::function<bool()>& mayGoOn);
  void putInto(JobResult& result) const;

 private:
  bool is_text_;
  std::optional<Evaluator> valid_;
  std::optional<Evaluator> test_;
  std::vector<float> statistics_;
  Scores scores_;
};

}  // namespace sumac::worker
