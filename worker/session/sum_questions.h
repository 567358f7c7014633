#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/base/wait.h"
#include "common/membership/roster.h"
#include "common/membership/routes.h"

namespace sumac::worker {

/// What those who sum have said about a sum that has not come: when to ask them, and whom the
/// worker waits for by their answers. Owned by one thread.
class SumQuestions {
 public:
  /// What one who sums said about a range of the newest step.
  struct Answer {
    std::uint32_t range = 0;
    TreeNode missing;             // the first parts that have not come; empty: all have
    std::optional<Slot> awaited;  // for whom the one who answers waits then
  };

  explicit SumQuestions(Slot self) : self_(self) {}

  /// Nobody has been asked. `routes` outlives us or the next call.
  void restart(const Roster& roster, const Routes& routes);
  /// Of an older step: answers are forgotten.
  void begin(Step step) {
    step_ = step;
    answers_.clear();
  }

  /// Whether to ask this one now.
  bool isDue(Slot owner, TimePoint now) const;
  void asked(Slot owner, TimePoint now) { asked_[owner] = now; }
  /// Requires one who sums, and an answer about the newest step.
  void take(Slot from, const Answer& answer) { answers_[from] = answer; }

  /// Adds whom we wait for since `since`, as `owner` has not sent the sum of `range`. One line for
  /// each other member, however many ranges it holds up. Where we sum ourselves, only the answer
  /// says whom that waits for.
  void addWaits(Slot owner, std::uint32_t range, TimePoint since, std::vector<Wait>& found) const;

 private:
  void addLate(Slot owner, const Answer& answer, TimePoint since, std::vector<Wait>& found) const;
  void add(Slot whom, const std::string& what, TimePoint since, std::vector<Wait>& found) const;

  Slot self_;
  Step step_ = 0;
  const Routes* routes_ = nullptr;
  std::vector<Slot> workers_;  // of the roster, by position
  std::map<Slot, TimePoint> asked_;
  std::map<Slot, Answer> answers_;
};

}  // namespace sumac::worker
