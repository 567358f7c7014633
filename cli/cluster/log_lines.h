#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sumac::cli {

/// Cuts a stream of bytes into lines. A line longer than a mebibyte is delivered in pieces; end()
/// delivers a last one without a newline.
class LineCutter {
 public:
  using OnLine = std::function<void(std::string_view line)>;

  void add(std::string_view bytes, const OnLine& on_line);
  void end(const OnLine& on_line);

 private:
  std::string rest_;
};

/// The position in a pod's log. Lines begin with a time ("2026-01-31T12:00:00.123456789Z text"),
/// which is removed and remembered: when the stream breaks, reading resumes at since(), whose whole
/// second is sent again, and lines seen before are skipped.
class LogCursor {
 public:
  /// The text of a new line; nothing for one seen before.
  std::optional<std::string_view> take(std::string_view line);

  /// The time of the last line, unchanged; empty: none yet.
  const std::string& since() const { return last_; }

 private:
  std::string last_;
  std::string last_key_;  // last_ with nine digits of a second
};

/// A member's line as shown: a JSON line as text, any other unchanged. `has_time`: the
/// line begins with the API server's time, which stays.
std::string readableLine(std::string_view line, bool has_time);

}  // namespace sumac::cli
