#include "worker/session/contribution_exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"

namespace sumac::worker {

namespace {

link::Peer dataOf(Slot owner) {
  return {owner, link::Lane::kData};
}

}  // namespace

ContributionExchange::ContributionExchange(const wire::Header& base, const ExchangePlan& plan,
                                           link::Link& link)
    : base_(base), plan_(&plan), link_(&link), have_(plan.ranges.size(), false) {
  for (AlignedBuffer& sum : sums_)
    sum = AlignedBuffer(static_cast<std::size_t>(plan.values));
}

/// Each worker begins with another owner, so that not all send to the same one at once.
std::vector<ContributionExchange::Owner> ContributionExchange::ownersOf(
    const Roster& roster) const {
  std::vector<Owner> owners;
  for (const RosterEntry& entry : roster.members) {
    const Slot slot = entry.member.slot;
    std::vector<RangeRun> runs = runsOf(*plan_, roster.shards.rangesOf(slot));
    if (!runs.empty()) owners.push_back({slot, std::move(runs), {}});
  }
  const int position = std::max(roster.positionOf(base_.sender), 0);
  if (!owners.empty()) {
    const auto first = static_cast<std::size_t>(position) % owners.size();
    std::ranges::rotate(owners, owners.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return owners;
}

void ContributionExchange::onRoster(const Roster& roster) {
  order_ = roster.order;
  shards_ = roster.shards;
  owners_ = ownersOf(roster);
  // Owners forget with a new roster, and others may lack what we have.
  for (Owner& owner : owners_) {
    for (const auto& [step, contributions] : retained_)
      enqueue(step, owner);
    pump(owner);
  }
}

void ContributionExchange::onRoom(Slot slot) {
  for (Owner& owner : owners_) {
    if (owner.slot == slot) pump(owner);
  }
}

void ContributionExchange::submit(Step step, std::span<const Contribution> contributions) {
  SUMAC_CHECK(missing_ == 0 && step > newest_, step, newest_, missing_);
  for (const Contribution& one : contributions) {
    SUMAC_CHECK(std::ssize(one.values) == plan_->values, one.values.size(), plan_->values);
  }
  newest_ = step;
  have_.assign(have_.size(), false);
  missing_ = have_.size();
  retained_[step].assign(contributions.begin(), contributions.end());
  for (Owner& owner : owners_) {
    enqueue(step, owner);
    pump(owner);
  }
}

std::optional<Step> ContributionExchange::onMessage(Slot from, const wire::Header& header,
                                                    BytesView payload) {
  switch (header.type) {
    case wire::MessageType::kSum: return takeSum(from, header, payload);
    case wire::MessageType::kStale: return std::nullopt;  // the newer roster is on its way
    default: ++ignored_; return std::nullopt;
  }
}

/// The ranges that a sum is of, unless `from` does not sum them, or not for us.
std::optional<RangeRun> ContributionExchange::runFrom(Slot from, const wire::Header& header,
                                                      BytesView payload) const {
  if (RosterOrder{header.term, header.generation} != order_) return std::nullopt;
  if (shards_.isDirect() && from != base_.sender.slot) return std::nullopt;
  const auto run = findRun(*plan_, header.range, header.first, header.count);
  if (!run || payload.size() != static_cast<std::size_t>(run->count) * sizeof(float))
    return std::nullopt;
  for (std::uint32_t i = 0; i < run->ranges; ++i) {
    if (!shards_.owns(from, run->range + i)) return std::nullopt;
  }
  return run;
}

std::optional<Step> ContributionExchange::takeSum(Slot from, const wire::Header& header,
                                                  BytesView payload) {
  const auto run = runFrom(from, header, payload);
  if (!run) {
    ++ignored_;
    return std::nullopt;
  }
  if (!isGathering(header.step)) return std::nullopt;  // taken before
  AlignedBuffer& sum = sums_[static_cast<std::size_t>(header.step % 2)];
  for (std::uint32_t i = 0; i < run->ranges; ++i) {
    const Range& range = plan_->ranges[run->range + i];
    const std::size_t size = static_cast<std::size_t>(range.count) * sizeof(float);
    take(range, payload.first(size), sum);
    payload = payload.subspan(size);
  }
  forgetBefore(header.step);
  if (missing_ > 0) return std::nullopt;
  return header.step;
}

void ContributionExchange::take(const Range& range, BytesView values, AlignedBuffer& sum) {
  if (have_[range.id]) return;
  std::memcpy(sum.data() + range.first, values.data(), values.size());
  have_[range.id] = true;
  --missing_;
}

/// A sum of `step` proves that everybody has the sums of the steps before.
void ContributionExchange::forgetBefore(Step step) {
  retained_.erase(retained_.begin(), retained_.lower_bound(step));
  for (Owner& owner : owners_)
    std::erase_if(owner.waiting, [&](const Push& push) { return push.step < step; });
}

std::span<const float> ContributionExchange::sum(Step step) const {
  SUMAC_CHECK(step == newest_ && missing_ == 0, step, newest_, missing_);
  return sums_[static_cast<std::size_t>(step % 2)].values();
}

void ContributionExchange::enqueue(Step step, Owner& owner) const {
  const std::vector<Contribution>& contributions = retained_.at(step);
  // Backwards: as the gradients become final.
  for (auto run = owner.runs.rbegin(); run != owner.runs.rend(); ++run) {
    for (const Contribution& one : contributions)
      owner.waiting.push_back({step, *run, one.node});
  }
}

void ContributionExchange::pump(Owner& owner) {
  while (!owner.waiting.empty()) {
    const Push push = owner.waiting.front();
    const std::size_t size = static_cast<std::size_t>(push.run.count) * sizeof(float);
    if (!link_->hasRoom(dataOf(owner.slot), size)) return;
    owner.waiting.pop_front();
    sendPush(owner.slot, push);
  }
}

void ContributionExchange::sendPush(Slot owner, const Push& push) {
  const auto found = retained_.find(push.step);
  SUMAC_CHECK(found != retained_.end(), push.step);
  wire::Header message = base_;
  message.type = wire::MessageType::kPush;
  message.term = order_.term;
  message.generation = order_.generation;
  message.step = push.step;
  message.range = push.run.range;
  message.first = static_cast<std::uint64_t>(push.run.first);
  message.count = static_cast<std::uint32_t>(push.run.count);
  message.node = push.node;
  for (const Contribution& one : found->second) {
    if (one.node != push.node) continue;
    link_->send(dataOf(owner), message,
                std::as_bytes(one.values.subspan(static_cast<std::size_t>(push.run.first),
                                                 static_cast<std::size_t>(push.run.count))));
  }
}

}  // namespace sumac::worker
