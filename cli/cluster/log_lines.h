#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sumac::cli {

/// Cuts a stream of bytes into lines. One that grows beyond a mebibyte is handed over in pieces;
/// the last one also without its newline, by end().
class LineCutter {
 public:
  using OnLine = std::function<void(std::string_view line)>;

  void add(std::string_view bytes, const OnLine& on_line);
  void end(const OnLine& on_line);

 private:
  std::string rest_;
};

/// Where reading a pod's log has come to. Lines begin with a time ("2026-01-31T12:00:00.123456789Z
/// text"), which is taken off and remembered: when the stream breaks, reading goes on from since(),
/// whose whole second comes again, and what was seen is left out.
class LogCursor {
 public:
  /// The text of a line that is new; nothing for one that was seen.
  std::optional<std::string_view> take(std::string_view line);

  /// The time of the last line, as it came; empty: none yet.
  const std::string& since() const { return last_; }

 private:
  std::string last_;
  std::string last_key_;  // last_ with nine digits of a second
};

}  // namespace sumac::cli
