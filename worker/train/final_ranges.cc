#include "worker/train/final_ranges.h"

#include <algorithm>
#include <utility>

#include "base/core/check.h"

namespace sumac::worker {

void FinalRanges::begin(std::size_t contributions) {
  const std::size_t ranges = plan_.ranges.size();
  left_.resize(contributions * ranges);
  for (std::size_t i = 0; i < left_.size(); ++i)
    left_[i] = plan_.ranges[i % ranges].count;
  bucket_.reserve(left_.size());
  bucket_.clear();
  bucket_bytes_ = 0;
  is_given_ = false;
}

std::span<const FinalRange> FinalRanges::take(std::size_t contribution, std::size_t first,
                                              std::size_t count) {
  if (std::exchange(is_given_, false)) {
    bucket_.clear();
    bucket_bytes_ = 0;
  }
  if (count == 0) return {};
  const auto begin = static_cast<std::int64_t>(first);
  const auto end = begin + static_cast<std::int64_t>(count);
  auto range = plan_.ranges.begin() + plan_.rangeAt(begin);
  for (; range != plan_.ranges.end() && range->first < end; ++range) {
    std::int64_t& left = left_.at(contribution * plan_.ranges.size() + range->id);
    left -= std::min(end, range->first + range->count) - std::max(begin, range->first);
    SUMAC_CHECK(left >= 0, contribution, range->id);
    if (left > 0) continue;
    bucket_.push_back({contribution, range->id});
    bucket_bytes_ += static_cast<std::size_t>(range->count) * sizeof(float);
  }
  if (bucket_bytes_ < least_) return {};
  is_given_ = true;
  return bucket_;
}

}  // namespace sumac::worker
