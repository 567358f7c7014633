#include "kube/client/line_splitter.h"

namespace sumac::kube {

LineSplitter::Outcome LineSplitter::add(std::string_view bytes,
                                        const std::function<bool(std::string_view)>& on_line) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > longest_) return Outcome::kTooLong;
    if (end == std::string_view::npos) {
      rest_.append(piece);
      return Outcome::kContinue;
    }
    bytes.remove_prefix(end + 1);
    bool go_on = false;
    if (rest_.empty()) {
      go_on = on_line(piece);
    } else {
      rest_.append(piece);
      go_on = on_line(rest_);
      rest_.clear();
    }
    if (!go_on) return Outcome::kStopped;
  }
  return Outcome::kContinue;
}

}  // namespace sumac::kube
