#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/core/codec.h"
#include "base/core/enum_text.h"
#include "base/core/slot.h"
#include "base/core/step.h"
#include "exchange/plan/part_tree.h"

namespace sumac::wire {

/// The kind of a message. `c`: on the control lane, `d`: on the data lane. JSON payloads are at
/// most 64 KiB.
enum class MessageType : std::uint8_t {
  kJoin = 1,         // c member -> coordinator: JSON JoinRequest
  kRefuse = 2,       // c coordinator -> member: text, what differs; the member exits with 78
  kRoster = 3,       // c coordinator -> member: JSON Roster
  kHello = 4,        // d both ways: the first message of a connection; docs/protocol.md#lanes.
                     // `first`: the incarnation that it is for; `term`: of its sender's lane
  kPush = 5,         // d worker -> who adds: a contribution to ranges
  kSum = 6,          // d who sums -> worker: the sum of ranges
  kAcknowledge = 7,  // d both ways: what has arrived; the last sequence sent in `value`
  kHeartbeat = 8,    // c both ways
  kPrepare =
      9,  // c coordinator -> worker: start no later step, answer with the highest one started
  kPrepared = 10,      // c worker -> coordinator: `step`
  kCommit = 11,        // c coordinator -> worker: where to stop or halt; `value`: Commit
  kProgress = 12,      // c worker 0 -> coordinator: JSON, for users
  kWeightsCrc = 13,    // c worker -> coordinator: `step`, CRC in `value`; to a writer: all have it
  kCheckpointed = 14,  // c worker 0 -> coordinator: the checkpoint of `step` is durable
  kFinished = 15,      // c worker -> coordinator: trained up to `step`; `value`: Finished
  kComplete = 16,      // c coordinator -> member: the JSON result; exit 0
  kRelease = 17,       // c coordinator -> member: stopped on request; exit 143
  kAbort = 18,         // c both ways: text; `value` is the exit code of the others
  kLeave = 19,         // c member -> coordinator: it received SIGTERM
  kGoodbye = 20,       // c member -> coordinator: it exits now, as intended
  kReopen = 22,        // both, listener -> dialler: a message was lost; open the connection again
  kQuery = 23,         // d worker -> who sums: what does the sum of `range` in `step` wait for?
  kMissing = 24,       // d the answer: `node`, the first parts that have not come; [0, 0): none.
                       // Then `value`: 1 + index of the worker that this waits for, 0: for none
  kTotal = 25,         // d worker -> worker: a sum for one who has added, and passes it on
  kProbe = 26,         // c coordinator -> worker: answer at once with `value`, unless it is 0
  kEcho = 27,          // c worker -> coordinator: the answer
  kStateAsk = 28,      // d worker -> its source: send the state after `step`, from the beginning
  kState = 29,         // d the answer: `count` values of it, `first` values come before them; it
                       // has `value` in all
  kStateEnd = 30,      // d all of it, `first` values, was sent; their CRC-32C in `value`
  kReady = 31,    // c worker -> coordinator: it has the state of the roster's start, of so many
                  // bytes as `value`
  kSuspect = 32,  // c worker -> coordinator: it cannot reach the member with the index `value`,
                  // a server, or with `first` = 1 a worker
};

/// The `value` of kCommit. A stop ends the attempt; a halt awaits another roster.
enum class Commit : std::uint8_t {
  kStopAfter = 0,             // finish `step`, then stop
  kStopNow = 1,               // stop after the last step that is done here
  kStopNowAndCheckpoint = 2,  // and write a checkpoint of it
  kHaltAfter = 3,             // finish `step`, then halt
  kHaltNow = 4,               // halt after the last step that is done here
};

/// The `value` of kCheckpointed.
enum class Checkpointed : std::uint8_t {
  kWritten = 0,  // by the one who says so: all workers have agreed on the weights
  kFound = 1,    // in the folder, newer than the roster's start: another process has written it
};

/// The `value` of kFinished.
enum class Finished : std::uint8_t {
  kTrained = 0,  // to the job's end; the writer adds the JSON result
  kStopped = 1,  // after `step`
  kHalted = 2,   // after `step`, whose state is in memory; with `first` = 1 none is
};

std::string_view toString(MessageType type);
using sumac::operator<<;

/// The fields of the 128-byte header frame; docs/protocol.md has the layout. All are little-endian
/// on the wire.
struct Header {
  MessageType type = MessageType::kHeartbeat;
  std::uint64_t job = 0;   // jobHash()
  std::uint32_t term = 0;  // rosters are ordered by (term, generation)
  std::uint32_t generation = 0;
  Member sender;
  std::uint64_t sequence = 0;      // number of the message on its lane, from 1; 0: not numbered
  std::uint64_t acknowledged = 0;  // sequence up to which everything has arrived
  std::uint32_t credit = 0;        // units of 8 KiB taken over so far, modulo 2^32
  std::uint32_t connection = 0;    // number of the lane's connection
  Step step = 0;
  std::uint32_t range = 0;
  std::uint64_t first = 0;  // first value of the range within the flat vector
  std::uint32_t count = 0;  // values in the payload
  // How they are written; only of a message with values.
  Codec codec = Codec::kFp32;
  bool is_sparse = false;   // blocks of zeros are left out (zero_blocks.h)
  TreeNode node;            // of a push: a node of the tree; of a missing: any parts
  std::uint64_t value = 0;  // depends on `type`; of a join: the plan hash
};

inline constexpr std::size_t kHeaderSize = 128;

/// 64 KiB: the largest payload of a control message.
inline constexpr std::size_t kMaxControlPayload = 64UL * 1024;

}  // namespace sumac::wire
