#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exchange/member/contribution.h"
#include "exchange/plan/exchange_plan.h"

namespace sumac::worker {

/// Which ranges of a step's contributions are final, from which of their values are. Gathers them
/// into buckets that are worth a message. Owned by the trainer's thread; does not allocate after
/// the first step.
class FinalRanges {
 public:
  /// Of the ranges of a bucket, so many bytes at least. To announce it costs up to 50 us of a core
  /// to wake who sends it, and as much there: a quarter of what its bytes take at 10 Gbit/s. So a
  /// vector of less is sent in one piece, when all of it is final.
  static constexpr std::size_t kBucketBytes = 256UL * 1024;
  /// The same where a core is left for who sends: then all that a bucket costs the trainer is to
  /// announce it. As large as the smallest message of several ranges (Cutting).
  static constexpr std::size_t kBucketBytesBeside = 64UL * 1024;

  /// `plan` outlives us.
  explicit FinalRanges(const ExchangePlan& plan, std::size_t bucket_bytes = kBucketBytes)
      : plan_(plan), least_(bucket_bytes) {}

  /// A step of so many contributions begins: nothing of them is final.
  void begin(std::size_t contributions);

  /// Whether a step's contributions are more than one bucket.
  bool areMany() const { return bytes() >= 2 * least_; }
  /// Of all contributions.
  std::size_t bytes() const {
    return left_.size() / plan_.ranges.size() * static_cast<std::size_t>(plan_.values) *
           sizeof(float);
  }

  /// Of a contribution the values [first, first + count) are final; each is said once. Returns the
  /// bucket of ranges that this completes, valid until the next call; mostly none.
  std::span<const FinalRange> take(std::size_t contribution, std::size_t first, std::size_t count);

 private:
  const ExchangePlan& plan_;        // outlives us
  std::size_t least_;               // bytes of a bucket
  std::vector<std::int64_t> left_;  // values that are not final, by contribution and range
  std::vector<FinalRange> bucket_;
  std::size_t bucket_bytes_ = 0;
  bool is_given_ = false;  // the bucket was returned
};

}  // namespace sumac::worker
