#include "exchange/sums/sum_store.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/core/check.h"

namespace sumac {

SumStore::SumStore(const ExchangePlan& plan, const KernelTable& kernels, Step start_step,
                   std::vector<Junction> junctions, int ahead)
    : plan_(&plan),
      kernels_(&kernels),
      start_step_(start_step),
      junctions_(std::move(junctions)),
      ahead_(ahead),
      ranges_(plan.ranges.size()) {
  SUMAC_CHECK(junctions_.size() == ranges_.size(), junctions_.size(), ranges_.size());
  for (PerRange& range : ranges_)
    range.completed = start_step;
}

/// Whether something may be added to the sum; not to one that is there already.
Result<bool> SumStore::isOpen(Step step, std::uint32_t range) const {
  SUMAC_CHECK(range < ranges_.size(), range);
  const PerRange& here = ranges_[range];
  if (step <= start_step_ || step > here.completed + ahead_) {
    return Error{ErrorCode::kInvalid, "step " + std::to_string(step) + " of range " +
                                          std::to_string(range) + " cannot be open"};
  }
  if (step < here.completed) return false;
  const Open* const open = find(step, range);
  return open == nullptr || !open->is_collected;
}

const SumStore::Open* SumStore::find(Step step, std::uint32_t range) const {
  const std::map<Step, Open>& open = ranges_.at(range).open;
  const auto found = open.find(step);
  return found == open.end() ? nullptr : &found->second;
}

SumStore::Open& SumStore::openAt(Step step, std::uint32_t range) {
  std::map<Step, Open>& open = ranges_[range].open;
  const auto found = open.find(step);
  if (found != open.end()) return found->second;
  const auto size = static_cast<std::size_t>(plan_->ranges[range].count);
  Open fresh{RangeSum(*kernels_, plan_->parts, junctions_[range].block, size)};
  return open.emplace(step, std::move(fresh)).first->second;
}

Result<bool> SumStore::push(Push push, SumRoom& room, std::size_t place) {
  Result<bool> is_open = isOpen(push.step, push.range);
  if (!is_open || !*is_open) return is_open;
  const bool is_first = find(push.step, push.range) == nullptr;
  Open& open = openAt(push.step, push.range);
  if (auto added = open.sum->add(push.node, std::move(push.values), room, place); !added) {
    if (is_first) ranges_[push.range].open.erase(push.step);
    return added.error();
  }
  return collect(open, push, room, place);
}

Result<bool> SumStore::carry(Push push, SumRoom& room, std::size_t place) {
  Result<bool> is_open = isOpen(push.step, push.range);
  if (!is_open || !*is_open) return is_open;
  const bool fits = junctions_[push.range].has_carry &&
                    std::ssize(push.values.values) == plan_->ranges[push.range].count;
  if (!fits) {
    return Error{ErrorCode::kInvalid, "no sum of others fits range " + std::to_string(push.range)};
  }
  Open& open = openAt(push.step, push.range);
  if (!open.carry) open.carry = std::move(push.values);
  return collect(open, push, room, place);
}

bool SumStore::collect(Open& open, const Push& push, SumRoom& room, std::size_t place) {
  const auto at = std::ranges::lower_bound(open.contributors, push.worker);
  if (at == open.contributors.end() || *at != push.worker)
    open.contributors.insert(at, push.worker);
  const Junction& junction = junctions_[push.range];
  if (!open.sum->complete() || (junction.has_carry && !open.carry)) return false;
  open.is_collected = true;
  if (junction.adds_in_turn) open.chain = addInTurn(open, room, place);
  if (junction.is_last) complete(push.step, push.range);
  return true;
}

/// Our own contributions from left to right, and these to the right of what others have.
SharedValues SumStore::addInTurn(const Open& open, SumRoom& room, std::size_t place) const {
  const std::vector<NodeSum> nodes = open.sum->nodes();
  SharedValues own = nodes.front().values;
  const auto add = [&](const SharedValues& left, const SharedValues& right) {
    float* const out = room.at(place);
    const std::size_t size = left.values.size();
    kernels_->add(out, left.values.data(), right.values.data(), size);
    return SharedValues{{out, size}, room.buffer()};
  };
  for (std::size_t i = 1; i < nodes.size(); ++i)
    own = add(own, nodes[i].values);
  return open.carry ? add(*open.carry, own) : own;
}

/// Nobody needs the sums of the steps before.
void SumStore::complete(Step step, std::uint32_t range) {
  PerRange& here = ranges_[range];
  here.completed = step;
  here.open.erase(here.open.begin(), here.open.lower_bound(step));
}

std::vector<NodeSum> SumStore::takeCollected(Step step, std::uint32_t range) {
  Open& open = ranges_.at(range).open.at(step);
  SUMAC_CHECK(open.is_collected && open.sum, step, range);
  std::vector<NodeSum> nodes =
      open.chain ? std::vector<NodeSum>{{TreeNode{}, *open.chain}} : open.sum->nodes();
  open.sum.reset();
  open.carry.reset();
  open.chain.reset();
  return nodes;
}

const std::vector<int>& SumStore::contributors(Step step, std::uint32_t range) const {
  return ranges_.at(range).open.at(step).contributors;
}

bool SumStore::awaitsSum(Step step, std::uint32_t range) const {
  const Open* const open = find(step, range);
  return open != nullptr && open->is_collected && !open->is_finished && !junctions_[range].is_last;
}

Result<void> SumStore::finish(Step step, std::uint32_t range) {
  if (!awaitsSum(step, range)) {
    return Error{ErrorCode::kInvalid, "no sum of range " + std::to_string(range) + " in step " +
                                          std::to_string(step) + " is awaited"};
  }
  ranges_[range].open.at(step).is_finished = true;
  complete(step, range);
  return {};
}

std::vector<TreeNode> SumStore::missing(Step step, std::uint32_t range) const {
  const Open* const open = find(step, range);
  if (open != nullptr) return open->is_collected ? std::vector<TreeNode>() : open->sum->missing();
  if (step <= start_step_ || step < ranges_.at(range).completed) return {};
  return {junctions_[range].block};
}

bool SumStore::lacksCarry(Step step, std::uint32_t range) const {
  const Open* const open = find(step, range);
  return junctions_.at(range).has_carry && open != nullptr && !open->is_collected && !open->carry;
}

}  // namespace sumac
