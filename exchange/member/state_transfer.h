#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/step.h"
#include "exchange/link/link.h"
#include "exchange/membership/roster.h"

namespace sumac {

/// The state after a step, as pieces of memory in an order that all workers of a job share; all
/// together a whole number of values of 4 bytes. A view.
struct StateView {
  Step step = 0;
  std::vector<BytesView> pieces;
};

/// Memory for such a state.
struct StateRoom {
  using Pieces = std::vector<std::span<std::byte>>;

  Step step = 0;
  Pieces pieces;
  std::shared_ptr<void> owner = nullptr;  // keeps the pieces where they are
  // Where only the sender knows the size of the state: makes the pieces for so many values, once,
  // on the member's thread. Nothing: there is no room for that many. Null: the pieces are there.
  std::function<std::optional<Pieces>(std::uint64_t values)> make = nullptr;
};

/// How far a state is that this worker waits for.
enum class StateArrival : std::uint8_t {
  kUnderWay,
  kWhole,
  kWrong,  // its checksum was wrong twice, or there is no room for it
};

/// A worker's part in sending the state that a roster starts with from the workers that have it to
/// those that lack it, along the roster's sources. A worker passes each piece on as it arrives, so
/// a chain of workers takes little longer than one.
///
/// What a source sends cannot change meanwhile: no update is made before the sums of the next step
/// are there, and these need the contribution of each worker that waits for the state. Pieces are
/// copied, never sent by reference, and never exceed a lane's credit. A state machine without
/// sockets or threads; owned by the member's thread (docs/protocol.md#states).
class StateTransfer {
 public:
  /// Values of one message: half a MiB.
  static constexpr std::size_t kChunk = 128UL * 1024;
  static constexpr std::size_t kValueBytes = sizeof(float);

  /// `base` has the job and the sender; `link` outlives us.
  StateTransfer(const wire::Header& base, link::Link& link) : base_(base), link_(&link) {}

  /// Drops every transfer that is under way, and takes the requests that came before this roster.
  void onRoster(const Roster& roster);
  /// This worker has the state of the roster's start, in memory that stays as it is until all sums
  /// of the next step are there or another roster comes.
  void offer(StateView state);
  /// This worker lacks that state: asks its source for it. Requires a source in the roster.
  void receive(StateRoom room);
  /// Writes nothing more into the room of receive().
  void cancel();

  /// A message of a data lane, of a member; returns what became of our state by it.
  StateArrival onMessage(Slot from, const wire::Header& header, BytesView payload);
  /// Credit of a lane came back.
  void onRoom(Slot peer);

  /// Whether somebody who has asked has not been sent all.
  bool isSending() const;

  static bool isOf(wire::MessageType type) {
    return type == wire::MessageType::kStateAsk || type == wire::MessageType::kState ||
           type == wire::MessageType::kStateEnd;
  }
  /// Of the state that this worker has or receives.
  std::uint64_t stateBytes() const { return size_ * kValueBytes; }
  std::uint64_t ignored() const { return ignored_; }

 private:
  /// One that we send to.
  struct Receiver {
    std::size_t sent = 0;
    std::uint32_t crc = 0;
    bool is_told = false;  // that this is all
  };

  wire::Header header(wire::MessageType type) const;
  void askSource();
  void takeAsk(Slot from, const wire::Header& header);
  void adoptPieces();
  bool hasRoomFor(const wire::Header& header);
  bool take(const wire::Header& header, BytesView payload);
  StateArrival takeEnd(const wire::Header& header);
  void pumpAll();
  void pump(Slot to, Receiver& receiver);
  void sendChunk(Slot to, Receiver& receiver);

  const wire::Header base_;
  link::Link* link_;
  RosterOrder order_;
  Step step_ = 0;                      // of the state
  std::optional<Slot> source_;         // none: this worker has the state
  std::map<Slot, RosterOrder> early_;  // who has asked for a state of a later roster
  std::map<Slot, Receiver> receivers_;

  std::vector<BytesView> pieces_;  // what can be sent, once all of it is here
  std::size_t size_ = 0;           // values of all pieces
  std::size_t here_ = 0;           // of these, from the front
  std::optional<StateRoom> room_;  // while it is to come
  std::uint32_t crc_ = 0;          // of what came
  bool is_repeated_ = false;
  std::uint64_t ignored_ = 0;
};

}  // namespace sumac
