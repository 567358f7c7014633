#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "common/base/bytes.h"
#include "common/link/link.h"
#include "common/membership/roster.h"
#include "server/sync/sum_store.h"

namespace sumac::server {

/// The data lane of a server: takes pushes, answers with sums, returns credit as soon as a push is
/// taken over, fences by (term, generation). Owned by one thread.
class SumExchange {
 public:
  static constexpr std::uint64_t kCreditBatch = 1024UL * 1024;
  // A worker's whole credit of payload, and as much again for the headers of small ones.
  static constexpr std::uint64_t kMaxHeld = 16UL * 1024 * 1024;

  /// `base` has the job and the sender, `workers` says how many may speak; the references outlive
  /// us.
  SumExchange(const wire::Header& base, int workers, const KernelTable& kernels, link::Link& link);

  /// In force from now on; everything is summed again. What was held for it is taken now. `plan`
  /// outlives us and is the same in all rosters.
  void onRoster(const Roster& roster, const ExchangePlan& plan);

  /// A message of the data lane from a worker.
  void onMessage(int worker, const wire::Header& header, BytesView payload);

  /// Messages that did not fit the plan, the connection or the membership.
  std::uint64_t refused() const { return refused_; }
  /// Pushes of an epoch that is over.
  std::uint64_t stale() const { return stale_; }

 private:
  struct Held {
    wire::Header header;
    Bytes payload;
  };
  struct Inbound {
    std::uint32_t connection = 0;
    std::uint64_t taken = 0;     // bytes on this connection
    std::uint64_t returned = 0;  // thereof told to the worker
    std::deque<Held> held;       // for a roster that is under way to us
    std::uint64_t held_bytes = 0;
  };

  void hold(Inbound& from, const wire::Header& header, BytesView payload);
  void take(int worker, const wire::Header& header, BytesView payload);
  void takePush(int worker, const wire::Header& header, BytesView payload);
  bool fits(const wire::Header& header, BytesView payload) const;
  void sendSum(int worker, const wire::Header& push);
  void returnCredit(int worker);
  void send(int worker, wire::MessageType type, wire::Header header, BytesView payload);

  const wire::Header base_;
  int workers_;
  const ExchangePlan* plan_ = nullptr;  // until the first roster
  const KernelTable* kernels_;
  link::Link* link_;
  std::optional<Roster> roster_;
  std::optional<SumStore> store_;
  std::map<int, Inbound> inbound_;
  std::uint64_t refused_ = 0;
  std::uint64_t stale_ = 0;
};

}  // namespace sumac::server
