#include "operator/trainingjob/policy/members.h"

#include "base/core/units.h"
#include "kube/api/reasons.h"

namespace sumac::trainingjob {
namespace {

std::string sentenceOf(const MembersChanged& change) {
  std::string text = counted(change.workers, "worker");
  if (change.servers > 0) text += " and " + counted(change.servers, "server");
  text += " go on from step " + std::to_string(change.step) + ": ";
  text += (change.cause.empty() ? "" : change.cause + "; ") + counted(change.redone, "step") +
          " redone, " + bytesText(change.bytes) + " of state sent, pause of " +
          decimalText(change.pause_seconds) + " s";
  return text;
}

}  // namespace

void keepMembership(Draft& draft) {
  const auto& told = draft.observed.membership;
  api::MembershipStatus& next = draft.next.membership;
  const api::MembershipStatus before = next;
  if (!told || told->term < before.term) return;
  const bool is_new_term = told->term > before.term;
  if (is_new_term) next.earlier = before.changes;
  const std::int64_t changes = next.earlier + told->changes;
  if (!is_new_term && changes <= before.changes) return;
  next.term = told->term;
  next.generation = told->generation;
  next.changes = changes;
  const std::int64_t fresh = changes - before.changes;
  if (fresh == 0 || !told->last) return;
  draft.note(
      api::reasons::kMembersChanged,
      (fresh > 1 ? counted(fresh, "change") + ", the last: " : "") + sentenceOf(*told->last));
}

}  // namespace sumac::trainingjob
