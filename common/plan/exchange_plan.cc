#include "common/plan/exchange_plan.h"

#include <algorithm>
#include <numeric>

#include "common/base/check.h"

namespace sumac {

namespace {

constexpr std::int64_t kMaxRange = 512 * 1024 / 4;    // one message: bounds latency and copies
constexpr std::int64_t kSmallTensor = 64 * 1024 / 4;  // below, a message costs more than its bytes
constexpr std::int64_t kMinRange = 1024;
constexpr std::int64_t kRangesPerServer = 4;  // of small networks, so that loads come out even

std::int64_t largestRange(std::int64_t values, int servers) {
  if (servers == 1) return kMaxRange;
  const std::int64_t shares = kRangesPerServer * servers;
  return std::clamp((values + shares - 1) / shares, kMinRange, kMaxRange);
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
    out_->push_back({static_cast<std::uint32_t>(out_->size()), first_, count, 0});
    first_ += count;
  }

  std::int64_t limit_;
  std::int64_t small_;
  std::vector<Range>* out_;
  std::int64_t first_ = 0;
  std::int64_t packed_ = 0;
};

// Largest first, each to the server that has least: within a range's size of even.
void distribute(std::vector<Range>& ranges, int servers) {
  std::vector<std::size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ranges[a].count > ranges[b].count; });
  std::vector<std::int64_t> load(static_cast<std::size_t>(servers), 0);
  for (const std::size_t i : order) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += ranges[i].count;
    ranges[i].owner = static_cast<int>(least - load.begin());
  }
}

}  // namespace

std::int64_t ExchangePlan::valuesOf(int server) const {
  std::int64_t sum = 0;
  for (const Range& range : ranges) {
    if (range.owner == server) sum += range.count;
  }
  return sum;
}

ExchangePlan makeExchangePlan(const std::vector<std::int64_t>& tensor_sizes, int parts, int servers,
                              PartStateSizes state) {
  SUMAC_CHECK(parts >= 1 && servers >= 1, parts, servers);
  ExchangePlan plan;
  plan.parts = parts;
  plan.servers = servers;
  plan.parameters = std::accumulate(tensor_sizes.begin(), tensor_sizes.end(), std::int64_t{0});
  plan.state = state;
  plan.values = plan.statisticsAt() + state.statistics;
  Cutter cutter(largestRange(plan.values, servers), plan.ranges);
  for (const std::int64_t size : tensor_sizes) {
    cutter.tensor(size);
  }
  cutter.tensor(/*size=*/1);  // the loss
  cutter.flush();
  for (const std::int64_t size : {state.recurrent, state.statistics}) {
    if (size > 0) cutter.tensor(size);
    cutter.flush();
  }
  distribute(plan.ranges, servers);
  return plan;
}

ExchangePlan makeExchangePlan(const model::Network& network, std::int64_t batch_size, int parts,
                              int servers) {
  std::vector<std::int64_t> sizes;
  for (const model::Tensor& tensor : network.tensors) {
    sizes.push_back(tensor.count());
  }
  return makeExchangePlan(sizes, parts, servers,
                          {batch_size * network.recurrent, parts * network.statistics});
}

}  // namespace sumac
