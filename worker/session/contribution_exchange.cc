#include "worker/session/contribution_exchange.h"

#include <cstring>
#include <utility>

#include "common/base/check.h"

namespace sumac::worker {

namespace {

std::size_t bytesOf(const Range& range) {
  return static_cast<std::size_t>(range.count) * sizeof(float);
}

link::Peer dataOf(int server) {
  return {{Role::kServer, server}, link::Lane::kData};
}

}  // namespace

ContributionExchange::ContributionExchange(const wire::Header& base, const ExchangePlan& plan,
                                           link::Link& link)
    : base_(base),
      plan_(&plan),
      link_(&link),
      waiting_(static_cast<std::size_t>(plan.servers)),
      have_(plan.ranges.size(), false) {
  for (AlignedBuffer& sum : sums_)
    sum = AlignedBuffer(static_cast<std::size_t>(plan.values));
}

void ContributionExchange::onRoster(const Roster& roster) {
  order_ = roster.order;
  // Servers forget with a new roster, and others may lack what we have.
  for (int server = 0; server < plan_->servers; ++server) {
    waiting_[static_cast<std::size_t>(server)].clear();
    for (const auto& [step, contributions] : retained_)
      enqueue(step, server);
    pump(server);
  }
}

void ContributionExchange::onRoom(int server) {
  if (server >= 0 && server < plan_->servers) pump(server);
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
  for (int server = 0; server < plan_->servers; ++server) {
    enqueue(step, server);
    pump(server);
  }
}

std::optional<Step> ContributionExchange::onMessage(int server, const wire::Header& header,
                                                    BytesView payload) {
  if (server < 0 || server >= plan_->servers) {
    ++ignored_;
    return std::nullopt;
  }
  std::optional<Step> complete;
  switch (header.type) {
    case wire::MessageType::kSum: complete = takeSum(server, header, payload); break;
    case wire::MessageType::kStale: break;  // the newer roster is on its way
    default: ++ignored_;
  }
  return complete;
}

bool ContributionExchange::fits(int server, const wire::Header& header, BytesView payload) const {
  if (RosterOrder{header.term, header.generation} != order_) return false;
  if (header.range >= plan_->ranges.size()) return false;
  const Range& range = plan_->ranges[header.range];
  return range.owner == server && header.first == static_cast<std::uint64_t>(range.first) &&
         header.count == range.count && payload.size() == bytesOf(range);
}

std::optional<Step> ContributionExchange::takeSum(int server, const wire::Header& header,
                                                  BytesView payload) {
  if (!fits(server, header, payload)) {
    ++ignored_;
    return std::nullopt;
  }
  if (!isGathering(header.step) || have_[header.range]) return std::nullopt;  // taken before
  AlignedBuffer& sum = sums_[static_cast<std::size_t>(header.step % 2)];
  std::memcpy(sum.data() + header.first, payload.data(), payload.size());
  have_[header.range] = true;
  --missing_;
  retained_.erase(retained_.begin(), retained_.lower_bound(header.step));
  for (std::deque<Push>& queue : waiting_)
    std::erase_if(queue, [&](const Push& push) { return push.step < header.step; });
  if (missing_ > 0) return std::nullopt;
  return header.step;
}

std::span<const float> ContributionExchange::sum(Step step) const {
  SUMAC_CHECK(step == newest_ && missing_ == 0, step, newest_, missing_);
  return sums_[static_cast<std::size_t>(step % 2)].values();
}

void ContributionExchange::enqueue(Step step, int server) {
  const std::vector<Contribution>& contributions = retained_.at(step);
  // Backwards: as the gradients become final.
  for (auto range = plan_->ranges.rbegin(); range != plan_->ranges.rend(); ++range) {
    if (range->owner != server) continue;
    for (const Contribution& one : contributions)
      waiting_[static_cast<std::size_t>(server)].push_back({step, range->id, one.node});
  }
}

void ContributionExchange::pump(int server) {
  if (order_ == RosterOrder{}) return;
  std::deque<Push>& queue = waiting_[static_cast<std::size_t>(server)];
  while (!queue.empty()) {
    const Push push = queue.front();
    if (!link_->hasRoom(dataOf(server), bytesOf(plan_->ranges[push.range]))) return;
    queue.pop_front();
    sendPush(server, push);
  }
}

void ContributionExchange::sendPush(int server, const Push& push) {
  const auto found = retained_.find(push.step);
  SUMAC_CHECK(found != retained_.end(), push.step);
  const Range& range = plan_->ranges[push.range];
  wire::Header message = base_;
  message.type = wire::MessageType::kPush;
  message.term = order_.term;
  message.generation = order_.generation;
  message.step = push.step;
  message.range = range.id;
  message.first = static_cast<std::uint64_t>(range.first);
  message.count = static_cast<std::uint32_t>(range.count);
  message.node = push.node;
  for (const Contribution& one : found->second) {
    if (one.node != push.node) continue;
    link_->send(dataOf(server), message,
                std::as_bytes(one.values.subspan(static_cast<std::size_t>(range.first),
                                                 static_cast<std::size_t>(range.count))));
  }
}

}  // namespace sumac::worker
