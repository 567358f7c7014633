#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "base/core/clock.h"
#include "exchange/link/payload.h"
#include "exchange/wire/header.h"

namespace sumac::link {

/// What a lane's end asks of its owner.
class LaneActions {
 public:
  virtual ~LaneActions() = default;
  /// Sends one message on the connection; returns whether there is one that took it.
  virtual bool transmit(const wire::Header& header, const PayloadPtr& payload) = 0;
  /// The connection is useless: close it and open another. Asked by the dialling end only.
  virtual void reopen(const std::string& why) = 0;
  /// The two processes cannot reach each other. The last call.
  virtual void suspect(const std::string& why) = 0;
};

/// One end of the lane between two processes: messages arrive once and in order, whatever happens
/// to connections, or the lane is suspected. A state machine without sockets or a clock
/// (docs/protocol.md#lanes). Owned by one thread.
///
/// Each message is kept until the other end has acknowledged it. One end dials; when something was
/// lost, or nothing is heard, it opens a new connection, and both send again what the other lacks.
/// A late acknowledgement is no reason: TCP sends again what its packets lose, and a full link
/// keeps an acknowledgement behind all that was sent before it (docs/adr/0011).
///
/// Credit bounds what is under way and what the receiver has not taken over yet. It is counted in
/// units of 8 KiB, and a message costs at least one: so messages are bounded too.
class LaneEnd {
 public:
  enum class Side : std::uint8_t { kDials, kListens };

  static constexpr std::size_t kUnit = 8UL * 1024;  // bytes
  static constexpr std::uint32_t kCredit = 1024;    // units: 8 MiB
  static constexpr std::uint32_t kTellPart = 8;     // of the credit: taken over without a word
  static constexpr Duration kBeat = std::chrono::milliseconds(250);
  // Without a sign: open again. TCP lets one of several that fill a link wait for more than 1 s.
  static constexpr Duration kQuiet = std::chrono::seconds(2);
  static constexpr Duration kPause = std::chrono::milliseconds(250);
  static constexpr int kFailures = 3;        // in a row: suspected
  static constexpr int kFirstFailures = 15;  // before the first connection, which may come late
  // Connections that break before they have carried anything, for so long: suspected.
  static constexpr Duration kFutile = std::chrono::seconds(6);
  static constexpr Duration kFirstFutile = std::chrono::seconds(30);

  /// `base` has the job and the sender of messages and, as its connection, the last number that an
  /// earlier lane between the two has used; `actions` outlives us. Both ends have the same
  /// `credit`, in units.
  LaneEnd(Side side, const wire::Header& base, LaneActions& actions, TimePoint now,
          std::uint32_t credit = kCredit);

  /// The connection that we dialled stands, or broke.
  void onUp();
  void onDown();
  /// A message of the connection could not be read.
  void onDamaged();
  /// Call about every 20 ms, and after a pause before any other call.
  void onTick(TimePoint now);

  /// A message of the connection with a payload of `size` bytes; returns whether to take it.
  /// takenOver() returns its credit.
  bool onMessage(const wire::Header& header, std::size_t size);
  /// A payload of so many bytes is not needed any more, or has been copied.
  void takenOver(std::size_t size);

  /// Whether the credit allows a payload of `size` bytes now.
  bool hasRoom(std::size_t size) const;
  /// Whether hasRoom() may have changed since the last call.
  bool takeRoomFreed();
  /// Whether a message is kept until it has arrived. Who asks or answers a question asks again: a
  /// question that gets through is no sign that the lane does what it is there for.
  static bool isNumbered(wire::MessageType type);
  /// Sends a message as soon as there is a connection; one that is not numbered now or never.
  /// Requires hasRoom().
  void send(const wire::Header& header, PayloadPtr payload);

  Side side() const { return side_; }
  bool isOpen() const { return state_ == State::kOpen; }
  bool isSuspected() const { return state_ == State::kSuspected; }
  std::uint32_t connection() const { return connection_; }
  std::size_t unacknowledged() const { return kept_.size(); }
  /// When it last did all it should: open, with nothing outstanding or an acknowledgement.
  TimePoint wellUntil() const { return well_; }
  std::uint64_t gaps() const { return gaps_; }
  std::uint64_t resent() const { return resent_; }
  std::uint64_t reopened() const { return reopened_; }

 private:
  enum class State : std::uint8_t {
    kDown,       // no connection
    kOpening,    // dialled, said hello
    kOpen,       // both ends have said hello
    kLost,       // listening: a message was lost; waits for the next connection
    kSuspected,  // the end
  };
  struct Kept {
    wire::Header header;
    PayloadPtr payload;
    bool was_sent = false;  // on any connection
  };

  static std::uint32_t unitsOf(std::size_t size);
  bool takeHello(const wire::Header& header);
  bool takeTotals(const wire::Header& header);
  bool takeNumbered(const wire::Header& header, std::size_t size);
  std::uint32_t unitsKeptAfter(std::uint64_t sequence) const;
  void acknowledge(std::uint64_t sequence);
  void hear();
  void notePause();
  void open();
  void fail(const std::string& why);
  void suspect(const std::string& why);
  void succeed();
  bool isFutile() const;
  void judge();
  void repeat(bool is_quiet);
  void restartTimers();
  Duration patience() const;
  bool transmit(wire::Header header, const PayloadPtr& payload);
  void tell(wire::MessageType type);

  const Side side_;
  const std::uint32_t credit_;
  const wire::Header base_;
  LaneActions* actions_;
  TimePoint now_;

  State state_ = State::kDown;
  std::uint32_t connection_ = 0;
  bool was_open_ = false;
  bool reopen_due_ = false;
  int failures_ = 0;     // in a row
  int connections_ = 0;  // that carried nothing, in a row
  TimePoint succeeded_;  // something came or was acknowledged, or nothing was outstanding
  TimePoint since_;      // of this state
  TimePoint heard_;      // anything
  TimePoint told_;       // anything sent
  TimePoint well_;       // as wellUntil()
  Duration slowest_{};   // from one message of the other end to the next, lately

  std::deque<Kept> kept_;  // sent, not acknowledged
  std::uint32_t kept_units_ = 0;
  std::uint64_t sent_ = 0;    // sequence of the last one
  std::uint32_t spent_ = 0;   // units sent, modulo 2^32
  std::uint32_t repaid_ = 0;  // of these, returned
  bool room_freed_ = false;

  std::uint64_t received_ = 0;       // sequence up to which everything has come
  std::uint64_t told_received_ = 0;  // as last told
  std::uint32_t arrived_ = 0;        // units, modulo 2^32
  std::uint32_t returned_ = 0;       // of these, taken over
  std::uint32_t told_returned_ = 0;

  std::uint64_t gaps_ = 0;
  std::uint64_t resent_ = 0;
  std::uint64_t reopened_ = 0;
};

}  // namespace sumac::link
