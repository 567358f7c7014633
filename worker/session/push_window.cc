#include "worker/session/push_window.h"

#include <algorithm>

namespace sumac::worker {

void PushWindow::reset(std::uint32_t connection) {
  up_ = true;
  connection_ = connection;
  sent_ = 0;
  acknowledged_ = 0;
  waiting_.clear();
}

bool PushWindow::acknowledge(std::uint32_t connection, std::uint64_t bytes) {
  if (connection != connection_) return true;  // of a connection before this one: means nothing now
  if (bytes > sent_) return false;
  acknowledged_ = std::max(acknowledged_, bytes);
  return true;
}

void PushWindow::dropBefore(Step step) {
  std::erase_if(waiting_, [step](const Push& push) { return push.step < step; });
}

std::optional<Push> PushWindow::next() {
  if (!up_ || waiting_.empty()) return std::nullopt;
  const Push push = waiting_.front();
  if (underWay() > 0 && underWay() + push.bytes > kCredit) return std::nullopt;
  waiting_.pop_front();
  sent_ += push.bytes;
  return push;
}

}  // namespace sumac::worker
