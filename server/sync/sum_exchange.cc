#include "server/sync/sum_exchange.h"

#include <cstring>
#include <utility>

namespace sumac::server {

namespace {

using wire::Header;
using wire::MessageType;

RosterOrder orderOf(const Header& header) {
  return {header.term, header.generation};
}

// The payload as values; copied to `storage` only where a frame is not aligned.
std::span<const float> asValues(BytesView payload, std::vector<float>& storage) {
  const void* data = payload.data();
  const std::size_t count = payload.size() / sizeof(float);
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0) {
    return {static_cast<const float*>(data), count};
  }
  storage.resize(count);
  std::memcpy(storage.data(), data, count * sizeof(float));
  return storage;
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
  if (store_) {
    store_->clear();
  } else {
    store_.emplace(*plan_, *kernels_, roster.start_step);
  }
  for (auto& [worker, from] : inbound_) {
    const std::deque<Held> held = std::exchange(from.held, {});
    from.held_bytes = 0;
    for (const Held& message : held) {
      onMessage(worker, message.header, message.payload);
    }
  }
}

void SumExchange::onMessage(int worker, const Header& header, BytesView payload) {
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

void SumExchange::hold(Inbound& from, const Header& header, BytesView payload) {
  if (header.type == MessageType::kHello) {  // what came before is sent again on this connection
    std::erase_if(from.held, [&](const Held& held) {
      if (held.header.sender != header.sender) return false;
      from.held_bytes -= held.payload.size() + wire::kHeaderSize;
      return true;
    });
  }
  const std::uint64_t bytes = payload.size() + wire::kHeaderSize;
  if (from.held_bytes + bytes > kMaxHeld) {
    reject(PushRejection::kHeld);
    return;
  }
  from.held_bytes += bytes;
  from.held.push_back({header, Bytes(payload.begin(), payload.end())});
}

void SumExchange::take(int worker, const Header& header, BytesView payload) {
  Inbound& from = inbound_[worker];
  if (header.type == MessageType::kHello) {
    from.connection = header.connection;
    from.taken = 0;
    from.returned = 0;
    store_->forgetAnswers(worker);
    return;
  }
  if (header.type != MessageType::kPush || header.connection != from.connection) {
    reject(PushRejection::kConnection);
    return;
  }
  from.taken += payload.size();
  if (orderOf(header) < roster_->order) {
    ++stale_;
    send(worker, MessageType::kStale, {}, {});
  } else {
    takePush(worker, header, payload);
  }
  returnCredit(worker);
}

bool SumExchange::fits(const Header& header, BytesView payload) const {
  if (header.range >= plan_->ranges.size()) return false;
  const Range& range = plan_->ranges[header.range];
  return range.owner == base_.sender.slot.index &&
         header.first == static_cast<std::uint64_t>(range.first) && header.count == range.count &&
         payload.size() == static_cast<std::size_t>(range.count) * sizeof(float);
}

// A node beyond the sender's block would replace what other workers have pushed.
bool SumExchange::isInBlock(TreeNode node, int worker) const {
  return isNode(node, plan_->parts) && blocks_.at(static_cast<std::size_t>(worker)).contains(node);
}

void SumExchange::takePush(int worker, const Header& header, BytesView payload) {
  if (!fits(header, payload)) return reject(PushRejection::kRange);
  if (!isInBlock(header.node, worker)) return reject(PushRejection::kNode);
  std::vector<float> storage;
  const Result<std::vector<int>> answer =
      store_->push(worker, header.step, header.range, header.node, asValues(payload, storage));
  if (!answer) return reject(PushRejection::kStep);
  for (const int contributor : *answer) {
    sendSum(contributor, header);
  }
}

void SumExchange::sendSum(int worker, const Header& push) {
  Header header;
  header.step = push.step;
  header.range = push.range;
  header.first = push.first;
  header.count = push.count;
  send(worker, MessageType::kSum, header, std::as_bytes(store_->sum(push.step, push.range)));
}

void SumExchange::returnCredit(int worker) {
  const Inbound& from = inbound_[worker];
  if (from.taken - from.returned >= kCreditBatch) send(worker, MessageType::kCredit, {}, {});
}

void SumExchange::send(int worker, MessageType type, Header header, BytesView payload) {
  Inbound& to = inbound_[worker];
  to.returned = to.taken;
  header.type = type;
  header.job = base_.job;
  header.sender = base_.sender;
  header.term = roster_->order.term;
  header.generation = roster_->order.generation;
  header.connection = to.connection;
  header.acknowledged = to.taken;
  link_->send({{Role::kWorker, worker}, link::Lane::kData}, header, payload);
}

}  // namespace sumac::server
