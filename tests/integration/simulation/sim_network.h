#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "exchange/link/lanes.h"
#include "exchange/wire/codec.h"

namespace sumac {

/// How a network harms its messages, each with a probability.
struct SimFaults {
  double loss = 0;         // it vanishes, while its connection stands
  double flip = 0;         // one of its bits, of the header or of the payload, is another
  double duplication = 0;  // it arrives twice
  bool late = false;  // on data lanes: what is under way on a connection that breaks may arrive
  std::optional<link::Lane> lane;  // none: both
};

/// What has happened to messages and processes.
struct SimCounts {
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;  // without a connection, or under way on one that broke
  std::uint64_t lost = 0;
  std::uint64_t flipped = 0;  // each was rejected by the codec
  std::uint64_t flipped_payloads = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t late = 0;       // from a connection that had been broken or given up
  std::uint64_t broken = 0;     // connections
  std::uint64_t cut = 0;        // messages that met a cut()
  std::uint64_t paused = 0;     // messages and events that waited for a paused process
  std::uint64_t queued = 0;     // messages that waited because their receiver reads slowly
  std::uint64_t no_credit = 0;  // times that a member found no room in a data lane
  // Of payloads that were put on a connection, by sender.
  std::map<std::pair<Slot, wire::MessageType>, std::uint64_t> bytes;
};

/// The promise of data lanes, as their handler sees it: each message once and in order.
class SimOrder {
 public:
  /// Throws where a message is not the next one of its lane.
  void take(link::Peer from, const wire::Header& header);

 private:
  std::map<Member, std::uint64_t> taken_;  // the last sequence
};

/// A network, a clock and a schedule in one thread: everything that happens is a function of the
/// seed. Each connection is in order; across connections messages overtake each other; what is
/// under way on a connection that breaks is lost, or some of it. Members use it through the lanes
/// and the codec of production.
///
/// Several processes of one slot may live at once. Where a slot is named instead of a process, its
/// newest one is meant.
class SimNetwork {
 public:
  /// `credit`: of data lanes, in their units.
  explicit SimNetwork(std::uint64_t seed, std::uint32_t credit = link::LaneEnd::kCredit)
      : random_(seed), credit_(credit) {}
  ~SimNetwork();
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;

  /// The link of a new process; `handler` outlives the network's last event. `onTick` is called
  /// about every 20 ms, once the process listens, after its lanes. An endpoint may be that of
  /// several processes of a slot, or the beginning of theirs up to a "/": it leads to the newest of
  /// them that listens.
  link::Link& add(const Member& self, std::uint64_t job, const std::string& endpoint,
                  link::Handler& handler, std::function<void()> onTick);
  /// The newest process of a slot. Requires that there was one.
  const Member& newest(Slot slot) const { return newest_.at(slot); }
  /// The process has started: connections to its endpoint come to stand.
  void listen(const Member& process);
  void listen(Slot slot) { listen(newest(slot)); }
  /// The process runs no more: nothing reaches it, nothing leaves it, and its connections break.
  /// The others dial where it listened until another process does.
  void kill(const Member& process);
  void kill(Slot slot) { kill(newest(slot)); }
  bool isDead(const Member& process) const { return nodes_.at(process).dead; }
  bool isDead(Slot slot) const { return isDead(newest(slot)); }

  /// From now on.
  void harm(const SimFaults& faults) { faults_ = faults; }
  /// Each message of a state is under way for so much longer, as a large state is.
  void delayStates(Duration time) { state_time_ = time; }
  /// Once, one bit of a state is another before it is sent: no checksum of a message shows that.
  void slip() { slips_ = true; }
  /// The process does not run for so long; what comes for it waits.
  void pause(const Member& process, Duration time);
  void pause(Slot slot, Duration time) { pause(newest(slot), time); }
  /// The process needs so long for each message.
  void readSlowly(const Member& process, Duration time) { nodes_.at(process).reads_in = time; }
  void readSlowly(Slot slot, Duration time) { readSlowly(newest(slot), time); }
  /// So many bytes of the process leave in a second on each of its data lanes; the rest waits, in
  /// order.
  void sendSlowly(const Member& process, double bytes) {
    nodes_.at(process).bytes_per_second = bytes;
  }
  void sendSlowly(Slot slot, double bytes) { sendSlowly(newest(slot), bytes); }
  /// Nothing passes from one process to the other for so long, on one lane where that is given. The
  /// other direction is as before. What is sent meanwhile is lost on a data lane; on a control lane
  /// it comes later, if the connection still stands then, and no new one comes to stand.
  void cut(const Member& from, const Member& to, Duration time,
           std::optional<link::Lane> only = std::nullopt);
  void cut(Slot from, Slot to, Duration time, std::optional<link::Lane> only = std::nullopt) {
    cut(newest(from), newest(to), time, only);
  }
  /// Breaks one connection drawn at random, of one lane where that is given; it comes back after up
  /// to `longest`.
  void breakOne(Duration longest, std::optional<link::Lane> only = std::nullopt);
  /// Breaks all of a lane in the same way.
  void breakAll(Duration longest, link::Lane lane);

  void after(Duration delay, std::function<void()> what);
  /// The same in a process: not while it is paused, not when it is dead.
  void after(const Member& process, Duration delay, std::function<void()> what);
  void after(Slot slot, Duration delay, std::function<void()> what) {
    after(newest(slot), delay, std::move(what));
  }
  /// Uniform, in microseconds.
  Duration between(std::int64_t low, std::int64_t high);
  TimePoint now() const { return now_; }
  /// The same, for who reads it.
  const Clock& clock() const { return clock_; }
  /// Runs what is next; false when nothing is left.
  bool runNext();

  const SimCounts& counts() const { return counts_; }
  /// Of all processes.
  link::Statistics statistics() const;

 private:
  class Port;
  class CountingLink;
  /// Where what a process sends goes of a peer that dials it.
  struct Route {
    Incarnation process = 0;
    bool is_awaited = false;  // this process, whoever else speaks as the peer
  };
  struct Node {
    std::unique_ptr<link::Transport> port;
    std::unique_ptr<link::Lanes> lanes;
    std::unique_ptr<link::Link> link;
    std::function<void()> on_tick;
    std::map<link::Peer, Route> routes;
    std::string endpoint;
    std::uint64_t start = 0;  // of all processes, from 1
    bool listens = false;
    bool dead = false;
    TimePoint asleep_until{};
    std::optional<double> bytes_per_second;  // none: as many as there are
    Duration reads_in{};
    TimePoint reads_from{};  // the next message
  };
  using Key = std::tuple<Member, Slot, link::Lane>;  // who opens it, to whom
  struct Connection {
    std::string endpoint;
    Incarnation expected = 0;  // 0: any process
    bool open = false;         // wanted
    std::uint64_t openings = 0;
    std::uint64_t first_life = 0;  // of this opening
    bool up = false;
    Member listener;         // while it is up: the other end
    std::uint64_t life = 0;  // counts how often it broke
    TimePoint last_there;    // arrival of the last message, each way
    TimePoint last_back;
    std::vector<TimePoint> passes_until;  // of each life that is over: what arrives before, does
  };
  struct Event {
    TimePoint at;
    std::uint64_t order;
    std::function<void()> what;
    bool operator>(const Event& other) const {
      return std::tie(at, order) > std::tie(other.at, other.order);
    }
  };
  /// As the bytes that travel.
  struct Message {
    Key key;
    std::uint64_t life;  // of the connection
    Member from;
    Member to;
    link::Lane lane;
    wire::HeaderBytes header;
    link::PayloadPtr payload;
    bool is_flipped = false;
  };

  void tick(const Member& process);
  void open(const Key& key, const std::string& endpoint, Incarnation expected);
  void reopen(const Key& key);
  void close(const Key& key);
  bool isOpen(const Key& key) const;
  void afterOf(const Key& key, Duration delay, std::function<void()> what);
  void tryIn(Duration delay, const Key& key);
  void tryUp(const Key& key);
  std::optional<Member> listenerAt(const std::string& endpoint, Slot slot) const;
  void breakOff(const Key& key);
  void breakAndTell(const Key& key, Duration longest);
  bool transmit(const Member& from, link::Peer to, const wire::Header& header,
                const link::PayloadPtr& payload);
  bool answer(const Member& from, const Member& to, link::Lane lane, const wire::Header& header,
              const link::PayloadPtr& payload);
  bool send(const Key& key, bool is_there, const wire::Header& header,
            const link::PayloadPtr& payload);
  link::PayloadPtr slipped(const wire::Header& header, const link::PayloadPtr& payload);
  Duration onTheWire(const Message& message, wire::MessageType type) const;
  TimePoint cutUntil(const Member& from, const Member& to, link::Lane lane) const;
  TimePoint passesFrom(const Message& message);
  bool vanishes(const Message& message);
  void flip(Message& message);
  bool isDrawn(const Message& message, double probability);
  void push(TimePoint at, std::function<void()> what);
  void arrive(const Message& message);
  static void letGo(const Message& message);
  void read(const Message& message);
  bool isGone(const Message& message);
  bool isRejected(const Message& message);
  void handOver(const Message& message);

  class VirtualClock final : public Clock {
   public:
    explicit VirtualClock(const SimNetwork& network) : network_(network) {}
    TimePoint now() const override { return network_.now(); }

   private:
    const SimNetwork& network_;  // outlives us
  };

  std::mt19937_64 random_;
  std::uint32_t credit_;
  TimePoint now_{std::chrono::hours(1)};
  std::uint64_t order_ = 0;
  std::vector<Event> events_;  // a heap, the next one first
  std::map<Member, Node> nodes_;
  std::map<Slot, Member> newest_;
  std::map<Key, Connection> connections_;
  std::map<std::tuple<Member, Member, link::Lane>, TimePoint> cuts_;  // until when
  SimFaults faults_;
  Duration state_time_{};
  bool slips_ = false;
  SimCounts counts_;
  VirtualClock clock_{*this};
};

}  // namespace sumac
