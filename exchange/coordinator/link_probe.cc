#include "exchange/coordinator/link_probe.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace sumac {
namespace {

struct Kind {
  int messages;
  std::size_t bytes;  // of payload, each
};

// The fewest and smallest that tell costs apart: TCP's first window is over after 15 kB, and a
// gigabit carries 200 kB in 1.6 ms.
constexpr std::array kKinds{Kind{1, 0}, Kind{8, 0}, Kind{4, 48UL * 1024}};
constexpr std::size_t kRounds = 3;

/// `fastest`: seconds of each kind.
ExchangeCosts costsOf(const std::vector<double>& fastest) {
  const double alone = fastest.at(0);
  const auto [messages, none] = kKinds.at(1);
  const auto [payloads, bytes] = kKinds.at(2);
  ExchangeCosts costs;
  costs.hop = alone / 2;
  costs.message = std::max(0.0, fastest.at(1) - alone) / (messages - 1);
  const double beyond = fastest.at(2) - alone - (payloads - 1) * costs.message;
  costs.byte = std::max(0.0, beyond) / (payloads * static_cast<double>(bytes));
  return costs;
}

}  // namespace

void LinkProbe::add(Slot worker) {
  if (seen_.size() >= kMostLinks || std::ranges::count(seen_, worker) > 0) return;
  seen_.push_back(worker);
  waiting_.push_back(worker);
}

std::optional<LinkProbe::Burst> LinkProbe::next(TimePoint now) {
  if (!current_ && !waiting_.empty()) {
    current_ = Current{.worker = waiting_.front(), .begun = now, .sent = now};
    waiting_.pop_front();
  }
  if (!current_ || current_->ticket != 0) return std::nullopt;
  const Kind& kind = kKinds.at(current_->bursts % kKinds.size());
  current_->ticket = ++tickets_;
  current_->sent = now;
  return Burst{current_->worker, kind.messages, kind.bytes, current_->ticket};
}

void LinkProbe::answered(Slot from, std::uint64_t ticket, TimePoint now) {
  if (!current_ || ticket == 0 || from != current_->worker || ticket != current_->ticket) return;
  current_->ticket = 0;
  const double seconds = std::chrono::duration<double>(now - current_->sent).count();
  const std::size_t kind = current_->bursts++ % kKinds.size();
  if (current_->fastest.size() <= kind) {
    current_->fastest.push_back(seconds);
  } else {
    current_->fastest[kind] = std::min(current_->fastest[kind], seconds);
  }
  if (current_->bursts < kRounds * kKinds.size()) return;
  links_.push_back(costsOf(current_->fastest));
  current_.reset();
}

void LinkProbe::onTick(TimePoint now) {
  if (current_ && now - current_->begun >= kPatience) current_.reset();
}

}  // namespace sumac
