#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
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
  std::map<Slot, std::uint64_t> taken_;  // the last sequence
};

/// A network, a clock and a schedule in one thread: everything that happens is a function of the
/// seed. Each connection is in order; across connections messages overtake each other; what is
/// under way on a connection that breaks is lost, or some of it. Members use it through the lanes
/// and the codec of production.
class SimNetwork {
 public:
  /// `credit`: of data lanes, in their units.
  explicit SimNetwork(std::uint64_t seed, std::uint32_t credit = link::LaneEnd::kCredit)
      : random_(seed), credit_(credit) {}
  ~SimNetwork();
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;

  /// The link of a new process; `handler` outlives the network's last event. `onTick` is called
  /// about every 20 ms, once the process listens, after its lanes.
  link::Link& add(const Member& self, std::uint64_t job, const std::string& endpoint,
                  link::Handler& handler, std::function<void()> onTick);
  /// The process has started: connections to its endpoint come to stand.
  void listen(Slot slot);
  /// The process runs no more: nothing reaches it, nothing leaves it.
  void kill(Slot slot) { nodes_.at(slot).dead = true; }
  bool isDead(Slot slot) const { return nodes_.at(slot).dead; }

  /// From now on.
  void harm(const SimFaults& faults) { faults_ = faults; }
  /// The process does not run for so long; what comes for it waits.
  void pause(Slot slot, Duration time);
  /// The process needs so long for each message.
  void readSlowly(Slot slot, Duration time) { nodes_.at(slot).reads_in = time; }
  /// So many bytes of the process leave in a second on each of its data lanes; the rest waits, in
  /// order.
  void sendSlowly(Slot slot, double bytes) { nodes_.at(slot).bytes_per_second = bytes; }
  /// Nothing passes from one process to the other on data lanes, for so long. The other direction
  /// is as before.
  void cut(Slot from, Slot to, Duration time) { cuts_[{from, to}] = now_ + time; }
  /// Breaks one connection drawn at random, of one lane where that is given; it comes back after up
  /// to `longest`.
  void breakOne(Duration longest, std::optional<link::Lane> only = std::nullopt);

  void after(Duration delay, std::function<void()> what);
  /// The same in a process: not while it is paused, not when it is dead.
  void after(Slot slot, Duration delay, std::function<void()> what);
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
  struct Node {
    std::unique_ptr<link::Transport> port;
    std::unique_ptr<link::Lanes> lanes;
    std::unique_ptr<link::Link> link;
    std::function<void()> on_tick;
    Incarnation incarnation = 0;
    std::string endpoint;
    bool listens = false;
    bool dead = false;
    TimePoint asleep_until{};
    std::optional<double> bytes_per_second;  // none: as many as there are
    Duration reads_in{};
    TimePoint reads_from{};  // the next message
  };
  using Key = std::tuple<Slot, Slot, link::Lane>;  // who opened it, to whom
  struct Connection {
    std::string endpoint;
    bool up = false;
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
    Slot from;
    link::Peer to;
    wire::HeaderBytes header;
    link::PayloadPtr payload;
    bool is_flipped = false;
  };

  void tick(Slot slot);
  void open(Slot from, link::Peer to, const std::string& endpoint);
  void reopen(Slot from, link::Peer to);
  void close(Slot from, link::Peer to);
  void tryUp(const Key& key);
  void breakOff(const Key& key);
  bool send(Slot from, link::Peer to, const wire::Header& header, const link::PayloadPtr& payload);
  Duration onTheWire(const Message& message) const;
  bool vanishes(const Message& message);
  void flip(Message& message);
  bool isDrawn(const Message& message, double probability);
  void push(TimePoint at, std::function<void()> what);
  void arrive(const Message& message);
  static void letGo(const Message& message);
  void read(const Message& message);
  bool isGone(const Message& message);
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
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::map<Slot, Node> nodes_;
  std::map<Key, Connection> connections_;
  std::map<std::pair<Slot, Slot>, TimePoint> cuts_;  // until when
  SimFaults faults_;
  SimCounts counts_;
  VirtualClock clock_{*this};
};

}  // namespace sumac
