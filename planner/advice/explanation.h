#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "planner/advice/machine_type.h"

namespace sumac::planner {

// What an answer says beside its configurations, in enums and amounts: planner/report has the
// words.

/// Why the recommended configuration is it.
enum class ReasonKind : std::uint8_t {
  kStep,         // where the time of a step goes
  kEqualToBest,  // the best by the model is no better than margins tell, and needs more
  kNextIsWorse,  // `other` is next
  kAsWritten,    // `other` is the job's own
  kMayBeLate,    // with its margin it misses the deadline; `other` keeps it
  kMayBeDear,    // the same of the budget
};

struct Reason {
  ReasonKind kind = ReasonKind::kStep;
  std::optional<std::size_t> other = {};  // an index of Advice::configurations
};

/// What to know before relying on the answer.
enum class NoteKind : std::uint8_t {
  kStepsAlone,
  kWrittenUnpredicted,   // the job as written
  kDisturbed,            // text: of the profile's rows
  kIdleThreads,          // text: the same
  kLoopbackLinks,        // rate and latency of links are those over 127.0.0.1
  kLoopbackRate,         // the rate alone
  kLoopbackLatency,      // the latency alone
  kComputingAsProfiled,  // on another machine than the type
  kAbovePeak,            // amount: operations a second as profiled, of a peak of `other`
  kOneMiniBatch,
  kNoMemory,
  kSetThreads,       // amount: threads, which are faster than the `other` of its own choice
  kIdleCores,        // amount: threads on a machine of `other` cores
  kUnprofiledCores,  // the same, and the profile has no more threads
  kUnprofiledLimit,  // amount: limits.cpu of the job
  kSlowLimit,        // the same, below one core
  kSameSpeed,        // amount: workers of the job as written, as fast as the `other`
  kSizesItself,      // from `amount` to `other` workers; text: of these, the numbers that differ
  kMoreParts,        // V rises from `amount` to `other`
  kRing,
  kRounding,  // by the codec
  kOtherMiniBatch,
  kLinkOfOneMachine,  // a rate is given, and all members are on one machine
  kLinkBeyondCores,   // amount: bytes a second, above the `other` that were measured
  kFewWorkers,  // amount: of workers from which on `limit` fits; other: bytes that one needs with
                // one worker less
  kResultWithoutJob,  // text: the file of a noise scale; amount: 1 where it names its network
};

struct Note {
  NoteKind kind = NoteKind::kStepsAlone;
  double amount = 0;
  double other = 0;
  std::string text = {};
  double limit = 0;  // of memory, in bytes
};

/// What a figure of the answer is.
enum class FigureName : std::uint8_t {
  kBatchSizes,  // a number of them, whose computing was profiled
  kSums,        // of a thread, in bytes a second; 0: not limited
  kHop,         // as measured, in seconds
  kMessage,
  kExchangeStep,
  kMeasuredLink,  // in bytes a second; 0: not limited
  kFarLink,       // the same, of large vectors
  kCrowding,      // computing in a job, a share longer
  kExchangeFactor,
  kModelError,
  kLink,
  kLatency,
  kMemberMemory,
  kWorkerMemory,
  kNoiseScale,
  kConvolutions,  // a number of them
  kCores,
  kMachineMemory,
  kMachineLink,
  kMachineHop,
  kPeak,
  kBandwidth,
  kPrice,
};

/// A figure of the answer with where it is from.
struct NamedFigure {
  FigureName name = FigureName::kBatchSizes;
  Figure figure;
  bool is_used = true;
};

}  // namespace sumac::planner
