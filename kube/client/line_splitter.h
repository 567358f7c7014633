#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace sumac::kube {

/// Cuts a stream of bytes into lines, wherever the network cut it into pieces. Not thread-safe.
class LineSplitter {
 public:
  enum class Outcome { kContinue, kStopped, kTooLong };

  explicit LineSplitter(std::size_t longest) : longest_(longest) {}

  /// Hands over each line that `bytes` completes, without its newline; empty lines too. kStopped:
  /// `on_line` returned false. kTooLong: a line is longer than allowed; it is not handed over.
  Outcome add(std::string_view bytes, const std::function<bool(std::string_view)>& on_line);

  /// What was begun and has no newline yet.
  const std::string& rest() const { return rest_; }

 private:
  std::size_t longest_;
  std::string rest_;
};

}  // namespace sumac::kube
