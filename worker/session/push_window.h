#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "common/base/step.h"
#include "common/plan/part_tree.h"

namespace sumac::worker {

/// One message's worth of a contribution: a range of one tree node.
struct Push {
  Step step = 0;
  std::uint32_t range = 0;
  TreeNode node;
  std::uint64_t bytes = 0;

  bool operator==(const Push&) const = default;
};

/// The queue of pushes to one server. Bytes under way never exceed the credit of the connection.
class PushWindow {
 public:
  static constexpr std::uint64_t kCredit = 8ULL * 1024 * 1024;

  /// A new connection, with nothing under way. Clears the queue; the caller fills it again.
  void reset(std::uint32_t connection);
  void disconnect() { up_ = false; }
  void clear() { waiting_.clear(); }
  void add(Push push) { waiting_.push_back(push); }
  /// Removes queued pushes of steps before `step`, whose sums every worker has.
  void dropBefore(Step step);

  /// The server has accepted so many bytes on this connection. Returns false when more than was
  /// sent.
  bool acknowledge(std::uint32_t connection, std::uint64_t bytes);

  /// The next push that fits the credit, if any; counts it as sent.
  std::optional<Push> next();

  std::uint32_t connection() const { return connection_; }
  std::uint64_t underWay() const { return sent_ - acknowledged_; }

 private:
  bool up_ = false;
  std::uint32_t connection_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::deque<Push> waiting_;
};

}  // namespace sumac::worker
