#include "exchange/sums/sum_exchange.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/core/check.h"
#include "exchange/wire/order.h"

namespace sumac {

namespace {

using wire::Header;
using wire::MessageType;
using wire::orderOf;

link::Peer dataOf(int worker) {
  return link::dataLaneOf({Role::kWorker, worker});
}

bool isAligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0;
}

}  // namespace

SumExchange::SumExchange(const Header& base, const KernelTable& kernels, link::Link& link)
    : base_(base), kernels_(&kernels), link_(&link) {}

void SumExchange::onRoster(const Roster& roster, const ExchangePlan& plan) {
  if (plan_ == nullptr) {
    plan_ = &plan;
    trace_.start(plan);
    payloads_.emplace(plan, kernels_);
  }
  roster_ = roster;
  routes_ = Routes(roster, plan.parts);
  workers_.clear();
  for (const Slot slot : roster.workerSlots())
    workers_.push_back(slot.index);
  waiting_.clear();
  begun_.clear();
  store_.emplace(*plan_, *kernels_, roster.start_step, junctions(),
                 /*ahead=*/routes_.isDirect() ? 2 : 1);
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

/// What comes together here, by range.
std::vector<Junction> SumExchange::junctions() const {
  const Slot self = base_.sender.slot;
  std::vector<Junction> all(plan_->ranges.size(), Junction{.block = {0, plan_->parts}});
  if (routes_.isDirect() || self.role == Role::kServer) return all;
  for (std::uint32_t range = 0; range < all.size(); ++range) {
    Junction& one = all[range];
    one.is_last = !routes_.next(self, range);
    one.adds_in_turn = routes_.isRing();
    one.has_carry = routes_.isRing() && routes_.hop(self, range) > 1;
    if (routes_.isRing()) one.block = routes_.block(self);
    if (!routes_.isRing() && !one.is_last) one.block = routes_.passed(self, range);
  }
  return all;
}

void SumExchange::onMessage(int worker, const Header& header, const link::PayloadPtr& payload) {
  if (roster_ && orderOf(header) < roster_->order) return;  // that sum will never be complete
  // A lane is open to members only, so who sends for a later roster is one of this.
  if (!roster_ || !roster_->has(header.sender)) return reject(PushRejection::kMember);
  // What the valid roster allows never waits behind what is held for another.
  if (orderOf(header) > roster_->order) {
    hold(inbound_[worker], header, payload);
  } else {
    take(worker, header, payload);
  }
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
  const MessageType type = header.type;
  const bool is_known =
      type == MessageType::kPush || type == MessageType::kQuery || type == MessageType::kTotal;
  if (!is_known) {
    reject(PushRejection::kType);
  } else if (type == MessageType::kQuery) {
    answer(worker, header);
  } else if (type == MessageType::kTotal) {
    takeTotal(worker, header, payload);
  } else {
    takePush(worker, header, payload);
  }
}

bool SumExchange::isOurs(std::uint32_t range) const {
  return range < plan_->ranges.size() && routes_.sums(base_.sender.slot, range);
}

/// What a message brings, unless it is rejected: not written by the job's codec, or not of ranges
/// that we add, all of their values.
std::optional<SumExchange::Received> SumExchange::receive(const Header& header,
                                                          const link::PayloadPtr& payload) {
  const auto rejected = [this](PushRejection reason) {
    reject(reason);
    return std::nullopt;
  };
  if (!payloads_->isOurs(header)) return rejected(PushRejection::kCodec);
  const auto run = findRun(*plan_, header.range, header.first, header.count);
  if (!run || payload == nullptr) return rejected(PushRejection::kRange);
  for (std::uint32_t i = 0; i < run->ranges; ++i) {
    if (!isOurs(run->range + i)) return rejected(PushRejection::kRange);
  }
  const auto restored = payloads_->restore(header, *run, payload->bytes());
  if (!restored) return rejected(PushRejection::kRange);
  return Received{*run, valuesOf(*run, *restored, *payload)};
}

/// Where they are, if they can be added there: not if they are coded, or a frame is not aligned, as
/// small ones may be.
SharedValues SumExchange::valuesOf(const RangeRun& run,
                                   const link::ValuePayloads::Restored& restored,
                                   const link::Payload& payload) {
  const auto count = static_cast<std::size_t>(run.count);
  const void* const data = restored.bytes.data();
  if (payloads_->isPlain() && isAligned(data))
    return {{static_cast<const float*>(data), count},
            restored.owner != nullptr ? restored.owner : payload.owner()};
  SumRoom room = store_->room(count);
  const std::span<float> values(room.at(0), count);
  payloads_->read(run, restored.bytes, run.first, values);
  return {values, room.buffer()};
}

/// Whether what the worker sends is the sum of those before it in a ring, and its own.
bool SumExchange::isCarry(int worker) const {
  return routes_.isRing() && worker != base_.sender.slot.index;
}

/// Whether the worker may send us this node. One beyond what comes together there would replace
/// what other workers have pushed.
bool SumExchange::isPassedBy(int worker, TreeNode node, std::uint32_t range) const {
  const Slot self = base_.sender.slot;
  const Slot from{Role::kWorker, worker};
  if (!routes_.takes(self, from, range)) return false;
  if (isCarry(worker)) return node == TreeNode{};
  return isNode(node, plan_->parts) && routes_.taken(self, from, range).contains(node);
}

void SumExchange::takePush(int worker, const Header& header, const link::PayloadPtr& payload) {
  const auto received = receive(header, payload);
  if (!received) return;
  const auto& [run, all] = *received;
  SumRoom room = store_->room(all.values.size());
  std::size_t place = 0;
  for (std::uint32_t i = 0; i < run.ranges; ++i) {
    const std::uint32_t range = run.range + i;
    const auto count = static_cast<std::size_t>(plan_->ranges[range].count);
    const auto rejected =
        add({worker, header.step, range, header.node, all.part(place, count)}, room, place);
    if (rejected) {
      reject(*rejected);
      break;
    }
    place += count;
  }
  sendGathered();
}

/// Adds one range of a push. Says why not.
std::optional<PushRejection> SumExchange::add(SumStore::Push push, SumRoom& room,
                                              std::size_t place) {
  const Range& range = plan_->ranges[push.range];
  const Step step = push.step;
  if (!isPassedBy(push.worker, push.node, range.id)) return PushRejection::kNode;
  const auto collects = isCarry(push.worker) ? store_->carry(std::move(push), room, place)
                                             : store_->push(std::move(push), room, place);
  if (!collects) return PushRejection::kStep;
  noteBegun(step);
  trace_.contributed(step, range.id, *collects);
  if (!*collects) return std::nullopt;
  if (!routes_.next(base_.sender.slot, range.id)) {
    gatherSum(step, range, store_->takeCollected(step, range.id).front().values);
  } else {
    passOn(step, range);
  }
  return std::nullopt;
}

/// The sum of ranges that we have passed on.
void SumExchange::takeTotal(int worker, const Header& header, const link::PayloadPtr& payload) {
  const auto received = receive(header, payload);
  if (!received) return;
  const auto& [run, all] = *received;
  std::size_t place = 0;
  for (std::uint32_t i = 0; i < run.ranges; ++i) {
    const Range& range = plan_->ranges[run.range + i];
    const auto count = static_cast<std::size_t>(range.count);
    const bool is_next = routes_.next(base_.sender.slot, range.id) == Slot{Role::kWorker, worker};
    if (!is_next || !store_->finish(header.step, range.id)) {
      reject(is_next ? PushRejection::kStep : PushRejection::kNode);
      break;
    }
    gatherSum(header.step, range, all.part(place, count));
    place += count;
  }
  sendGathered();
}

/// Who waits asks again: without credit there is no answer. Where we wait, too, it says for whom.
void SumExchange::answer(int worker, const Header& question) {
  if (!isOurs(question.range)) return reject(PushRejection::kRange);
  if (!link_->hasRoom(dataOf(worker), 0)) return;
  Header message = header(MessageType::kMissing);
  message.step = question.step;
  message.range = question.range;
  const std::vector<TreeNode> missing = store_->missing(question.step, question.range);
  if (!missing.empty()) message.node = missing.front();
  if (missing.empty()) {
    const std::optional<Slot> awaited = awaitedFrom(question.step, question.range);
    if (awaited) message.value = static_cast<std::uint64_t>(awaited->index) + 1;
  }
  link_->send(dataOf(worker), message, BytesView{});
}

/// Who sends us what is missing although our part of the tree is complete.
std::optional<Slot> SumExchange::awaitedFrom(Step step, std::uint32_t range) const {
  if (store_->awaitsSum(step, range)) return routes_.next(base_.sender.slot, range);
  for (const int worker : workers_) {
    if (worker != base_.sender.slot.index && isLate(worker, step, range))
      return Slot{Role::kWorker, worker};
  }
  return std::nullopt;
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

/// Of the first range to which somebody has contributed and that is not complete: while a step is
/// computed some of its ranges are there and others nowhere yet, which makes nobody late.
void SumExchange::addWaits(Step step, TimePoint since, std::vector<Wait>& found) const {
  const Slot self = base_.sender.slot;
  for (const Range& range : plan_->ranges) {
    if (!isOurs(range.id) || !store_->isBegun(step, range.id)) continue;
    const std::string name = "range " + std::to_string(range.id);
    const std::size_t before = found.size();
    if (store_->awaitsSum(step, range.id))
      found.push_back({self, *routes_.next(self, range.id), step, "the sum of " + name, since});
    for (const int worker : workers_) {
      if (isLate(worker, step, range.id))
        found.push_back({self, {Role::kWorker, worker}, step, "a contribution to " + name, since});
    }
    if (found.size() > before) return;
  }
}

/// Whether something that this worker should have sent us has not come.
bool SumExchange::isLate(int worker, Step step, std::uint32_t range) const {
  const Slot self = base_.sender.slot;
  const Slot from{Role::kWorker, worker};
  if (roster_->find(from) == nullptr || !routes_.takes(self, from, range)) return false;
  if (isCarry(worker)) return store_->lacksCarry(step, range);
  const TreeNode parts = routes_.taken(self, from, range);
  return std::ranges::any_of(store_->missing(step, range), [&](TreeNode gap) {
    return std::max(gap.begin, parts.begin) < std::min(gap.end, parts.end);
  });
}

/// What has come together, to the next who adds to it.
void SumExchange::passOn(Step step, const Range& range) {
  const std::vector<int> next{routes_.next(base_.sender.slot, range.id)->index};
  const RangeRun run{range.id, 1, range.first, range.count};
  for (const NodeSum& sum : store_->takeCollected(step, range.id))
    gather({MessageType::kPush, next, step, sum.node, run, sum.values});
}

/// A sum, to all from whom it came.
void SumExchange::gatherSum(Step step, const Range& range, const SharedValues& sum) {
  const std::vector<int> workers = routes_.isDirect() ? std::vector<int>{base_.sender.slot.index}
                                                      : store_->contributors(step, range.id);
  const RangeRun run{range.id, 1, range.first, range.count};
  gather({MessageType::kSum, workers, step, {}, run, sum});
}

/// Adds a range to a message that it continues, or begins another one.
void SumExchange::gather(Gathered next) {
  const auto found = std::ranges::find_if(
      gathered_, [&](const Gathered& message) { return message.isFollowedBy(next); });
  if (found == gathered_.end()) return gathered_.push_back(std::move(next));
  ++found->run.ranges;
  found->run.count += next.run.count;
  found->values.extendBy(next.values);
}

void SumExchange::sendGathered() {
  for (const Gathered& done : std::exchange(gathered_, {})) {
    const auto written = payloads_->write(done.run, done.values.values, done.values.owner);
    for (const int worker : done.workers) {
      const Slot to{Role::kWorker, worker};
      const bool passes_on = done.type == MessageType::kSum && to != base_.sender.slot &&
                             routes_.sums(to, done.run.range);
      Header message = header(passes_on ? MessageType::kTotal : done.type);
      message.step = done.step;
      message.range = done.run.range;
      message.first = static_cast<std::uint64_t>(done.run.first);
      message.count = static_cast<std::uint32_t>(done.run.count);
      message.node = done.node;
      payloads_->describe(written, message);
      waiting_[worker].push_back({message, written.payload});
      pump(worker);
    }
  }
}

void SumExchange::onRoom(int worker) {
  if (waiting_.contains(worker)) pump(worker);
}

void SumExchange::pump(int worker) {
  std::deque<Outgoing>& queue = waiting_[worker];
  while (!queue.empty() &&
         link_->hasRoom(dataOf(worker), link::bytesOf(queue.front().payload).size())) {
    link_->send(dataOf(worker), queue.front().header, queue.front().payload);
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

}  // namespace sumac
