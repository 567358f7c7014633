#include "cli/run/line_reader.h"

#include <utility>

namespace sumac::cli {

std::vector<std::string> LineReader::feed(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (!skipping_ && partial_.size() + piece.size() > limit_) {
      skipping_ = true;
      partial_.clear();
      ++dropped_;
    }
    if (!skipping_) partial_ += piece;
    if (end == std::string_view::npos) break;
    if (!skipping_) lines.push_back(std::exchange(partial_, {}));
    skipping_ = false;
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace sumac::cli
