#include "server/coordinator/admission.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace sumac::server {

Admission::Admission(RosterEntry self, std::string plan_text, int workers, int servers)
    : plan_text_(std::move(plan_text)), workers_(workers), servers_(servers) {
  JoinRequest request;
  request.endpoint = std::move(self.endpoint);
  joined_[self.member.slot] = {self.member, std::move(request)};
}

Admission::Outcome Admission::join(const Member& member, std::uint64_t plan_hash,
                                   std::string_view request_json) {
  const int slots = member.slot.role == Role::kWorker ? workers_ : servers_;
  if (member.slot.index < 0 || member.slot.index >= slots || member.incarnation == 0) {
    return {Verdict::kRefused, "the job has no slot for " + toString(member.slot)};
  }
  if (const auto holder = joined_.find(member.slot); holder != joined_.end()) {
    if (holder->second.member != member) {
      return {Verdict::kReplaced, "another process took its place"};
    }
    if (!started()) return {};
    ++roster_.epoch.generation;
    return {Verdict::kAgain, {}};
  }
  Result<JoinRequest> request = joinRequestFromJson(request_json);
  if (!request) return {Verdict::kRefused, request.error().message};
  if (planHash(request->plan_text) != plan_hash) {
    return {Verdict::kRefused, "the plan's hash does not fit its text"};
  }
  if (std::string text = refusal(member, *request); !text.empty()) {
    return {Verdict::kRefused, std::move(text)};
  }
  joined_[member.slot] = {member, std::move(*request)};
  if (joined_.size() < static_cast<std::size_t>(workers_) + static_cast<std::size_t>(servers_))
    return {};
  issue();
  return {Verdict::kStart, {}};
}

bool Admission::isMember(const Member& member) const {
  const auto found = joined_.find(member.slot);
  return found != joined_.end() && found->second.member == member;
}

const JoinRequest* Admission::firstWorker() const {
  const auto found = joined_.lower_bound({Role::kWorker, 0});
  return found == joined_.end() ? nullptr : &found->second.request;
}

std::string Admission::refusal(const Member& member, const JoinRequest& request) const {
  const std::string who = toString(member.slot);
  const bool worker = member.slot.role == Role::kWorker;
  std::string text = planDifference(plan_text_, request.plan_text, who, !worker);
  if (!text.empty() || !worker) return text;
  if (const JoinRequest* first = firstWorker(); first != nullptr) {
    text = planDifference(first->plan_text, request.plan_text, who, true);
    if (!text.empty()) return text;
  }
  if (bestKernels(&request).empty()) return "kernels: " + who + " has none that all workers have";
  return {};
}

// The last one of the candidate's variants, slowest first, that every worker has too.
std::string Admission::bestKernels(const JoinRequest* candidate) const {
  for (auto name = candidate->kernels.rbegin(); name != candidate->kernels.rend(); ++name) {
    const bool all = std::all_of(joined_.begin(), joined_.end(), [&](const auto& entry) {
      const std::vector<std::string>& has = entry.second.request.kernels;
      return entry.first.role != Role::kWorker ||
             std::find(has.begin(), has.end(), *name) != has.end();
    });
    if (all) return *name;
  }
  return {};
}

void Admission::issue() {
  const JoinRequest* first = firstWorker();
  SUMAC_CHECK(first != nullptr);
  roster_.epoch = {1, 1};
  roster_.start_step = first->newest_checkpoint;
  roster_.kernels = bestKernels(first);
  for (const auto& [slot, joined] : joined_) {
    const bool server = slot.role == Role::kServer;
    roster_.members.push_back({joined.member, server ? joined.request.endpoint : std::string()});
  }
}

}  // namespace sumac::server
