#include "operator/trainingjob/policy/replacement.h"

#include <algorithm>
#include <array>

#include "base/core/exit_code.h"
#include "base/core/units.h"
#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/cause.h"
#include "operator/trainingjob/policy/recovery.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

/// The entry of a member in one of the two statuses; null: it is not being replaced.
template <typename Recovery>
auto* replacementIn(Recovery& recovery, Slot slot) {
  auto& all = recovery.replacements;
  const auto found = std::find_if(all.begin(), all.end(), [&](const api::Replacement& each) {
    return each.member == memberName(slot);
  });
  return found == all.end() ? nullptr : &*found;
}

api::Replacement& entryOf(Draft& draft, Slot slot) {
  if (auto* const found = replacementIn(draft.next.recovery, slot)) return *found;
  return draft.next.recovery.replacements.emplace_back(
      api::Replacement{.member = memberName(slot), .failures = 0, .not_before = {}});
}

/// Whether the job told the member that it does not fit.
bool isRefusal(const Failure& failure) {
  return failure.kind == FailureKind::kForGood &&
         failure.exit_code == toInt(ExitCode::kBadConfiguration);
}

/// Whether the failure ends the job at once. Others can do without a member that does not fit, but
/// not without slot 0.
bool helpsNoMore(const Draft& draft, const Failure& failure) {
  if (failure.kind != FailureKind::kForGood) return false;
  if (!isRefusal(failure)) return true;
  const auto* const before = replacementIn(draft.before.recovery, failure.slot);
  return failure.slot == draft.view.coordinator() && before != nullptr &&
         before->failures + 1 >= kMostRefusals;
}

void countFailures(Draft& draft, const std::vector<Failure>& failures) {
  const bool has_cause = failures.front().kind != FailureKind::kConsequence;
  const auto is_counted = [&](const Failure& failure) {
    const bool is_effect = failure.kind == FailureKind::kConsequence;
    return failure.isCounted() && !(is_effect && (has_cause || isExplained(draft, failure)));
  };
  const bool has_failure = std::any_of(failures.begin(), failures.end(), is_counted);
  const int disruptions = disruptionsInARow(draft);
  const int failed = failuresInARow(draft);
  draft.next.recovery.failures = has_failure ? following(failed) : failed;
  draft.next.recovery.disruptions = has_failure ? disruptions : following(disruptions);
  draft.next.recovery.highest_step = std::max(draft.before.recovery.highest_step, stepsSeen(draft));
}

/// Whether this is one failure too many. A step that the others do meanwhile may show that it is
/// not: `waits` says that it is too early to tell.
bool isOneTooMany(Draft& draft, const Failure& failure, bool& waits) {
  const int before = failuresInARow(draft);
  const bool is_new = draft.next.recovery.failures > before;
  if (!is_new || before < draft.job.run_policy.backoff_limit) return false;
  const auto since = draft.now - failure.time.value_or(draft.now);
  waits = before > 0 && since >= since.zero() && since < kCauseWindow;
  if (waits) draft.againAfter(kCauseWindow - since);
  return true;
}

void refuse(Draft& draft, const Failure& failure, api::Replacement& entry) {
  entry.is_refused = true;
  draft.warn(
      api::reasons::kWorkerRefused,
      shortSentenceOf(failure) + "; so did " + std::to_string(kMostRefusals - 1) +
          " before it: the job goes on without this member until the number of workers changes");
}

void replace(Draft& draft, const Failure& failure) {
  markHandled(draft, failure.pod_uid);
  draft.next.replaced = following(draft.next.replaced);
  api::Replacement& entry = entryOf(draft, failure.slot);
  entry.failures = following(entry.failures);
  entry.not_before.reset();
  if (isRefusal(failure) && entry.failures >= kMostRefusals) return refuse(draft, failure, entry);
  const api::Recovery& recovery = draft.next.recovery;
  const int in_a_row = std::max({entry.failures, recovery.failures, recovery.disruptions});
  const Duration pause = replacementPause(in_a_row);
  const WallTime failed = std::min(failure.time.value_or(draft.now), draft.now);
  const auto end = std::chrono::floor<std::chrono::seconds>(failed + pause);
  std::string message = shortSentenceOf(failure) + "; it is created again";
  if (end > draft.now) {
    entry.not_before = end;
    message += " at " + toRfc3339(end);
  }
  draft.warn(failure.reason, message);
}

}  // namespace

Duration replacementPause(int in_a_row) {
  using std::chrono::seconds;
  constexpr std::array kPauses = {seconds(0),  seconds(0),  seconds(1), seconds(5),
                                  seconds(10), seconds(20), seconds(40)};
  constexpr seconds kLongest{60};
  const auto row = static_cast<std::size_t>(std::max(in_a_row, 0));
  return row < kPauses.size() ? kPauses.at(row) : kLongest;
}

bool replaceFailed(Draft& draft) {
  const std::vector<Failure> failures = failuresOf(draft);
  if (failures.empty()) {
    forgetReplaced(draft);
    return false;
  }
  const auto end = std::find_if(failures.begin(), failures.end(), [&](const Failure& failure) {
    return helpsNoMore(draft, failure);
  });
  const Failure& first = end == failures.end() ? failures.front() : *end;
  countFailures(draft, failures);
  bool waits = false;
  const bool is_last = end != failures.end() || isOneTooMany(draft, first, waits);
  if (waits) {
    draft.next = draft.before;  // the counts too: the write that names the cause has them
    return true;
  }
  if (!isExplained(draft, first)) keepFailure(draft, first);
  if (is_last) {
    failFor(draft, first);
    return true;
  }
  for (const Failure& failure : failures)
    replace(draft, failure);
  return true;
}

void awaitMembers(Draft& draft, int workers) {
  auto& awaited = draft.next.recovery.replacements;
  std::erase_if(awaited, [](const api::Replacement& each) { return each.is_refused; });
  for (int i = draft.before.worker.desired; i < workers; ++i)
    entryOf(draft, {Role::kWorker, i});
  for (int i = workers; i < draft.before.worker.desired; ++i) {
    std::erase_if(awaited, [i](const api::Replacement& each) {
      return each.member == memberName({Role::kWorker, i});
    });
  }
}

void forgetReplaced(Draft& draft) {
  std::erase_if(draft.next.recovery.replacements, [&](const api::Replacement& each) {
    return std::any_of(draft.view.current().begin(), draft.view.current().end(),
                       [&](const auto& entry) {
                         return memberName(entry.first) == each.member && entry.second->is_ready;
                       });
  });
}

bool isBeingReplaced(const Draft& draft, Slot slot) {
  return replacementIn(draft.before.recovery, slot) != nullptr;
}

WallTime replacementTime(const Draft& draft, Slot slot) {
  const auto* const found = replacementIn(draft.before.recovery, slot);
  if (found == nullptr || !found->not_before) return WallTime::min();
  // One too far ahead was written with a wrong clock.
  return *found->not_before > draft.now + kLongestPause ? WallTime::min() : *found->not_before;
}

}  // namespace sumac::trainingjob
