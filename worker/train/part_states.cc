#include "worker/train/part_states.h"

#include <algorithm>
#include <string>

#include "base/core/check.h"

namespace sumac::worker {

PartStates::PartStates(const model::Network& network, const ExchangePlan& plan)
    : per_sample_(static_cast<std::size_t>(network.recurrent)),
      per_part_(static_cast<std::size_t>(network.statistics)),
      recurrent_(static_cast<std::size_t>(plan.state.recurrent)),
      tail_at_(static_cast<std::size_t>(plan.recurrentAt())),
      values_(static_cast<std::size_t>(plan.values)) {
  SUMAC_CHECK(plan.state.statistics == plan.parts * network.statistics, plan.state.statistics);
  for (AlignedBuffer& buffer : buffers_)
    buffer = AlignedBuffer(recurrent_ + static_cast<std::size_t>(plan.state.statistics));
  for (auto part = current().subspan(recurrent_); !part.empty(); part = part.subspan(per_part_)) {
    for (const model::Layer& layer : network.layers) {
      const auto half = static_cast<std::size_t>(layer.statistics.count / 2);  // the means
      const auto offset = static_cast<std::size_t>(layer.statistics.offset);
      std::ranges::fill(part.subspan(offset + half, half), 1.0F);
    }
  }
}

PartState PartStates::of(int part, std::int64_t first_sample, std::int64_t count) const {
  const auto index = static_cast<std::size_t>(part);
  return {.recurrent = recurrent().subspan(static_cast<std::size_t>(first_sample) * per_sample_,
                                           static_cast<std::size_t>(count) * per_sample_),
          .statistics = statistics().subspan(index * per_part_, per_part_)};
}

void PartStates::advance(std::span<const float> sums) {
  current_ = 1 - current_;
  SUMAC_CHECK(sums.size() == values_, sums.size(), values_);
  std::ranges::copy(sums.subspan(tail_at_, current().size()), current().begin());
}

void PartStates::forgetRecurrent() {
  std::ranges::fill(current().first(recurrent_), 0.0F);
}

Result<void> PartStates::restore(std::span<const float> recurrent,
                                 std::span<const float> statistics) {
  const std::size_t expected = current().size() - recurrent_;
  if (recurrent.size() != recurrent_ || statistics.size() != expected) {
    const auto both = [](std::size_t a, std::size_t b) {
      return std::to_string(a) + " values of recurrent state and " + std::to_string(b) +
             " of statistics";
    };
    return Error{ErrorCode::kConflict, "its part state has " +
                                           both(recurrent.size(), statistics.size()) +
                                           ", the network needs " + both(recurrent_, expected)};
  }
  std::ranges::copy(recurrent, current().begin());
  std::ranges::copy(statistics, current().subspan(recurrent_).begin());
  return {};
}

void PartStates::meanStatistics(std::span<float> mean) const {
  SUMAC_CHECK(mean.size() == per_part_, mean.size(), per_part_);
  if (mean.empty()) return;
  std::ranges::fill(mean, 0.0F);
  const std::size_t parts = statistics().size() / per_part_;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto own = statistics().subspan(part * per_part_, per_part_);
    for (std::size_t i = 0; i < per_part_; ++i)
      mean[i] += own[i];
  }
  for (float& value : mean)
    value /= static_cast<float>(parts);
}

}  // namespace sumac::worker
