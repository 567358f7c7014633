#pragma once

#include <deque>
#include <map>
#include <vector>

#include "common/link/link.h"
#include "common/link/value_payloads.h"
#include "common/membership/routes.h"
#include "common/plan/range_run.h"
#include "server/store/shared_values.h"

namespace sumac::server {

/// Consecutive ranges for the same workers, which travel in one message: sums, or what is passed
/// on. A value type.
struct GatheredRanges {
  wire::MessageType type = wire::MessageType::kSum;
  std::vector<int> workers;
  Step step = 0;
  TreeNode node;
  RangeRun run;
  SharedValues values;

  bool isFollowedBy(const GatheredRanges& next) const {
    return type == next.type && workers == next.workers && step == next.step && node == next.node &&
           run.range + run.ranges == next.run.range && values.isFollowedBy(next.values);
  }
};

/// The values of consecutive ranges that have come, and the payload that they came in.
struct ReceivedRanges {
  RangeRun run;
  SharedValues values;
  link::ValuePayloads::Written as_it_came;
};

/// What one who adds ranges sends: joins ranges that follow each other, writes each payload once
/// for all workers, and keeps it for those whose credit is used up. Owned by one thread.
class SumSender {
 public:
  /// `link` outlives us.
  explicit SumSender(link::Link& link) : link_(&link) {}

  /// A new roster: what waits is not sent any more. Headers are like `base`. `routes` outlives us
  /// or the next call.
  void restart(const wire::Header& base, const Routes& routes);

  /// Adds ranges to a message that they continue, or begins another one.
  void gather(GatheredRanges next);
  /// Sends what was gathered while `last` was handled.
  void send(link::ValuePayloads& payloads, const ReceivedRanges& last);

  /// Credit of a worker's lane came back.
  void onRoom(int worker);

 private:
  struct Outgoing {
    wire::Header header;
    link::PayloadPtr payload;  // one for all workers
  };

  wire::Header headerOf(const GatheredRanges& done, int worker) const;
  void pump(int worker);

  link::Link* link_;
  wire::Header base_;
  const Routes* routes_ = nullptr;
  std::vector<GatheredRanges> gathered_;         // while a message is being handled
  std::map<int, std::deque<Outgoing>> waiting_;  // by worker: for credit
};

}  // namespace sumac::server
