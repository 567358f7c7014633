#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace sumac::server {

/// Reused memory for tree nodes that wait for their sibling. A server needs the same sizes in every
/// step, and half a megabyte of fresh memory costs a page fault per 4 KiB. Keeps as much as was
/// ever in use at once. Owned by one thread.
class BufferPool {
 public:
  using Buffer = std::vector<float>;

  /// A buffer of `size` unspecified values.
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
