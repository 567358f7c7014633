#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "exchange/membership/method_choice.h"

namespace sumac {

/// Measures what messages between the coordinator and workers cost, before the first roster: sends
/// bursts on the control lane and times the answer to the last message of each. A pure state
/// machine.
///
/// Three kinds of burst, three times each, of which the fastest counts: one message alone gives the
/// hop (half its time), several what a message more costs, some with payloads what a byte costs.
/// One worker is measured after the other, so that they do not slow each other down, and a few
/// stand for all: a link takes 600 kB, about a millisecond at 10 Gbit/s.
///
/// What a worker that answers wrongly can do is bounded by bounded(), and to a worse choice: no bit
/// depends on it. One that does not answer is left out.
class LinkProbe {
 public:
  static constexpr std::size_t kMostLinks = 8;
  static constexpr Duration kPatience = std::chrono::milliseconds(500);  // with a link

  /// `messages` times `bytes` of payload to `to`; the last one carries `ticket`.
  struct Burst {
    Slot to;
    int messages = 1;
    std::size_t bytes = 0;
    std::uint64_t ticket = 0;
  };

  /// A worker that can be measured. More than kMostLinks are ignored, and one that comes twice.
  void add(Slot worker);

  /// What to send now, if anything; its time begins at `now`. Nothing while an answer is awaited.
  std::optional<Burst> next(TimePoint now);
  /// Ignores what was not asked for.
  void answered(Slot from, std::uint64_t ticket, TimePoint now);
  /// Gives a link up that takes too long.
  void onTick(TimePoint now);

  /// Nothing is under way or waits.
  bool isIdle() const { return !current_ && waiting_.empty(); }
  /// The links that were measured, each with the default for what was not (ExchangeCosts::add).
  const std::vector<ExchangeCosts>& links() const { return links_; }

 private:
  struct Current {
    Slot worker;
    TimePoint begun;
    TimePoint sent;
    std::uint64_t ticket = 0;          // of the burst under way; 0: none
    std::size_t bursts = 0;            // that were answered
    std::vector<double> fastest = {};  // seconds, of each kind
  };

  std::vector<Slot> seen_;
  std::deque<Slot> waiting_;
  std::optional<Current> current_;
  std::uint64_t tickets_ = 0;
  std::vector<ExchangeCosts> links_;
};

}  // namespace sumac
