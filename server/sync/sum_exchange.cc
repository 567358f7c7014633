#include "server/sync/sum_exchange.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace sumac::server {

namespace {

using wire::Header;
using wire::MessageType;

link::Peer dataOf(int worker) {
  return {{Role::kWorker, worker}, link::Lane::kData};
}

RosterOrder orderOf(const Header& header) {
  return {header.term, header.generation};
}

/// The payload as values; copied only where a frame is not aligned, as small ones may be.
SharedValues valuesOf(const link::Payload& payload) {
  const void* data = payload.bytes().data();
  const std::size_t count = payload.bytes().size() / sizeof(float);
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0)
    return {{static_cast<const float*>(data), count}, payload.owner()};
  auto copy = std::make_shared<std::vector<float>>(count);
  std::memcpy(copy->data(), data, count * sizeof(float));
  const std::span<const float> values = *copy;
  return {values, std::move(copy)};
}

}  // namespace

SumExchange::SumExchange(const Header& base, int workers, const KernelTable& kernels,
                         link::Link& link)
    : base_(base), workers_(workers), kernels_(&kernels), link_(&link) {}

void SumExchange::onRoster(const Roster& roster, const ExchangePlan& plan) {
  roster_ = roster;
  plan_ = &plan;
  blocks_.assign(static_cast<std::size_t>(workers_), TreeNode{});
  const int workers = roster.workers();
  int position = 0;
  for (const RosterEntry& entry : roster.members) {
    if (entry.member.slot.role != Role::kWorker) continue;
    const TreeNode block = blockOf(position++, workers, plan.parts);
    if (entry.member.slot.index < workers_) {
      blocks_[static_cast<std::size_t>(entry.member.slot.index)] = block;
    }
  }
  waiting_.clear();
  begun_.clear();
  gathered_ = {};
  if (store_) {
    store_->clear();
  } else {
    store_.emplace(*plan_, *kernels_, roster.start_step, roster.shards.isDirect() ? 2 : 1);
  }
  for (auto& [worker, from] : inbound_) {
    const std::deque<Held> held = std::exchange(from.held, {});
    from.held_bytes = 0;
    for (const Held& message : held) {
      const std::size_t before = from.held.size();
      onMessage(worker, message.header, message.payload);
      const bool waits_on = from.held.size() > before;
      if (!waits_on) link_->giveBack(dataOf(worker), link::bytesOf(message.payload).size());
    }
  }
}

void SumExchange::onMessage(int worker, const Header& header, const link::PayloadPtr& payload) {
  if (worker < 0 || worker >= workers_ || !isMember(header.sender)) {
    return reject(PushRejection::kMember);
  }
  // What the valid roster allows never waits behind what is held for another.
  if (!roster_ || orderOf(header) > roster_->order) {
    hold(inbound_[worker], header, payload);
  } else {
    take(worker, header, payload);
  }
}

/// Who may send is known once there is a roster: later ones have the same members.
bool SumExchange::isMember(const Member& sender) const {
  if (!roster_) return true;
  const RosterEntry* entry = roster_->find(sender.slot);
  return entry != nullptr && entry->member == sender;
}

void SumExchange::hold(Inbound& from, const Header& header, const link::PayloadPtr& payload) {
  const std::uint64_t bytes = link::bytesOf(payload).size() + wire::kHeaderSize;
  if (from.held_bytes + bytes > kMaxHeld) {
    reject(PushRejection::kHeld);
    return;
  }
  link_->withhold({header.sender.slot, link::Lane::kData});
  from.held_bytes += bytes;
  from.held.push_back({header, payload});
}

void SumExchange::take(int worker, const Header& header, const link::PayloadPtr& payload) {
  const bool is_query = header.type == MessageType::kQuery;
  if (header.type != MessageType::kPush && !is_query) {
    reject(PushRejection::kType);
  } else if (orderOf(header) < roster_->order) {
    ++stale_;
    // Only news for the worker, which gets the roster anyway: never beyond its credit.
    if (link_->hasRoom(dataOf(worker), 0))
      link_->send(dataOf(worker), this->header(MessageType::kStale), BytesView{});
  } else if (is_query) {
    answer(worker, header);
  } else {
    takePush(worker, header, payload);
  }
}

bool SumExchange::isOurs(std::uint32_t range) const {
  return range < plan_->ranges.size() && roster_->shards.owns(base_.sender.slot, range);
}

/// The run of ranges that a push is for, unless it is not made of ranges of ours.
std::optional<RangeRun> SumExchange::ownRun(const Header& header, BytesView payload) const {
  const auto run = findRun(*plan_, header.range, header.first, header.count);
  if (!run || payload.size() != static_cast<std::size_t>(run->count) * sizeof(float))
    return std::nullopt;
  for (std::uint32_t i = 0; i < run->ranges; ++i) {
    if (!isOurs(run->range + i)) return std::nullopt;
  }
  return run;
}

// A node beyond the sender's block would replace what other workers have pushed.
bool SumExchange::isInBlock(TreeNode node, int worker) const {
  return isNode(node, plan_->parts) && blocks_.at(static_cast<std::size_t>(worker)).contains(node);
}

void SumExchange::takePush(int worker, const Header& header, const link::PayloadPtr& payload) {
  const auto run = ownRun(header, link::bytesOf(payload));
  if (!run) return reject(PushRejection::kRange);
  if (!isInBlock(header.node, worker)) return reject(PushRejection::kNode);
  const SharedValues all = valuesOf(*payload);
  SumRoom room = store_->room(all.values.size());
  std::size_t place = 0;
  for (std::uint32_t i = 0; i < run->ranges; ++i) {
    const Range& range = plan_->ranges[run->range + i];
    const auto count = static_cast<std::size_t>(range.count);
    const auto contributors = store_->push(
        {worker, header.step, range.id, header.node, all.part(place, count)}, room, place);
    place += count;
    if (!contributors) {
      reject(PushRejection::kStep);
      break;
    }
    noteBegun(header.step);
    if (!contributors->empty()) gather(*contributors, header.step, range);
  }
  sendGathered();
}

/// Who waits asks again: without credit there is no answer.
void SumExchange::answer(int worker, const Header& question) {
  if (!isOurs(question.range)) return reject(PushRejection::kRange);
  if (!link_->hasRoom(dataOf(worker), 0)) return;
  Header message = header(MessageType::kMissing);
  message.step = question.step;
  message.range = question.range;
  const std::vector<TreeNode> missing = store_->missing(question.step, question.range);
  if (!missing.empty()) message.node = missing.front();
  link_->send(dataOf(worker), message, BytesView{});
}

/// A push of a step proves that nobody needs our sums of two steps before.
void SumExchange::noteBegun(Step step) {
  begun_.try_emplace(step, now_);
  begun_.erase(begun_.begin(), begun_.lower_bound(step - 1));
}

std::vector<Wait> SumExchange::waits() const {
  std::vector<Wait> found;
  for (const auto& [step, since] : begun_) {
    if (now_ - since >= kWaitShown) addWaits(step, since, found);
  }
  return found;
}

/// Of the first range that is not complete: workers push it last, so who is late lacks it.
void SumExchange::addWaits(Step step, TimePoint since, std::vector<Wait>& found) const {
  for (const Range& range : plan_->ranges) {
    if (!isOurs(range.id)) continue;
    const std::vector<TreeNode> missing = store_->missing(step, range.id);
    if (missing.empty()) continue;
    for (int worker = 0; worker < workers_; ++worker) {
      const TreeNode block = blocks_[static_cast<std::size_t>(worker)];
      const auto late = std::ranges::find_if(missing, [&](TreeNode gap) {
        return std::max(gap.begin, block.begin) < std::min(gap.end, block.end);
      });
      if (late == missing.end()) continue;
      const Slot whom{Role::kWorker, worker};
      found.push_back({base_.sender.slot, whom, step,
                       "a contribution to range " + std::to_string(range.id), since});
    }
    return;
  }
}

/// Adds a complete range to what goes out, or begins another message with it.
void SumExchange::gather(const std::vector<int>& contributors, Step step, const Range& range) {
  const bool is_direct = roster_->shards.isDirect();
  const std::vector<int> workers =
      is_direct ? std::vector<int>{base_.sender.slot.index} : contributors;
  RangeRun& run = gathered_.run;
  const SharedValues& sum = store_->sum(step, range.id);
  const bool is_next = run.range + run.ranges == range.id && gathered_.workers == workers &&
                       gathered_.sums.isFollowedBy(sum);
  if (run.ranges > 0 && !is_next) sendGathered();
  if (run.ranges == 0) {
    run = {range.id, 0, range.first, 0};
    gathered_.step = step;
    gathered_.workers = workers;
    gathered_.sums = sum.part(0, 0);
  }
  ++run.ranges;
  run.count += range.count;
  gathered_.sums.extendBy(sum);
}

void SumExchange::sendGathered() {
  Gathered done = std::exchange(gathered_, {});
  if (done.run.ranges == 0) return;
  const auto sum = link::sharePayload(std::as_bytes(done.sums.values), done.sums.owner);
  Header message = header(MessageType::kSum);
  message.step = done.step;
  message.range = done.run.range;
  message.first = static_cast<std::uint64_t>(done.run.first);
  message.count = static_cast<std::uint32_t>(done.run.count);
  for (const int worker : done.workers) {
    waiting_[worker].push_back({message, sum});
    pump(worker);
  }
}

void SumExchange::onRoom(int worker) {
  if (waiting_.contains(worker)) pump(worker);
}

void SumExchange::pump(int worker) {
  std::deque<Answer>& queue = waiting_[worker];
  while (!queue.empty() &&
         link_->hasRoom(dataOf(worker), link::bytesOf(queue.front().sum).size())) {
    link_->send(dataOf(worker), queue.front().header, queue.front().sum);
    queue.pop_front();
  }
}

Header SumExchange::header(MessageType type) const {
  Header header = base_;
  header.type = type;
  header.term = roster_->order.term;
  header.generation = roster_->order.generation;
  return header;
}

}  // namespace sumac::server
