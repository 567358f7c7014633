#include "exchange/member/contribution_exchange.h"

#include <algorithm>
#include <utility>

#include "base/core/check.h"
#include "exchange/link/lane_end.h"
#include "exchange/wire/order.h"

namespace sumac {

ContributionExchange::ContributionExchange(const wire::Header& base, const ExchangePlan& plan,
                                           link::Link& link, const KernelTable* kernels)
    : base_(base),
      plan_(&plan),
      link_(&link),
      payloads_(plan, kernels),
      trace_(plan),
      have_(plan.ranges.size(), false) {
  for (AlignedBuffer& sum : sums_)
    sum = AlignedBuffer(static_cast<std::size_t>(plan.values));
}

/// Each worker begins with another owner, so that not all send to the same one at once.
std::vector<ContributionExchange::Owner> ContributionExchange::ownersOf(
    const Roster& roster) const {
  std::vector<Owner> owners;
  for (const RosterEntry& entry : roster.members) {
    const Slot slot = entry.member.slot;
    std::vector<std::uint32_t> ranges;
    for (const Range& range : plan_->ranges) {
      if (routes_.contributes(base_.sender.slot, slot, range.id)) ranges.push_back(range.id);
    }
    std::vector<RangeRun> runs = runsOf(*plan_, ranges);
    if (!runs.empty()) owners.push_back({.slot = slot, .runs = std::move(runs)});
  }
  const int position = std::max(roster.positionOf(base_.sender), 0);
  if (!owners.empty()) {
    const auto first = static_cast<std::size_t>(position) % owners.size();
    std::rotate(owners.begin(), owners.begin() + static_cast<std::ptrdiff_t>(first), owners.end());
  }
  return owners;
}

void ContributionExchange::onRoster(const Roster& roster) {
  order_ = roster.order;
  retained_.clear();
  newest_ = roster.start_step;
  missing_ = 0;
  routes_ = Routes(roster, plan_->parts);
  owners_ = ownersOf(roster);
  workers_ = roster.workerSlots();
}

void ContributionExchange::onRoom(Slot slot) {
  if (has_ended_) return;
  for (Owner& owner : owners_) {
    if (owner.slot == slot) pump(owner);
  }
}

void ContributionExchange::hold(bool is_held) {
  if (std::exchange(is_held_, is_held) == is_held || is_held || has_ended_) return;
  for (Owner& owner : owners_)
    pump(owner);
}

void ContributionExchange::begin(Step step, std::span<const Contribution> contributions,
                                 Lease lease) {
  if (has_ended_) return;
  SUMAC_CHECK(missing_ == 0 && step > newest_, step, newest_, missing_);
  for (const Contribution& one : contributions) {
    SUMAC_CHECK(std::ssize(one.values) == plan_->values, one.values.size(), plan_->values);
  }
  newest_ = step;
  have_.assign(have_.size(), false);
  missing_ = have_.size();
  const auto [at, is_new] = retained_.try_emplace(
      step, Retained{{contributions.begin(), contributions.end()},
                     std::move(lease),
                     {contributions.size(), std::vector<bool>(have_.size(), false)},
                     contributions.size() * have_.size(),
                     {}});
  SUMAC_CHECK(is_new, step);
  for (Owner& owner : owners_) {
    owner.answer.reset();
    enqueue(step, at->second, owner);
  }
}

void ContributionExchange::announce(std::span<const FinalRange> ranges) {
  if (has_ended_) return;
  SUMAC_CHECK(!isAnnounced(), newest_);
  Retained& retained = retained_.at(newest_);
  for (const auto& [contribution, range] : ranges) {
    std::vector<bool>& is_final = retained.is_final.at(contribution);
    SUMAC_CHECK(range < is_final.size() && !is_final[range], newest_, contribution, range);
    is_final[range] = true;
    --retained.open;
    trace_.ready(newest_, range);
  }
  if (isAnnounced()) since_ = now_;
  release();
}

void ContributionExchange::announceRest() {
  if (has_ended_) return;
  SUMAC_CHECK(retained_.contains(newest_), newest_);
  Retained& retained = retained_.at(newest_);
  for (std::vector<bool>& is_final : retained.is_final) {
    for (std::uint32_t range = 0; range < is_final.size(); ++range) {
      if (!is_final[range]) trace_.ready(newest_, range);
    }
    is_final.assign(is_final.size(), true);
  }
  retained.open = 0;
  since_ = now_;
  release();
}

/// Whether nothing of the newest step is to be announced any more.
bool ContributionExchange::isAnnounced() const {
  const auto newest = retained_.find(newest_);
  return newest == retained_.end() || newest->second.open == 0;
}

/// Pushes what is final now.
void ContributionExchange::release() {
  const auto isFinal = [this](const Push& push) {
    const std::vector<bool>& is_final = retained_.at(push.step).is_final.at(push.contribution);
    const auto first = is_final.begin() + push.run.range;
    return std::all_of(first, first + push.run.ranges, [](bool one) { return one; });
  };
  for (Owner& owner : owners_) {
    const auto kept = std::partition(owner.held.begin(), owner.held.end(),
                                     [&](const Push& push) { return !isFinal(push); });
    owner.waiting.insert(owner.waiting.end(), kept, owner.held.end());
    owner.held.erase(kept, owner.held.end());
    std::sort(owner.waiting.rbegin(), owner.waiting.rend());
    pump(owner);
  }
}

std::optional<Came> ContributionExchange::onMessage(Slot from, const wire::Header& header,
                                                    BytesView payload) {
  switch (header.type) {
    case wire::MessageType::kSum: return takeSum(from, header, payload);
    case wire::MessageType::kMissing: takeAnswer(from, header); return std::nullopt;
    default: ++ignored_; return std::nullopt;
  }
}

/// Whether the sum of a range comes from there: from whom our contributions went to.
bool ContributionExchange::sendsSum(Slot from, std::uint32_t range) const {
  if (range >= plan_->ranges.size()) return false;
  if (routes_.isDirect()) return from == base_.sender.slot;
  return routes_.contributes(base_.sender.slot, from, range);
}

/// The ranges that a sum is of, unless they do not come from `from`.
std::optional<RangeRun> ContributionExchange::runFrom(Slot from, const wire::Header& header) const {
  if (wire::orderOf(header) != order_) return std::nullopt;
  const auto run = findRun(*plan_, header.range, header.first, header.count);
  if (!run || !payloads_.isOurs(header)) return std::nullopt;
  for (std::uint32_t i = 0; i < run->ranges; ++i) {
    if (!sendsSum(from, run->range + i)) return std::nullopt;
  }
  return run;
}

std::optional<Came> ContributionExchange::takeSum(Slot from, const wire::Header& header,
                                                  BytesView payload) {
  const auto run = runFrom(from, header);
  const auto restored = run ? payloads_.restore(header, *run, payload) : std::nullopt;
  if (!restored) {
    ++ignored_;
    return std::nullopt;
  }
  if (!isGathering(header.step)) return std::nullopt;  // taken before
  AlignedBuffer& sum = sums_[static_cast<std::size_t>(header.step % 2)];
  for (std::uint32_t i = 0; i < run->ranges; ++i)
    take(*run, plan_->ranges[run->range + i], restored->bytes, sum);
  forgetBefore(header.step);
  return Came{header.step, *run, missing_ == 0};
}

void ContributionExchange::take(const RangeRun& run, const Range& range, BytesView restored,
                                AlignedBuffer& sum) {
  if (have_[range.id]) return;
  const std::span<float> out = sum.values().subspan(static_cast<std::size_t>(range.first),
                                                    static_cast<std::size_t>(range.count));
  payloads_.read(run, restored, range.first, out);
  have_[range.id] = true;
  --missing_;
  trace_.arrived(newest_, range.id);
}

/// A sum of `step` proves that everybody has the sums of the steps before.
void ContributionExchange::forgetBefore(Step step) {
  retained_.erase(retained_.begin(), retained_.lower_bound(step));
  for (Owner& owner : owners_)
    std::erase_if(owner.waiting, [&](const Push& push) { return push.step < step; });
}

std::span<const float> ContributionExchange::sum(Step step) const {
  SUMAC_CHECK(step == newest_, step, newest_);
  return sums_[static_cast<std::size_t>(step % 2)].values();
}

void ContributionExchange::enqueue(Step step, const Retained& retained, Owner& owner) {
  for (const RangeRun& run : owner.runs) {
    for (std::size_t i = 0; i < retained.contributions.size(); ++i)
      owner.held.push_back({step, run, i});
  }
}

/// Once all is announced nothing more urgent can come: credit alone is the bound.
bool ContributionExchange::hasRoom(const Owner& owner, std::size_t size) const {
  constexpr std::size_t kBeyond = link::LaneEnd::kCredit * link::LaneEnd::kUnit - kWindow;
  return link_->hasRoom(link::dataLaneOf(owner.slot), isAnnounced() ? size : size + kBeyond);
}

void ContributionExchange::pump(Owner& owner) {
  while (!is_held_ && !owner.waiting.empty()) {
    const Push push = owner.waiting.back();
    const link::ValuePayloads::Written& written = payloadOf(push);
    if (!hasRoom(owner, link::bytesOf(written.payload).size())) return;
    owner.waiting.pop_back();
    sendPush(owner.slot, push, written);
  }
}

void ContributionExchange::sendPush(Slot owner, const Push& push,
                                    const link::ValuePayloads::Written& written) {
  wire::Header message = base_;
  message.type = wire::MessageType::kPush;
  message.term = order_.term;
  message.generation = order_.generation;
  message.step = push.step;
  message.range = push.run.range;
  message.first = static_cast<std::uint64_t>(push.run.first);
  message.count = static_cast<std::uint32_t>(push.run.count);
  message.node = retained_.at(push.step).contributions[push.contribution].node;
  payloads_.describe(written, message);
  link_->send(link::dataLaneOf(owner), message, written.payload);
  trace_.sent(push.step, push.run);
}

/// Written once, when it is first to be sent.
const link::ValuePayloads::Written& ContributionExchange::payloadOf(const Push& push) {
  const auto found = retained_.find(push.step);
  SUMAC_CHECK(found != retained_.end(), push.step);
  Retained& retained = found->second;
  const auto [at, is_new] =
      retained.written.try_emplace({push.contribution, push.run.range, push.run.ranges});
  if (is_new) {
    const auto values = retained.contributions[push.contribution].values.subspan(
        static_cast<std::size_t>(push.run.first), static_cast<std::size_t>(push.run.count));
    at->second = payloads_.write(push.run, values, retained.lease);
  }
  return at->second;
}

// Waits

/// The first range that `owner` sums for us and whose sum has not come.
std::optional<std::uint32_t> ContributionExchange::firstMissing(const Owner& owner) const {
  for (const RangeRun& run : owner.runs) {
    if (!sendsSum(owner.slot, run.range)) return std::nullopt;
    for (std::uint32_t range = run.range; range < run.range + run.ranges; ++range) {
      if (!have_[range]) return range;
    }
  }
  return std::nullopt;
}

void ContributionExchange::onTick(TimePoint now) {
  now_ = now;
  if (has_ended_ || !isWaiting() || now - since_ < kWaitAsked) return;
  for (Owner& owner : owners_) {
    const bool is_due = !owner.asked || now - *owner.asked >= kWaitAsked;
    if (!is_due || !link_->hasRoom(link::dataLaneOf(owner.slot), 0)) continue;
    const auto range = firstMissing(owner);
    if (!range) continue;
    owner.asked = now;
    ask(owner.slot, *range);
  }
}

void ContributionExchange::ask(Slot owner, std::uint32_t range) {
  wire::Header message = base_;
  message.type = wire::MessageType::kQuery;
  message.term = order_.term;
  message.generation = order_.generation;
  message.step = newest_;
  message.range = range;
  link_->send(link::dataLaneOf(owner), message, BytesView{});
}

void ContributionExchange::takeAnswer(Slot from, const wire::Header& header) {
  const bool fits = wire::orderOf(header) == order_ && sendsSum(from, header.range) &&
                    header.node.end <= plan_->parts &&
                    header.value <= static_cast<std::uint64_t>(kLargestIndex) + 1;
  if (!fits) {
    ++ignored_;
    return;
  }
  if (!isGathering(header.step)) return;  // it has come meanwhile
  Answer answer{header.range, header.node, std::nullopt};
  if (header.value > 0) answer.awaited = Slot{Role::kWorker, static_cast<int>(header.value - 1)};
  for (Owner& owner : owners_) {
    if (owner.slot == from) owner.answer = answer;
  }
}

std::vector<Wait> ContributionExchange::waits() const {
  std::vector<Wait> found;
  if (has_ended_ || !isWaiting() || now_ - since_ < kWaitShown) return found;
  for (const Owner& owner : owners_) {
    const auto range = firstMissing(owner);
    if (!range) continue;
    if (owner.answer && owner.answer->range == *range) {
      addLate(owner, *owner.answer, found);
    } else {
      addWait(owner.slot, "the sum of range " + std::to_string(*range), found);
    }
  }
  return found;
}

void ContributionExchange::addLate(const Owner& owner, const Answer& answer,
                                   std::vector<Wait>& found) const {
  const std::string range = "range " + std::to_string(answer.range);
  const TreeNode missing = answer.missing;
  if (answer.awaited) {
    return addWait(*answer.awaited, "what " + toString(owner.slot) + " awaits of " + range, found);
  }
  if (missing.size() == 0)
    return addWait(owner.slot, "the sum of " + range + ", which is complete there", found);
  for (const Slot worker : workers_) {
    if (!routes_.takes(owner.slot, worker, answer.range)) continue;  // it sends them to others
    const TreeNode sent = routes_.taken(owner.slot, worker, answer.range);
    const TreeNode late{std::max(sent.begin, missing.begin), std::min(sent.end, missing.end)};
    if (late.begin >= late.end) continue;
    const bool is_ours = worker == base_.sender.slot;
    const std::string parts = "the parts [" + std::to_string(late.begin) + "," +
                              std::to_string(late.end) + ") to " + range;
    addWait(is_ours ? owner.slot : worker,
            is_ours ? "our contribution of " + parts + ", which has not come there"
                    : "contribution of " + parts + ", summed by " + toString(owner.slot),
            found);
  }
}

/// One line for each other member, however many ranges it holds up. Where we sum ourselves, only
/// the answer says whom that waits for.
void ContributionExchange::addWait(Slot whom, const std::string& what,
                                   std::vector<Wait>& found) const {
  if (whom == base_.sender.slot) return;
  const bool is_known = std::ranges::any_of(found, [&](const Wait& w) { return w.whom == whom; });
  if (!is_known) found.push_back({base_.sender.slot, whom, newest_, what, since_});
}

}  // namespace sumac
