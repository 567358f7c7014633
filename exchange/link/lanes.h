#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/wait.h"
#include "base/log/log.h"
#include "exchange/link/lane_end.h"
#include "exchange/link/statistics.h"
#include "exchange/link/transport.h"

namespace sumac::link {

/// The lanes of one process over a transport that may lose messages: each data lane is a LaneEnd.
/// A message of a control lane that came damaged has its connection opened again, after which
/// members repeat what they have said.
///
/// A state machine without sockets or a clock. Owned by one thread.
class Lanes final : public Link, public TransportHandler {
 public:
  /// `transport` outlives us. All processes of a job give their data lanes the same `credit`, in
  /// units.
  Lanes(std::uint64_t job, const Member& self, Transport& transport, const Log& log,
        std::uint32_t credit = LaneEnd::kCredit);
  ~Lanes() override;
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  /// Passes events to `handler`, which outlives us. Call before the first event.
  void deliverTo(Handler& handler) { handler_ = &handler; }

  /// Call about every 20 ms, and after a pause before any other call.
  void onTick(TimePoint now);

  /// The peers whose data lanes are not open, or do not acknowledge, as of the last tick.
  std::vector<Wait> waits() const;
  /// Adds what the lanes have counted.
  void addTo(Statistics& statistics) const;

  void beginTerm(std::uint32_t term) override;
  void connect(Peer peer, const std::string& endpoint, Incarnation expected) override;
  void await(Peer peer, Incarnation incarnation) override;
  void reconnect(Peer peer) override;
  void close(Peer peer) override;
  using Link::answer;
  using Link::send;
  void send(Peer to, const wire::Header& header, const PayloadPtr& payload) override;
  void answer(const Member& to, const wire::Header& header, const PayloadPtr& payload) override;
  bool hasRoom(Peer to, std::size_t size) const override;
  void withhold(Peer from) override;
  void giveBack(Peer from, std::size_t size) override;

  void onMessage(Peer from, const wire::Header& header, const PayloadPtr& payload) override;
  void onDamaged(Peer from, Incarnation incarnation) override;
  void onPeerUp(Peer peer) override;
  void onPeerDown(Peer peer, const std::string& why) override;

 private:
  class DataLane;
  class Event;
  /// The connection to the coordinator.
  struct Control {
    std::string endpoint;
    Incarnation expected = 0;  // 0: any
    bool was_up = false;
    std::optional<TimePoint> since;  // not up, or opened again
  };

  DataLane* laneOf(Peer peer) const;
  DataLane& makeLane(Peer peer, LaneEnd::Side side, Incarnation incarnation);
  void endLane(Peer peer);
  DataLane* laneFor(Peer from, const wire::Header& header);
  wire::Header baseOf(LaneEnd::Side side) const;
  void take(DataLane& lane, Peer from, const wire::Header& header, const PayloadPtr& payload);
  void onControl(Peer from, const wire::Header& header, const PayloadPtr& payload);
  void reopenControl(Peer peer);

  wire::Header base_;  // its term is that of all data lanes
  std::uint32_t credit_;
  Transport* transport_;
  Log log_;
  Handler* handler_ = nullptr;
  TimePoint now_{};
  std::map<Peer, std::unique_ptr<DataLane>> data_lanes_;
  std::map<Peer, wire::Header> hellos_;            // of processes not awaited, the newest of a slot
  std::map<Peer, Control> controls_;               // that we opened
  std::uint32_t dialled_ = 0;                      // the last connection of a lane that was closed
  int events_ = 0;                                 // that are being handled, one within another
  std::vector<std::unique_ptr<DataLane>> closed_;  // while a function of theirs may be running
  Statistics past_;  // what is dropped, control lanes, and lanes that were closed
  std::map<Slot, PeerStatistics> past_peers_;  // lanes that were closed
};

}  // namespace sumac::link
