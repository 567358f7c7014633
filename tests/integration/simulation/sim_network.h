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

#include "common/base/clock.h"
#include "common/link/lanes.h"

namespace sumac {

/// How a network harms its messages: each is drawn by the seed.
struct SimFaults {
  double loss = 0;                 // of messages that vanish, while their connection stands
  double damage = 0;               // of messages that arrive unreadable
  double duplication = 0;          // of messages that arrive twice
  std::optional<link::Lane> lane;  // none: both
  // The direction of data connections that nothing passes any more, from this to that.
  std::optional<std::pair<Slot, Slot>> mute;
};

/// A network, a clock and a schedule in one thread: everything that happens is a function of the
/// seed. Each connection is in order; across connections messages overtake each other; what is
/// under way on a connection that breaks is lost. Members use it through the lanes of production.
class SimNetwork {
 public:
  explicit SimNetwork(std::uint64_t seed) : random_(seed) {}
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;

  /// The link of a new process; `handler` outlives the network's last event.
  link::Link& add(const Member& self, std::uint64_t job, const std::string& endpoint,
                  link::Handler& handler);
  /// What the lanes of a process do by time; SimJob calls it about every 20 ms.
  void tick(Slot slot);
  /// From now on.
  void harm(const SimFaults& faults) { faults_ = faults; }
  /// The process does not run for so long; what comes for it waits.
  void pause(Slot slot, Duration time) { nodes_.at(slot).asleep_until = now_ + time; }
  bool isAsleep(Slot slot) const { return now_ < nodes_.at(slot).asleep_until; }

  /// The process has started: connections to its endpoint come to stand.
  void listen(Slot slot) { nodes_.at(slot).listens = true; }
  /// The process runs no more: nothing reaches it, nothing leaves it.
  void kill(Slot slot);
  bool isDead(Slot slot) const;

  void after(Duration delay, std::function<void()> what);
  /// Uniform, in microseconds.
  Duration between(std::int64_t low, std::int64_t high);
  TimePoint now() const { return now_; }

  /// Breaks one connection drawn at random, of one lane where that is given; it comes back after up
  /// to `longest`.
  void breakOne(Duration longest, std::optional<link::Lane> only = std::nullopt);

  /// Runs what is next; false when nothing is left.
  bool runNext();

  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t lost() const { return lost_; }
  /// What happened to messages because of harm().
  std::uint64_t harmed() const { return harmed_; }
  /// Of all processes.
  link::Statistics statistics() const;

 private:
  class Port;
  struct Node {
    std::unique_ptr<link::Transport> port;
    std::unique_ptr<link::Lanes> lanes;
    Incarnation incarnation = 0;
    std::string endpoint;
    bool listens = false;
    bool dead = false;
    TimePoint asleep_until{};
  };
  using Key = std::tuple<Slot, Slot, link::Lane>;  // who opened it, to whom
  struct Connection {
    bool up = false;
    std::uint64_t life = 0;  // counts how often it broke
    TimePoint last_there;    // arrival of the last message, each way
    TimePoint last_back;
  };
  struct Event {
    TimePoint at;
    std::uint64_t order;
    std::function<void()> what;
    bool operator>(const Event& other) const {
      return std::tie(at, order) > std::tie(other.at, other.order);
    }
  };

  void open(Slot from, link::Peer to, const std::string& endpoint);
  void reopen(Slot from, link::Peer to);
  void tryUp(const Key& key, const std::string& endpoint);
  struct Message {
    Key key;
    std::uint64_t life;  // of the connection
    Slot from;
    link::Peer to;
    wire::Header header;
    link::PayloadPtr payload;
    bool is_damaged = false;
  };
  bool send(Slot from, link::Peer to, const wire::Header& header, const link::PayloadPtr& payload);
  bool vanishes(const Message& message);
  bool isDrawn(double probability);
  void arrive(const Message& message);

  std::mt19937_64 random_;
  TimePoint now_{std::chrono::hours(1)};
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::map<Slot, Node> nodes_;
  std::map<Key, Connection> connections_;
  std::map<Key, std::string> endpoints_;
  std::uint64_t delivered_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t harmed_ = 0;
  SimFaults faults_;
};

}  // namespace sumac
