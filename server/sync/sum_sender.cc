#include "server/sync/sum_sender.h"

#include <algorithm>
#include <utility>

namespace sumac::server {
namespace {

/// What came with the last message and goes on as it is keeps its payload, and with it its
/// checksum.
link::ValuePayloads::Written write(link::ValuePayloads& payloads, const GatheredRanges& done,
                                   const ReceivedRanges& last) {
  const std::span<const float> values = done.values.values;
  const std::span<const float> came = last.values.values;
  const bool is_same = values.data() == came.data() && values.size() == came.size();
  if (is_same && payloads.isPlain()) return last.as_it_came;
  return payloads.write(done.run, values, done.values.owner);
}

}  // namespace

void SumSender::restart(const wire::Header& base, const Routes& routes) {
  base_ = base;
  routes_ = &routes;
  gathered_.clear();
  waiting_.clear();
}

void SumSender::gather(GatheredRanges next) {
  const auto found = std::ranges::find_if(
      gathered_, [&](const GatheredRanges& message) { return message.isFollowedBy(next); });
  if (found == gathered_.end()) return gathered_.push_back(std::move(next));
  ++found->run.ranges;
  found->run.count += next.run.count;
  found->values.extendBy(next.values);
}

void SumSender::send(link::ValuePayloads& payloads, const ReceivedRanges& last) {
  for (const GatheredRanges& done : std::exchange(gathered_, {})) {
    const auto written = write(payloads, done, last);
    for (const int worker : done.workers) {
      wire::Header header = headerOf(done, worker);
      payloads.describe(written, header);
      waiting_[worker].push_back({header, written.payload});
      pump(worker);
    }
  }
}

wire::Header SumSender::headerOf(const GatheredRanges& done, int worker) const {
  const Slot to{Role::kWorker, worker};
  const bool passes_on = done.type == wire::MessageType::kSum && to != base_.sender.slot &&
                         routes_->sums(to, done.run.range);
  wire::Header header = base_;
  header.type = passes_on ? wire::MessageType::kTotal : done.type;
  header.step = done.step;
  header.range = done.run.range;
  header.first = static_cast<std::uint64_t>(done.run.first);
  header.count = static_cast<std::uint32_t>(done.run.count);
  header.node = done.node;
  return header;
}

void SumSender::onRoom(int worker) {
  if (waiting_.contains(worker)) pump(worker);
}

void SumSender::pump(int worker) {
  const link::Peer to{{Role::kWorker, worker}, link::Lane::kData};
  std::deque<Outgoing>& queue = waiting_[worker];
  while (!queue.empty() && link_->hasRoom(to, link::bytesOf(queue.front().payload).size())) {
    link_->send(to, queue.front().header, queue.front().payload);
    queue.pop_front();
  }
}

}  // namespace sumac::server
