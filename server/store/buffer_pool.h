#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace sumac::server {

/// Memory for nodes that wait for their sibling, used again and again: a server takes the same
/// sizes in every step, and fresh memory of half a megabyte costs a page fault for every 4 KiB.
/// Holds as much as was ever in use at once. Owned by one thread.
class BufferPool {
 public:
  using Buffer = std::vector<float>;

  /// `size` values, of any content.
  Buffer take(std::size_t size) {
    std::vector<Buffer>& spare = spare_[size];
    if (spare.empty()) return Buffer(size);
    Buffer buffer = std::move(spare.back());
    spare.pop_back();
    return buffer;
  }

  void giveBack(Buffer buffer) { spare_[buffer.size()].push_back(std::move(buffer)); }

 private:
  std::map<std::size_t, std::vector<Buffer>> spare_;
};

}  // namespace sumac::server
