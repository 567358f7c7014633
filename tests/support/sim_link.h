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
#include <vector>

#include "common/base/clock.h"
#include "common/link/link.h"

namespace sumac {

/// A network, a clock and a schedule in one thread: everything that happens is a function of the
/// seed. Each connection is in order; across connections messages overtake each other; what is
/// under way on a connection that breaks is lost.
class SimNetwork {
 public:
  explicit SimNetwork(std::uint64_t seed) : random_(seed) {}
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;

  /// The link of a new process; `handler` outlives the network's last event.
  link::Link& add(Slot slot, const std::string& endpoint, link::Handler& handler);
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

 private:
  class Port;
  struct Node {
    std::unique_ptr<link::Link> port;
    link::Handler* handler = nullptr;
    std::string endpoint;
    bool listens = false;
    bool dead = false;
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
  void send(Slot from, link::Peer to, const wire::Header& header, BytesView payload);

  std::mt19937_64 random_;
  TimePoint now_{std::chrono::hours(1)};
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::map<Slot, Node> nodes_;
  std::map<Key, Connection> connections_;
  std::map<Key, std::string> endpoints_;
  std::uint64_t delivered_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace sumac
