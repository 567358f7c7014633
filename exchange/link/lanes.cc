#include "exchange/link/lanes.h"

#include <algorithm>
#include <utility>

#include "base/core/check.h"

namespace sumac::link {
namespace {

// ZeroMQ tries again after 50 ms, but never after bytes that it could not decode.
constexpr Duration kControlDown = std::chrono::milliseconds(500);
// The first connection may find nobody there yet, and a handshake takes ZeroMQ up to 5 s. Longer:
constexpr Duration kFirstControl = std::chrono::seconds(6);
// Of values; the largest that Cutting (exchange/plan) allows.
constexpr std::size_t kLongestMessage = std::size_t{1} << 20U;

void count(const LaneEnd& end, Statistics& statistics) {
  statistics.gaps += end.gaps();
  statistics.resent += end.resent();
  statistics.reopened += end.reopened();
}

}  // namespace

/// One data lane.
class Lanes::DataLane final : public LaneActions {
 public:
  DataLane(Lanes& lanes, Peer peer, LaneEnd::Side side, Incarnation process)
      : end(side, lanes.baseOf(side), *this, lanes.now_, lanes.credit_),
        incarnation(process),
        lanes_(&lanes),
        peer_(peer) {}

  bool transmit(const wire::Header& header, const PayloadPtr& payload) override {
    if (is_closed) return false;
    const bool is_hello = header.type == wire::MessageType::kHello;
    const bool is_sent =
        lanes_->transport_->transmit(peer_, is_hello ? addressed(header) : header, payload);
    if (is_sent) bytes_sent += wire::kHeaderSize + bytesOf(payload).size();
    return is_sent;
  }
  void reopen(const std::string& why) override {
    lanes_->log_.info("opening a lane again", {{"peer", toString(peer_.slot)}, {"reason", why}});
    lanes_->transport_->reopen(peer_);
  }
  void suspect(const std::string& why) override {
    lanes_->log_.warn("giving up a lane", {{"peer", toString(peer_.slot)}, {"reason", why}});
    lanes_->handler_->onSuspected(peer_, why);
  }

  /// Something waits for credit, or has it again.
  void beginStall() {
    if (!stalled_since_) stalled_since_ = lanes_->now_;
  }
  void endStall() {
    stalled_ = stalled();
    stalled_since_.reset();
  }

  PeerStatistics statistics() const {
    return {.peer = peer_.slot,
            .bytes_sent = bytes_sent,
            .bytes_received = bytes_received,
            .credit_stall = stalled(),
            .reopened = end.reopened(),
            .queued = end.unacknowledged()};
  }

  LaneEnd end;
  bool is_closed = false;
  const Incarnation incarnation;  // of the peer: no other process is taken for it
  std::string endpoint;           // where we dial
  bool is_withheld = false;       // the message being handled
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;

 private:
  /// A process that took over an endpoint must not take a hello for its own.
  wire::Header addressed(wire::Header hello) const {
    hello.first = incarnation;
    return hello;
  }

  /// From tick to tick: a single stall is up to 20 ms longer or shorter, many are right on average.
  Duration stalled() const {
    return stalled_ + (stalled_since_ ? lanes_->now_ - *stalled_since_ : Duration::zero());
  }

  Duration stalled_{};  // before stalled_since_
  std::optional<TimePoint> stalled_since_;
  Lanes* lanes_;
  Peer peer_;
};

/// Something comes from below, and lanes may be closed meanwhile: they go when the last such call
/// returns.
class Lanes::Event {
 public:
  explicit Event(Lanes& lanes) : lanes_(lanes) { ++lanes_.events_; }
  ~Event() {
    if (--lanes_.events_ == 0) lanes_.closed_.clear();
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

 private:
  Lanes& lanes_;
};

Lanes::Lanes(std::uint64_t job, const Member& self, Transport& transport, const Log& log,
             std::uint32_t credit)
    : credit_(credit), transport_(&transport), log_(log) {
  base_.job = job;
  base_.sender = self;
}

Lanes::~Lanes() = default;

Lanes::DataLane* Lanes::laneOf(Peer peer) const {
  const auto found = data_lanes_.find(peer);
  return found == data_lanes_.end() ? nullptr : found->second.get();
}

Lanes::DataLane& Lanes::makeLane(Peer peer, LaneEnd::Side side, Incarnation incarnation) {
  endLane(peer);
  return *(data_lanes_[peer] = std::make_unique<DataLane>(*this, peer, side, incarnation));
}

void Lanes::endLane(Peer peer) {
  const Event event(*this);
  const auto found = data_lanes_.find(peer);
  if (found == data_lanes_.end()) return;
  DataLane& lane = *found->second;
  lane.is_closed = true;
  if (lane.end.side() == LaneEnd::Side::kDials)
    dialled_ = std::max(dialled_, lane.end.connection());
  count(lane.end, past_);
  PeerStatistics& past = past_peers_[peer.slot];
  past.add(lane.statistics());
  past.queued = 0;
  closed_.push_back(std::move(found->second));
  data_lanes_.erase(found);
}

/// The lane that a message belongs to. The hello of a process that is not awaited, or has begun a
/// later term, is kept.
Lanes::DataLane* Lanes::laneFor(Peer from, const wire::Header& header) {
  DataLane* lane = laneOf(from);
  const bool is_theirs = lane != nullptr && lane->incarnation == header.sender.incarnation;
  if (header.type != wire::MessageType::kHello) return is_theirs ? lane : nullptr;
  if (header.first != base_.sender.incarnation || header.term < base_.term) return nullptr;
  if (is_theirs && header.term == base_.term) return lane;
  const bool dials = lane != nullptr && lane->end.side() == LaneEnd::Side::kDials;
  if (!dials) hellos_[from] = header;
  return nullptr;
}

/// Numbers of connections go on after a lane that was closed: what is under way is of none of those
/// to come.
wire::Header Lanes::baseOf(LaneEnd::Side side) const {
  wire::Header base = base_;
  base.connection = side == LaneEnd::Side::kDials ? dialled_ : 0;
  return base;
}

void Lanes::onTick(TimePoint now) {
  const Event event(*this);
  now_ = now;
  transport_->onTick(now);
  // The handler may close any of them.
  for (auto at = data_lanes_.begin(); at != data_lanes_.end();) {
    const Peer peer = at->first;
    at->second->end.onTick(now);
    at = data_lanes_.upper_bound(peer);
  }
  for (auto& [peer, control] : controls_) {
    if (!control.since || now - *control.since < (control.was_up ? kControlDown : kFirstControl))
      continue;
    if (control.was_up) {
      reopenControl(peer);
    } else {
      control.since = now_;
      transport_->reopen(peer);
    }
  }
}

std::vector<Wait> Lanes::waits() const {
  std::vector<Wait> found;
  for (const auto& [peer, lane] : data_lanes_) {
    const LaneEnd& end = lane->end;
    if (end.isSuspected() || now_ - end.wellUntil() < kWaitShown) continue;
    const std::string what =
        end.isOpen() ? "acknowledgement of " + std::to_string(end.unacknowledged()) + " messages"
                     : "a connection of the data lane";
    found.push_back({base_.sender.slot, peer.slot, /*step=*/0, what, end.wellUntil()});
  }
  return found;
}

void Lanes::addTo(Statistics& statistics) const {
  statistics.dropped += past_.dropped;
  statistics.gaps += past_.gaps;
  statistics.resent += past_.resent;
  statistics.reopened += past_.reopened;
  std::map<Slot, PeerStatistics> peers = past_peers_;
  for (const auto& [peer, lane] : data_lanes_) {
    count(lane->end, statistics);
    peers[peer.slot].add(lane->statistics());
  }
  for (auto& [slot, counted] : peers) {
    counted.peer = slot;
    statistics.peers.push_back(counted);
  }
}

void Lanes::beginTerm(std::uint32_t term) {
  while (!data_lanes_.empty())
    close(data_lanes_.begin()->first);
  base_.term = term;
}

void Lanes::connect(Peer peer, const std::string& endpoint, Incarnation expected) {
  const auto isThere = [&](const auto& there, Incarnation process) {
    return process == expected && there.endpoint == endpoint;
  };
  if (peer.lane == Lane::kControl) {
    const auto control = controls_.find(peer);
    if (control != controls_.end() && isThere(control->second, control->second.expected)) return;
    close(peer);
    controls_[peer] = {endpoint, expected, /*was_up=*/false, now_};
  } else {
    SUMAC_CHECK(expected != 0, peer.slot);
    const DataLane* lane = laneOf(peer);
    if (lane != nullptr && isThere(*lane, lane->incarnation)) return;
    close(peer);
    makeLane(peer, LaneEnd::Side::kDials, expected).endpoint = endpoint;
  }
  transport_->connect(peer, endpoint, expected);
}

void Lanes::await(Peer peer, Incarnation incarnation) {
  if (peer.lane == Lane::kControl) return transport_->await(peer, incarnation);
  const DataLane* there = laneOf(peer);
  const bool listens = there != nullptr && there->end.side() == LaneEnd::Side::kListens;
  if (listens && there->incarnation == incarnation) return;
  close(peer);
  makeLane(peer, LaneEnd::Side::kListens, incarnation);
  transport_->await(peer, incarnation);
  const auto hello = hellos_.find(peer);
  if (hello == hellos_.end() || hello->second.sender.incarnation != incarnation ||
      hello->second.term != base_.term)
    return;
  const wire::Header header = hello->second;
  hellos_.erase(hello);
  onMessage(peer, header, /*payload=*/nullptr);
}

void Lanes::reconnect(Peer peer) {
  transport_->reopen(peer);
}

void Lanes::close(Peer peer) {
  endLane(peer);
  controls_.erase(peer);
  transport_->close(peer);
}

void Lanes::send(Peer to, const wire::Header& header, const PayloadPtr& payload) {
  if (to.lane == Lane::kControl) {
    if (!transport_->transmit(to, header, payload)) ++past_.dropped;
  } else if (DataLane* lane = laneOf(to)) {
    lane->end.send(header, payload);
  } else {
    ++past_.dropped;
  }
}

void Lanes::answer(const Member& to, const wire::Header& header, const PayloadPtr& payload) {
  if (!transport_->answer(to, header, payload)) ++past_.dropped;
}

bool Lanes::hasRoom(Peer to, std::size_t size) const {
  DataLane* lane = laneOf(to);
  if (lane == nullptr) return false;
  const bool has_room = lane->end.hasRoom(size);
  // Who asks for more than a message wants to send little at a time: that is no lack of credit.
  if (!has_room && !lane->end.hasRoom(std::min(size, kLongestMessage))) lane->beginStall();
  return has_room;
}

void Lanes::withhold(Peer from) {
  if (DataLane* lane = laneOf(from)) lane->is_withheld = true;
}

void Lanes::giveBack(Peer from, std::size_t size) {
  if (DataLane* lane = laneOf(from)) lane->end.takenOver(size);
}

void Lanes::onMessage(Peer from, const wire::Header& header, const PayloadPtr& payload) {
  const Event event(*this);
  if (from.lane == Lane::kControl) return onControl(from, header, payload);
  if (DataLane* lane = laneFor(from, header)) take(*lane, from, header, payload);
}

void Lanes::take(DataLane& lane, Peer from, const wire::Header& header, const PayloadPtr& payload) {
  const std::size_t size = bytesOf(payload).size();
  lane.bytes_received += wire::kHeaderSize + size;
  if (lane.end.onMessage(header, size)) {
    lane.is_withheld = false;
    handler_->onMessage(from, header, payload);
    if (lane.is_closed) return;
    const bool has_cost = LaneEnd::isNumbered(header.type);
    if (has_cost && !lane.is_withheld) lane.end.takenOver(size);
  }
  if (!lane.end.takeRoomFreed()) return;
  lane.endStall();
  handler_->onRoom(from);
}

void Lanes::onControl(Peer from, const wire::Header& header, const PayloadPtr& payload) {
  const auto control = controls_.find(from);
  const bool is_ours = control != controls_.end();
  const Incarnation expected = is_ours ? control->second.expected : 0;
  if (expected != 0 && header.sender.incarnation != expected) return;
  if (header.type != wire::MessageType::kReopen) return handler_->onMessage(from, header, payload);
  if (is_ours) reopenControl(from);
}

void Lanes::reopenControl(Peer peer) {
  Control& control = controls_[peer];
  control.since = now_;
  ++past_.reopened;
  log_.info("opening a lane again", {{"peer", toString(peer.slot)}, {"reason", "control"}});
  transport_->reopen(peer);
}

void Lanes::onDamaged(Peer from, Incarnation incarnation) {
  const Event event(*this);
  if (from.lane == Lane::kData) {
    DataLane* lane = laneOf(from);
    if (lane != nullptr && (incarnation == 0 || incarnation == lane->incarnation))
      lane->end.onDamaged();
  } else if (controls_.contains(from)) {
    reopenControl(from);
  } else {
    wire::Header header = base_;
    header.type = wire::MessageType::kReopen;
    transport_->answer({from.slot, incarnation}, header, {});
  }
}

void Lanes::onPeerUp(Peer peer) {
  const Event event(*this);
  if (DataLane* lane = laneOf(peer)) lane->end.onUp();
  const auto control = controls_.find(peer);
  if (control == controls_.end()) return;
  control->second.was_up = true;
  control->second.since.reset();
  handler_->onPeerUp(peer);
}

void Lanes::onPeerDown(Peer peer, const std::string& why) {
  const Event event(*this);
  if (DataLane* lane = laneOf(peer)) lane->end.onDown();
  const auto control = controls_.find(peer);
  if (control == controls_.end()) return;
  control->second.since = now_;
  handler_->onPeerDown(peer, why);
}

}  // namespace sumac::link
