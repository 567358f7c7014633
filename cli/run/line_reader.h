#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sumac::cli {

/// Cuts a stream into lines. A line longer than `limit` is dropped as a whole and counted; memory
/// stays bounded whatever comes.
class LineReader {
 public:
  explicit LineReader(std::size_t limit) : limit_(limit) {}

  /// The lines that `bytes` completes, without their newlines.
  std::vector<std::string> feed(std::string_view bytes);

  /// Another stream begins.
  void restart() {
    partial_.clear();
    skipping_ = false;
  }

  std::int64_t dropped() const { return dropped_; }

 private:
  const std::size_t limit_;
  std::string partial_;
  bool skipping_ = false;  // within a line that is too long
  std::int64_t dropped_ = 0;
};

}  // namespace sumac::cli
