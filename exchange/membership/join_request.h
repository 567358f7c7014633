#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "base/core/step.h"
#include "exchange/membership/roster.h"

namespace sumac {

/// What a process that has followed a roster still has of it. A value type.
struct Followed {
  RosterOrder order;            // the highest
  std::vector<Member> members;  // of that roster
  std::string kernels;          // that its workers compute with
  Step evaluated = 0;           // the newest step that was evaluated, as far as known
  bool has_halted = false;      // as it has lost its coordinator, and can follow another
  std::optional<Step> done;     // of a worker that has: the step whose state it has in memory

  bool operator==(const Followed&) const = default;
};

/// A member's request to join the job; the payload of kJoin.
struct JoinRequest {
  std::string plan_text;             // "key=value" lines
  std::vector<std::string> kernels;  // of a worker: variants, slowest first
  std::string endpoint;              // where it listens
  Step steps = 0;                    // of a worker: of the job, all in all
  Step newest_checkpoint = 0;        // of a worker; 0 for none
  std::int64_t size = 0;    // of a worker: words of its data, values of its program; 0 for none
  std::string description;  // CPU and build
  // Of a worker of a job with `algorithm: auto`:
  std::uint64_t add_rate = 0;  // bytes a second that it adds to a sum; 0: not measured
  std::string algorithm;       // that its newest checkpoint says was chosen; empty: none
  // Of a process that is a member already, as far as it knows.
  std::optional<Followed> followed = std::nullopt;
  // Of a worker that can write into the job's folders: the roster whose writer wrote there last, 0
  // and 0 for nobody. None: it cannot, or the job has no folders.
  std::optional<RosterOrder> volume = std::nullopt;
  bool lacks_checkpoints =
      false;  // of a worker of a job that keeps some: their folder is elsewhere
  // Of a worker with a memory limit, in bytes: the numbers of workers with which it would need
  // more, and how much that is.
  std::optional<std::uint64_t> memory_limit = std::nullopt;
  std::map<int, std::uint64_t> memory_needs = {};

  bool operator==(const JoinRequest&) const = default;
};

std::string toJson(const JoinRequest& request);
/// Fails with kInvalid unless every field that toJson() writes is there, with its type and range.
Result<JoinRequest> joinRequestFromJson(std::string_view text);

/// The first 8 bytes of the text's SHA-256, little-endian: sent in the header of a join.
std::uint64_t planHash(std::string_view plan_text);

/// The first lines that differ, for people: "batchSize: worker 1 has 64, the job has 128", where
/// `who` is "worker 1" and `whose` "the job"; at most three, joined by "; ". Empty when `found` has
/// every line of `job` and, with `all`, `job` every line of `found`.
std::string planDifference(std::string_view job, std::string_view found, std::string_view who,
                           bool all, std::string_view whose = "the job");

}  // namespace sumac
