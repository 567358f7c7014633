#include "exchange/plan/exchange_plan.h"

#include <algorithm>
#include <numeric>

#include "base/core/check.h"

namespace sumac {

namespace {

constexpr std::int64_t kSmallTensor = 64 * 1024 / 4;  // below, a message costs more than its bytes

std::int64_t largestRange(std::int64_t values, const Cutting& cutting) {
  const std::int64_t piece = (values + cutting.pieces - 1) / cutting.pieces;
  return std::clamp(piece, cutting.smallest, cutting.largest);
}

// Appends ranges one after the other; small tensors gather until the next would not fit.
class Cutter {
 public:
  Cutter(std::int64_t limit, std::vector<Range>& out)
      : limit_(limit), small_(std::min(kSmallTensor, limit)), out_(&out) {}

  void tensor(std::int64_t size) {
    if (size >= small_) {
      flush();
      cut(size);
      return;
    }
    if (packed_ + size > limit_) flush();
    packed_ += size;
  }

  void flush() {
    if (packed_ > 0) append(packed_);
    packed_ = 0;
  }

 private:
  void cut(std::int64_t size) {
    const std::int64_t pieces = (size + limit_ - 1) / limit_;
    for (std::int64_t i = 0; i < pieces; ++i) {
      append((i + 1) * size / pieces - i * size / pieces);
    }
  }

  void append(std::int64_t count) {
    out_->push_back({static_cast<std::uint32_t>(out_->size()), first_, count});
    first_ += count;
  }

  std::int64_t limit_;
  std::int64_t small_;
  std::vector<Range>* out_;
  std::int64_t first_ = 0;
  std::int64_t packed_ = 0;
};

}  // namespace

std::uint32_t ExchangePlan::rangeAt(std::int64_t value) const {
  SUMAC_CHECK(value >= 0 && value < values, value, values);
  return (std::ranges::upper_bound(ranges, value, {}, &Range::first) - 1)->id;
}

ExchangePlan makeExchangePlan(const std::vector<std::int64_t>& tensor_sizes, int parts,
                              PartStateSizes state, const Cutting& cutting) {
  SUMAC_CHECK(parts >= 1, parts);
  ExchangePlan plan;
  plan.parts = parts;
  plan.parameters = std::accumulate(tensor_sizes.begin(), tensor_sizes.end(), std::int64_t{0});
  plan.state = state;
  plan.values = plan.statisticsAt() + state.statistics;
  plan.longest_run =
      std::clamp(plan.values / cutting.run_pieces, cutting.smallest_run, cutting.largest);
  Cutter cutter(largestRange(plan.values, cutting), plan.ranges);
  for (const std::int64_t size : tensor_sizes) {
    cutter.tensor(size);
  }
  cutter.tensor(/*size=*/1);  // the loss
  cutter.flush();
  for (const std::int64_t size : {state.recurrent, state.statistics}) {
    if (size > 0) cutter.tensor(size);
    cutter.flush();
  }
  return plan;
}

void addSquares(ExchangePlan& plan) {
  SUMAC_CHECK(plan.squares == 0, plan.squares);
  plan.squares = 1;
  plan.ranges.push_back({static_cast<std::uint32_t>(plan.ranges.size()), plan.values, 1});
  ++plan.values;
}

ExchangePlan makeExchangePlan(const model::Network& network, std::int64_t batch_size, int parts) {
  std::vector<std::int64_t> sizes;
  for (const model::Tensor& tensor : network.tensors) {
    sizes.push_back(tensor.count());
  }
  ExchangePlan plan =
      makeExchangePlan(sizes, parts, {batch_size * network.recurrent, parts * network.statistics});
  if (!network.isText()) return plan;
  const std::int64_t words_of_part = batch_size * network.input.front() / parts;
  if (words_of_part < network.vocabulary()) plan.embedding = sizes.front();
  return plan;
}

}  // namespace sumac
