#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exchange/member/contribution_exchange.h"
#include "tests/support/recording_link.h"

namespace sumac::contribution_exchange_test {

using wire::Header;
using wire::MessageType;

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""h;

inline constexpr Slot kServer0{Role::kServer, 0};
inline constexpr TimePoint kStart{1h};

/// Two ranges of one server; this worker has one of two parts.
struct Fixture {
  RecordingLink link;
  ExchangePlan plan = makeExchangePlan({20'000, 20'000}, 2, {}, {.pieces = 2});
  ContributionExchange exchange{base(), plan, link};
  std::array<std::vector<float>, 2> buffers;
  std::array<std::weak_ptr<const void>, 2> leases;

  explicit Fixture(std::int64_t longest_run = 0) {
    if (longest_run > 0) plan.longest_run = longest_run;
    exchange.onRoster(roster());
    link.sent.clear();
  }

  static Header base() {
    Header header;
    header.sender = {{Role::kWorker, 0}, 100};
    return header;
  }
  Roster roster() const {
    Roster roster;
    roster.order = {1, 1};
    roster.members = {{{kServer0, 200}, "e"}, {base().sender, ""}, {{{Role::kWorker, 1}, 101}, ""}};
    roster.shards = ShardMap::shareOut(ExchangeMethod::kServers, plan, {0});
    return roster;
  }
  /// Nothing is announced.
  void open(Step step) {
    auto& values = buffers[static_cast<std::size_t>(step % 2)];
    values.assign(static_cast<std::size_t>(plan.values), static_cast<float>(step));
    const std::array contributions{Contribution{{0, 1}, values}};
    const auto lease = std::make_shared<int>();
    leases[static_cast<std::size_t>(step % 2)] = lease;
    exchange.begin(step, contributions, lease);
  }
  void submit(Step step) {
    open(step);
    exchange.announceRest();
  }
  Header sumHeader(Step step, std::uint32_t range) const {
    Header header;
    header.type = MessageType::kSum;
    header.term = 1;
    header.generation = 1;
    header.step = step;
    header.range = range;
    header.first = static_cast<std::uint64_t>(plan.ranges[range].first);
    header.count = static_cast<std::uint32_t>(plan.ranges[range].count);
    return header;
  }
  void begin(Step step) {
    exchange.onTick(kStart);
    submit(step);
  }
  static Header missingHeader(Step step, std::uint32_t range, TreeNode missing,
                              std::uint32_t generation = 1) {
    Header header;
    header.type = MessageType::kMissing;
    header.term = 1;
    header.generation = generation;
    header.step = step;
    header.range = range;
    header.node = missing;
    return header;
  }
  std::string waitsText() const {
    std::string text;
    for (const Wait& wait : exchange.waits())
      text += toString(wait.whom) + ": " + wait.what + "\n";
    return text;
  }
  std::optional<Step> sum(const Header& header, float value = 1) {
    const std::vector<float> values(std::min<std::size_t>(header.count, 50'000), value);
    const auto came = exchange.onMessage(kServer0, header, std::as_bytes(std::span(values)));
    return came && came->is_last ? std::optional(came->step) : std::nullopt;
  }
  std::vector<std::pair<Step, std::uint32_t>> pushes() const {
    std::vector<std::pair<Step, std::uint32_t>> found;
    for (const RecordingLink::Sent& message : link.sent) {
      if (message.header.type != MessageType::kPush) continue;
      found.emplace_back(message.header.step, message.header.range);
    }
    return found;
  }
  // Everything of `step` comes.
  void complete(Step step) {
    for (const Range& range : plan.ranges)
      sum(sumHeader(step, range.id), static_cast<float>(10 * step));
  }
};

}  // namespace sumac::contribution_exchange_test
