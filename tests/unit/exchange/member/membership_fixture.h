#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/member/membership.h"
#include "tests/support/golden.h"
#include "tests/support/recording_link.h"

namespace sumac {

/// Worker 1 of a job that server 0 coordinates, and all that it says.
struct MembershipFixture : MembershipOwner {
  using Header = wire::Header;
  using MessageType = wire::MessageType;
  using Types = std::vector<MessageType>;

  static constexpr Member kSelf{{Role::kWorker, 1}, 101};
  static constexpr Slot kCoordinator{Role::kServer, 0};

  RecordingLink link;
  Membership client;
  TimePoint now{std::chrono::hours(1)};

  bool accepts = true;
  bool is_ready = false;
  std::optional<Step> state;               // that it has
  int orphaned = 0;                        // how often it was to halt
  std::vector<std::uint32_t> generations;  // of the rosters that were taken
  Types others;                            // of what is the owner's
  std::vector<std::pair<ExitCode, std::string>> ends;

  explicit MembershipFixture(std::optional<Duration> orphan_patience = {})
      : client(identity(orphan_patience), link, *this) {
    client.start(now);
  }
  static MemberIdentity identity(std::optional<Duration> orphan_patience) {
    MemberIdentity identity{kSelf, 7, kCoordinator, "tcp://a:1", {}};
    identity.request.plan_text = "a=1\n";
    identity.orphan_patience = orphan_patience;
    return identity;
  }
  void repeatWhatWasTold() override { client.tell(MessageType::kProgress); }
  bool fits(const Roster& /*roster*/) const override { return accepts; }
  bool isReady() const override { return is_ready; }
  void onOrphaned() override { ++orphaned; }
  std::optional<Step> done() const override { return state; }
  void onRoster(const Roster& roster) override { generations.push_back(roster.order.generation); }
  void onControl(const Header& header, BytesView /*payload*/) override {
    others.push_back(header.type);
  }
  void onEnd(ExitCode code, const std::string& reason) override { ends.emplace_back(code, reason); }

  void hear(MessageType type, std::string_view text = {}, std::uint64_t value = 0,
            Incarnation incarnation = 200) {
    Header header;
    header.type = type;
    header.job = 7;
    header.sender = {kCoordinator, incarnation};
    header.value = value;
    client.onMessage(header, asBytes(text));
  }
  void hearRoster(std::uint32_t generation, Incarnation self = kSelf.incarnation) {
    hearRoster({1, generation}, 200, self);
  }
  /// Of another process that coordinates.
  void hearRoster(RosterOrder order, Incarnation coordinator,
                  Incarnation self = kSelf.incarnation) {
    Roster roster;
    roster.order = order;
    roster.members = {{{kCoordinator, coordinator}, "tcp://a:1"}, {{kSelf.slot, self}, ""}};
    roster.writer = kSelf.slot;
    roster.kernels = "avx2";
    roster.evaluated = 4;
    hear(MessageType::kRoster, toJson(roster), 0, coordinator);
  }
  void pass(Duration time) {
    for (const TimePoint until = now + time; now < until;)
      client.onTick(now += std::chrono::milliseconds(250));
  }
  Types sent() const {
    Types types;
    for (const auto& message : link.sent)
      types.push_back(message.header.type);
    return types;
  }
  void checkEnd(ExitCode code, const std::string& reason) const {
    BOOST_TEST_REQUIRE(ends.size() == 1U);
    BOOST_TEST(toInt(ends[0].first) == toInt(code));
    BOOST_TEST(ends[0].second == reason);
  }
  /// That it was asked to stop, and what it says then.
  void checkStop(const std::string& said) const {
    checkEnd(ExitCode::kStopped, ends.empty() ? "" : ends[0].second);
    test::checkGolden("exchange/member/stop/" + said, ends[0].second + "\n");
  }
};

}  // namespace sumac
