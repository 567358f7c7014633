#include "exchange/member/state_transfer.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/crc32c.h"
#include "tests/support/recording_link.h"

namespace sumac::state_transfer_test {
namespace {

using wire::Header;
using wire::MessageType;
using Memory = std::vector<std::vector<float>>;

constexpr std::size_t kChunk = StateTransfer::kChunk;
constexpr std::size_t kChunks = 3;
constexpr std::size_t kSize = 2 * kChunk + 101;
constexpr Step kStep = 8;

Slot worker(int index) {
  return {Role::kWorker, index};
}

Header baseOf(int index) {
  Header header;
  header.job = 7;
  header.sender = {worker(index), 100U + static_cast<unsigned>(index)};
  return header;
}

/// Weights, a vector and part state of none, one and more values; no piece ends with a chunk.
Memory memory(float first) {
  Memory all{std::vector<float>(kChunk + 99),
             {},
             std::vector<float>(1),
             std::vector<float>(kChunk),
             std::vector<float>(1)};
  for (std::vector<float>& piece : all) {
    std::iota(piece.begin(), piece.end(), first);
    first *= 2;
  }
  return all;
}

/// A worker: what it has, or awaits, and what it was told.
struct Place {
  explicit Place(int index) : transfer(baseOf(index), link) {}

  void offer(Step step = kStep) {
    StateView view{step, {}};
    for (const std::vector<float>& piece : state)
      view.pieces.push_back(std::as_bytes(std::span(piece)));
    transfer.offer(std::move(view));
  }
  void receive() {
    StateRoom room{kStep, {}};
    for (std::vector<float>& piece : state)
      room.pieces.push_back(std::as_writable_bytes(std::span(piece)));
    transfer.receive(std::move(room));
  }
  /// The same where only the source knows how large the state is; `most`: values that there is room
  /// for.
  void receiveAnySize(std::uint64_t most = kSize) {
    StateRoom room{kStep, {}};
    room.make = [this, most](std::uint64_t values) -> std::optional<StateRoom::Pieces> {
      if (values > most) return std::nullopt;
      all.resize(values);
      return StateRoom::Pieces{std::as_writable_bytes(std::span(all))};
    };
    transfer.receive(std::move(room));
  }

  RecordingLink link;
  StateTransfer transfer;
  Memory state = memory(0);
  std::vector<float> all;  // of receiveAnySize()
  std::vector<StateArrival> arrivals;
};

/// Worker 0 has a state that 1 and 2 may lack.
struct Fixture {
  std::array<Place, 3> workers{Place(0), Place(1), Place(2)};
  std::function<void(RecordingLink::Sent&)> spoil = [](auto& /*sent*/) {};

  Fixture() { workers[0].state = memory(1); }

  void begin(const std::map<Slot, Slot>& sources, std::uint32_t generation = 1) {
    Roster roster;
    roster.order = {1, generation};
    roster.start_step = kStep;
    roster.sources = sources;
    for (Place& place : workers)
      place.transfer.onRoster(roster);
  }
  void beginChain() { begin({{worker(1), worker(0)}, {worker(2), worker(1)}}); }

  void hand(int from, RecordingLink::Sent sent) {
    spoil(sent);
    Place& place = workers.at(static_cast<std::size_t>(sent.to.slot.index));
    const StateArrival arrival = place.transfer.onMessage(worker(from), sent.header, sent.payload);
    if (arrival != StateArrival::kUnderWay) place.arrivals.push_back(arrival);
  }
  /// The first message that `from` has sent arrives; false: there is none.
  bool deliver(int from) {
    auto& sent = workers.at(static_cast<std::size_t>(from)).link.sent;
    if (sent.empty()) return false;
    const RecordingLink::Sent first = sent.front();
    sent.erase(sent.begin());
    hand(from, first);
    return true;
  }
  void deliverAll() {
    while (int{deliver(0)} + int{deliver(1)} + int{deliver(2)} > 0) {
    }
  }
  bool has(int index) const {
    return workers.at(static_cast<std::size_t>(index)).state == workers[0].state;
  }
  const std::vector<StateArrival>& arrivals(int index) const {
    return workers.at(static_cast<std::size_t>(index)).arrivals;
  }
};

using Arrivals = std::vector<StateArrival>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(state_transfer, Fixture)

BOOST_AUTO_TEST_CASE(who_does_not_know_the_size_of_a_state_learns_it_from_its_source) {
  beginChain();
  workers[0].offer();
  workers[1].receiveAnySize();
  workers[2].receiveAnySize();
  deliverAll();
  std::vector<float> wanted;
  for (const auto& piece : workers[0].state)
    wanted.insert(wanted.end(), piece.begin(), piece.end());
  for (const int index : {1, 2}) {
    BOOST_TEST((arrivals(index) == Arrivals{StateArrival::kWhole}));
    BOOST_TEST((workers.at(static_cast<std::size_t>(index)).all == wanted));
  }
}

BOOST_AUTO_TEST_CASE(a_state_that_there_is_no_room_for_is_wrong) {
  begin({{worker(1), worker(0)}});
  workers[0].offer();
  workers[1].receiveAnySize(kSize - 1);
  deliverAll();
  BOOST_TEST((arrivals(1) == Arrivals{StateArrival::kWrong}));
  BOOST_TEST(workers[1].all.empty());
}

BOOST_AUTO_TEST_CASE(who_lacks_a_state_asks_its_source_and_gets_all_of_it) {
  begin({{worker(1), worker(0)}});
  workers[1].receive();
  deliverAll();
  BOOST_TEST(workers[0].link.sent.empty());  // it has none to send yet
  workers[0].offer();
  const auto& sent = workers[0].link.sent;
  BOOST_TEST_REQUIRE(sent.size() == kChunks + 1);
  BOOST_TEST((sent[0].to == link::Peer{worker(1), link::Lane::kData}));
  BOOST_TEST(sent[1].header.first == kChunk);
  BOOST_TEST(sent[2].header.count == kSize - 2 * kChunk);
  BOOST_TEST((sent.back().header.type == MessageType::kStateEnd));
  deliverAll();
  BOOST_TEST(has(1));
  BOOST_TEST((arrivals(1) == Arrivals{StateArrival::kWhole}));
}

BOOST_AUTO_TEST_CASE(along_a_chain_each_passes_on_what_it_has) {
  beginChain();
  for (const std::size_t i : {1U, 2U})
    workers[i].receive();
  while (deliver(1) || deliver(2)) {
  }
  workers[0].offer();
  deliver(0);
  BOOST_TEST(workers[1].link.count(MessageType::kState) == 1U);
  deliverAll();
  BOOST_TEST((has(1) && has(2)));
  BOOST_TEST((arrivals(2) == Arrivals{StateArrival::kWhole}));
  BOOST_TEST((workers[0].link.closed.empty()));
}

BOOST_AUTO_TEST_CASE(what_came_wrong_is_sent_once_more_and_along_the_chain_too) {
  for (const std::size_t spoilt : {std::size_t{0}, std::size_t{kChunk}}) {
    Fixture fixture;
    int left = 1;
    fixture.spoil = [&](RecordingLink::Sent& sent) {
      const bool is_hit = sent.header.type == MessageType::kState && sent.header.first == spoilt &&
                          sent.to.slot == worker(1);
      if (is_hit && left-- > 0) sent.payload[5] ^= std::byte{1};
    };
    fixture.beginChain();
    fixture.workers[0].offer();
    for (const std::size_t i : {1U, 2U})
      fixture.workers[i].receive();
    fixture.deliver(2);
    fixture.deliverAll();
    for (const int i : {1, 2}) {
      BOOST_TEST(fixture.has(i));
      BOOST_TEST((fixture.arrivals(i) == Arrivals{StateArrival::kWhole}));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_came_wrong_twice_is_not_asked_for_again) {
  int sent_whole = 0;
  spoil = [&](RecordingLink::Sent& sent) {
    if (sent.header.type != MessageType::kStateEnd) return;
    ++sent_whole;
    ++sent.header.value;
  };
  begin({{worker(1), worker(0)}});
  workers[0].offer();
  workers[1].receive();
  deliverAll();
  BOOST_TEST((arrivals(1) == Arrivals{StateArrival::kWrong}));
  BOOST_TEST(sent_whole == 2);
}

BOOST_AUTO_TEST_CASE(only_the_next_values_of_this_state_from_its_source_are_taken) {
  begin({{worker(1), worker(0)}});
  workers[0].offer();
  workers[1].receive();
  deliver(1);
  const RecordingLink::Sent first = workers[0].link.sent[0];
  const RecordingLink::Sent second = workers[0].link.sent[1];
  const RecordingLink::Sent last = workers[0].link.sent[2];
  const Memory before = workers[1].state;
  std::uint64_t ignored = 0;
  const auto isIgnored = [&](const RecordingLink::Sent& sent, auto change, int from = 0) {
    RecordingLink::Sent other = sent;
    change(other);
    hand(from, other);
    BOOST_TEST(workers[1].transfer.ignored() == ++ignored);
  };
  const auto unchanged = [](auto& /*sent*/) {};
  isIgnored(second, unchanged);
  isIgnored(first, unchanged, /*from=*/2);
  isIgnored(first, [](auto& sent) { ++sent.header.generation; });
  isIgnored(first, [](auto& sent) { ++sent.header.term; });
  isIgnored(first, [](auto& sent) { ++sent.header.step; });
  isIgnored(first, [](auto& sent) { sent.header.first = ~0ULL; });
  isIgnored(first, [](auto& sent) { sent.header.count = 0; });
  isIgnored(first, [](auto& sent) { sent.header.count = ~0U; });
  isIgnored(first, [](auto& sent) { sent.header.count = kSize + 1; });
  isIgnored(first, [](auto& sent) {
    sent.header.count = kSize + 1;
    sent.payload.resize((kSize + 1) * sizeof(float));
  });
  isIgnored(first, [](auto& sent) { sent.header.codec = Codec::kFp16; });
  isIgnored(first, [](auto& sent) { sent.header.is_sparse = true; });
  isIgnored(first, [](auto& sent) { sent.payload.pop_back(); });
  BOOST_TEST((workers[1].state == before));
  hand(0, first);
  isIgnored(first, unchanged);
  hand(0, second);
  isIgnored(last, [](auto& sent) { sent.header.first = kChunk; });
  deliverAll();  // begins with the first one
  ignored = workers[1].transfer.ignored();
  BOOST_TEST(has(1));
  BOOST_TEST((arrivals(1) == Arrivals{StateArrival::kWhole}));
  isIgnored(last, unchanged);
  BOOST_TEST(has(1));
}

BOOST_AUTO_TEST_CASE(nothing_is_sent_beyond_a_lanes_credit) {
  RecordingLink& link = workers[0].link;
  begin({{worker(1), worker(0)}});
  workers[0].offer();
  link.room = kChunk * sizeof(float) + 8;
  workers[1].receive();
  deliver(1);
  BOOST_TEST(link.sent.size() == 1U);
  workers[0].transfer.onRoom(worker(1));
  BOOST_TEST(link.sent.size() == 1U);
  link.room = kSize * sizeof(float);
  workers[0].transfer.onRoom(worker(2));  // who asked for nothing
  BOOST_TEST(link.sent.size() == 1U);
  workers[0].transfer.onRoom(worker(1));
  BOOST_TEST(link.sent.size() == kChunks + 1);
}

BOOST_AUTO_TEST_CASE(the_end_of_a_state_waits_for_credit_too) {
  RecordingLink& link = workers[1].link;
  beginChain();
  workers[0].offer();
  for (const std::size_t i : {1U, 2U})
    workers[i].receive();
  deliver(2);
  deliver(1);
  for (std::size_t i = 0; i < kChunks; ++i)
    deliver(0);
  BOOST_TEST(link.count(MessageType::kState) == kChunks);
  link.has_no_room = true;
  deliver(0);
  BOOST_TEST((arrivals(1) == Arrivals{StateArrival::kWhole}));
  BOOST_TEST(link.count(MessageType::kStateEnd) == 0U);
  link.has_no_room = false;
  workers[1].transfer.onRoom(worker(2));
  workers[1].transfer.onRoom(worker(2));
  BOOST_TEST(link.count(MessageType::kStateEnd) == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_not_awaited_any_more_writes_nothing) {
  begin({{worker(1), worker(0)}});
  workers[0].offer();
  workers[1].receive();
  deliver(1);
  deliver(0);
  const Memory before = workers[1].state;
  BOOST_TEST((before != memory(0)));
  workers[1].transfer.cancel();
  deliverAll();
  BOOST_TEST((workers[1].state == before));
  BOOST_TEST(arrivals(1).empty());
}

BOOST_AUTO_TEST_CASE(who_asks_before_the_source_has_the_roster_gets_it_then) {
  begin({});
  Roster next;
  next.order = {1, 2};
  next.start_step = kStep;
  next.sources = {{worker(1), worker(0)}};
  workers[1].transfer.onRoster(next);
  workers[1].receive();
  deliver(1);
  workers[0].offer();  // of the roster before
  BOOST_TEST(workers[0].link.sent.empty());
  workers[0].transfer.onRoster(next);
  BOOST_TEST(workers[0].link.sent.empty());
  workers[0].offer();
  deliverAll();
  BOOST_TEST(has(1));
}

BOOST_AUTO_TEST_CASE(another_roster_ends_what_is_under_way) {
  begin({{worker(1), worker(0)}});
  workers[0].offer();
  workers[1].receive();
  const RecordingLink::Sent ask = workers[1].link.sent.front();
  deliver(1);
  begin({{worker(1), worker(0)}}, /*generation=*/2);
  const Memory before = workers[1].state;
  deliverAll();
  BOOST_TEST((workers[1].state == before));
  workers[0].offer();
  hand(1, ask);  // of the roster before
  BOOST_TEST(workers[0].link.sent.empty());
  workers[1].receive();
  deliverAll();
  BOOST_TEST(has(1));
}

BOOST_AUTO_TEST_CASE(who_has_no_state_of_this_step_sends_none) {
  begin({{worker(1), worker(0)}});
  workers[1].receive();
  deliverAll();
  workers[0].offer(kStep - 1);
  workers[1].offer();
  BOOST_TEST(workers[0].link.sent.empty());
  Header ask = baseOf(2);
  ask.type = MessageType::kStateAsk;
  ask.term = ask.generation = 1;
  ask.step = kStep - 1;
  workers[0].transfer.onMessage(worker(2), ask, {});
  ask.step = kStep;
  workers[0].transfer.onMessage({Role::kServer, 0}, ask, {});
  BOOST_TEST(workers[0].transfer.ignored() == 2U);
  workers[0].offer();
  for (const auto& sent : workers[0].link.sent)
    BOOST_TEST((sent.to.slot == worker(1)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::state_transfer_test
