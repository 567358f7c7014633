#include "exchange/coordinator/admission.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/core/check.h"
#include "base/core/units.h"

namespace sumac {

Admission::Admission(Options options) : options_(std::move(options)) {
  if (!options_.self) return;
  JoinRequest request;
  request.endpoint = options_.self->endpoint;
  const Member& self = options_.self->member;
  joined_[self.slot] = {self, std::move(request)};
}

Admission::Outcome Admission::join(const Member& member, std::uint64_t plan_hash,
                                   std::string_view request_json) {
  const MostMembers most = options_.most.value_or(MostMembers{options_.workers, options_.servers});
  const int slots = member.slot.role == Role::kWorker ? most.workers : most.servers;
  if (member.slot.index < 0 || member.slot.index >= slots || member.incarnation == 0) {
    return {Verdict::kRefused, "the job has no slot for " + toString(member.slot)};
  }
  if (isMember(member)) return roster_.has(member) ? Outcome{Verdict::kAgain, {}} : Outcome{};
  if (isRemoved(member) || (started() && !options_.most)) return {Verdict::kTaken, {}};
  return admit(member, plan_hash, request_json);
}

/// A process that is new to a slot without a member, or whose member it supersedes.
Admission::Outcome Admission::admit(const Member& member, std::uint64_t plan_hash,
                                    std::string_view request_json) {
  Result<JoinRequest> request = joinRequestFromJson(request_json);
  if (!request) return {Verdict::kRefused, request.error().message};
  if (planHash(request->plan_text) != plan_hash) {
    return {Verdict::kRefused, "the plan's hash does not fit its text"};
  }
  if (std::string text = refusal(member, *request); !text.empty()) {
    return {Verdict::kRefused, std::move(text)};
  }
  if (request->followed) seen_ = std::max(seen_, request->followed->order);
  if (auto other = lacking(member.slot, *request)) {
    if (!started() && firstWorker() == nullptr) adopted_.reset();
    return *std::move(other);
  }
  if (request->followed) {
    if (!request->followed->has_halted) return {Verdict::kEarly, {}};
    if (isOutdated(member.slot, request->followed->order)) return {Verdict::kTaken, {}};
  }
  // Who wrote into its folders may live on, and is kept out by a higher order.
  if (request->volume && *request->volume > roster_.order)
    seen_ = std::max(seen_, *request->volume);
  Outcome admitted{started() ? Verdict::kNext : Verdict::kWaiting, {}};
  // The size stays adopted, also where that was the only worker: this one states the same.
  if (const auto before = joined_.find(member.slot); before != joined_.end()) {
    admitted.superseded = before->second.member;
    removed_.insert(before->second.member);
  }
  joined_[member.slot] = {member, std::move(*request)};
  if (!started() && isComplete()) admitted.verdict = Verdict::kComplete;
  return admitted;
}

/// Whether who has the slot has followed a later roster: the one that asks was cut off, and was
/// replaced meanwhile.
bool Admission::isOutdated(Slot slot, RosterOrder followed) const {
  const auto found = joined_.find(slot);
  if (found == joined_.end()) return false;
  const auto& [member, request] = found->second;
  if (started() && roster_.has(member)) return roster_.order > followed;
  return request.followed && request.followed->order > followed;
}

void Admission::remove(Slot slot) {
  SUMAC_CHECK(!started() || options_.most);
  const auto found = joined_.find(slot);
  if (found == joined_.end()) return;
  removed_.insert(found->second.member);
  joined_.erase(found);
  // The next one states its size.
  if (!started() && firstWorker() == nullptr) adopted_.reset();
}

bool Admission::isComplete() const {
  if (started()) return true;
  const Followed* const before = followed();
  if (before == nullptr) return vacantSlots().empty();
  // The coordinator before is gone, and this one has its slot.
  const Slot self = coordinatorOf(options_.method == ExchangeMethod::kServers ? 1 : 0);
  return isEnough() && std::ranges::all_of(before->members, [&](const Member& member) {
           return member.slot == self ? joined_.contains(self) : isMember(member);
         });
}

const Followed* Admission::followed() const {
  const Followed* highest = nullptr;
  for (const auto& [slot, joined] : joined_) {
    const auto& one = joined.request.followed;
    if (one && (highest == nullptr || one->order > highest->order)) highest = &*one;
  }
  return highest;
}

bool Admission::isEnough() const {
  const bool has_servers = options_.method == ExchangeMethod::kServers;
  return firstWorker() != nullptr && (!has_servers || joined_.begin()->first.role == Role::kServer);
}

bool Admission::hasLeast() const {
  const auto workers = std::ranges::count_if(
      joined_, [](const auto& entry) { return entry.first.role == Role::kWorker; });
  return options_.most && options_.most->least_workers && workers >= *options_.most->least_workers;
}

std::vector<std::pair<Member, Admission::Outcome>> Admission::removeUnfit() {
  const Followed* const before = followed();
  std::vector<std::pair<Member, Outcome>> others;
  if (before == nullptr) return others;
  for (const auto& [slot, joined] : joined_) {
    if (auto other = unfit(slot, joined.request, before->kernels))
      others.emplace_back(joined.member, *std::move(other));
  }
  for (const auto& [member, why] : others)
    remove(member.slot);
  return others;
}

/// Why this member cannot compute with those that are here; none: it can.
std::optional<Admission::Outcome> Admission::lacking(Slot slot, const JoinRequest& request) const {
  if (started()) return unfit(slot, request, roster_.kernels);
  if (slot.role != Role::kWorker || !bestKernels(&request).empty()) return std::nullopt;
  return Outcome{withoutKernels(request),
                 "kernels: " + toString(slot) + " has none that all workers have"};
}

/// A worker that has a checkpoint names only the kernels of that: its next process may see another
/// checkpoint.
Admission::Verdict Admission::withoutKernels(const JoinRequest& request) {
  return request.newest_checkpoint > 0 ? Verdict::kOther : Verdict::kRefused;
}

/// Why this member cannot be one of a job that computes with `kernels`; none: it can. A state of
/// other kernels has other bits, and its process cannot change them.
std::optional<Admission::Outcome> Admission::unfit(Slot slot, const JoinRequest& request,
                                                   const std::string& kernels) {
  if (slot.role != Role::kWorker) return std::nullopt;
  const std::string who = "kernels: " + toString(slot);
  if (std::ranges::find(request.kernels, kernels) == request.kernels.end())
    return Outcome{withoutKernels(request),
                   who + " lacks " + kernels + ", which this job computes with"};
  if (request.followed && request.followed->kernels != kernels)
    return Outcome{Verdict::kOther, who + " has a state that " + request.followed->kernels +
                                        " computed, and this job has begun again with " + kernels +
                                        ": this process ends, and the next one can join"};
  return std::nullopt;
}

std::string Admission::obstacleTo(const Next& next) const {
  int workers = 0;
  bool sees_checkpoints = false;
  for (const auto& [slot, joined] : joined_) {
    if (slot.role != Role::kWorker) continue;
    ++workers;
    sees_checkpoints = sees_checkpoints || !joined.request.lacks_checkpoints;
  }
  if (next.reads_checkpoint && !sees_checkpoints)
    return "no worker that is there has the volume of the checkpoints";
  for (const auto& [slot, joined] : joined_) {
    const auto need = joined.request.memory_needs.find(workers);
    if (slot.role != Role::kWorker || need == joined.request.memory_needs.end()) continue;
    return toString(slot) + " needs about " + bytesText(need->second) + " of memory with " +
           counted(workers, "worker") + ", its memory limit is " +
           bytesText(joined.request.memory_limit.value_or(0));
  }
  return {};
}

bool Admission::isMember(const Member& member) const {
  const auto found = joined_.find(member.slot);
  return found != joined_.end() && found->second.member == member;
}

std::vector<Slot> Admission::vacantSlots() const {
  std::vector<Slot> slots;
  const auto add = [&](Role role, int count) {
    for (int i = 0; i < count; ++i) {
      if (!joined_.contains({role, i})) slots.push_back({role, i});
    }
  };
  add(Role::kServer, options_.servers);
  add(Role::kWorker, options_.workers);
  return slots;
}

const JoinRequest* Admission::firstWorker() const {
  const auto found = joined_.lower_bound({Role::kWorker, 0});
  return found == joined_.end() ? nullptr : &found->second.request;
}

std::string Admission::refusal(const Member& member, const JoinRequest& request) {
  const std::string who = toString(member.slot);
  if (member.slot.role == Role::kWorker) return workerRefusal(who, request);
  return planDifference(options_.server_text, request.plan_text, who, /*all=*/true);
}

std::string Admission::workerRefusal(const std::string& who, const JoinRequest& request) {
  if (adopted_ && request.size != adopted_->size) {
    return "words or values: " + who + " has " + std::to_string(request.size) + ", the job has " +
           std::to_string(adopted_->size);
  }
  auto wanted = adopted_ ? *adopted_ : adopt(request);
  if (!wanted) return who + ": " + wanted.error().message;
  std::string text = planDifference(wanted->plan.text, request.plan_text, who, /*all=*/false);
  if (!text.empty()) return text;
  if (const JoinRequest* first = firstWorker(); first != nullptr) {
    text = planDifference(first->plan_text, request.plan_text, who, /*all=*/true);
    if (!text.empty()) return text;
    if (request.steps != first->steps) return who + " counts other steps than the first worker";
  }
  if (request.followed && request.followed->done.value_or(0) > request.steps)
    return who + " has done more steps than the job has, " + std::to_string(request.steps);
  if (request.endpoint.empty() && (options_.most || options_.method != ExchangeMethod::kServers))
    return who + " does not listen, and others need to reach it";
  adopted_ = *std::move(wanted);
  return {};
}

Result<Admission::Adopted> Admission::adopt(const JoinRequest& request) const {
  auto plan = options_.plan_of(request.size);
  if (!plan) return plan.error();
  return Adopted{request.size, *std::move(plan)};
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

void Admission::issue(const std::vector<ExchangeCosts>& links, const std::optional<Next>& next) {
  SUMAC_CHECK(isEnough() && !started() && adopted_.has_value());
  const JoinRequest* first = firstWorker();
  const Followed* const before = followed();
  links_ = links;
  roster_.order = {seen_.term + 1, 1};
  roster_.kernels = before == nullptr ? bestKernels(first) : before->kernels;
  roster_.size = adopted_->size;
  begin(next ? *next : Next{.start_step = first->newest_checkpoint, .writer = {Role::kWorker, 0}});
}

void Admission::issueNext(const Next& next) {
  SUMAC_CHECK(started() && firstWorker() != nullptr);
  // Lanes that members have opened in another coordinator's term are none of this one's.
  if (seen_.term >= roster_.order.term) {
    roster_.order = {seen_.term + 1, 1};
  } else {
    ++roster_.order.generation;
  }
  begin(next);
}

void Admission::begin(const Next& next) {
  roster_.start_step = next.start_step;
  roster_.writer = next.writer;
  roster_.evaluated = next.evaluated;
  roster_.sources = next.sources;
  fillRoster();
}

void Admission::fillRoster() {
  roster_.members.clear();
  for (const auto& [slot, joined] : joined_)
    roster_.members.push_back({joined.member, joined.request.endpoint});
  roster_.shards = chooseShards();
}

/// Who sums; decides what the job leaves open.
ShardMap Admission::chooseShards() {
  std::vector<int> workers;
  std::vector<int> servers;
  std::vector<std::uint64_t> add_rates;
  for (const auto& [slot, joined] : joined_) {
    (slot.role == Role::kWorker ? workers : servers).push_back(slot.index);
    if (slot.role == Role::kWorker) add_rates.push_back(joined.request.add_rate);
  }
  const ExchangePlan& plan = adopted_->plan.exchange;
  if (!options_.method) {
    const std::string& before = firstWorker()->algorithm;
    roster_.choice = chooseMethod(plan, static_cast<int>(workers.size()),
                                  combined(links_, add_rates), static_cast<int>(links_.size()),
                                  roster_.order.generation == 1 ? before : std::string());
  }
  const ExchangeMethod method = options_.method ? *options_.method : roster_.choice->method;
  return ShardMap::shareOut(method, plan, method == ExchangeMethod::kServers ? servers : workers);
}

}  // namespace sumac
