#pragma once

#include <concepts>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace sumac {

/// debug: per message; info: the life of the process; warn: we recovered, and it costs; error:
/// someone must act.
enum class LogLevel { kDebug, kInfo, kWarn, kError };

std::string_view toString(LogLevel level);
std::ostream& operator<<(std::ostream& out, LogLevel level);
Result<LogLevel> logLevelFromName(std::string_view name);

/// A part of a line that changes, "step=420".
struct LogField {
  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(text) {}
  LogField(std::string_view name, const std::string& text) : key(name), value(text) {}
  LogField(std::string_view name, bool flag) : key(name), value(flag ? "true" : "false") {}
  LogField(std::string_view name, double number);
  template <std::integral T>
  LogField(std::string_view name, T number) : key(name), value(std::to_string(number)) {}

  std::string_view key;
  std::string value;
};

/// Writes lines `2026-01-31T12:00:00.123Z info "gradient applied" role=server rank=1 step=420`: a
/// constant message, then fields, the bound ones first. Values are quoted where they hold more than
/// a word, so that a line stays a line whatever a peer sent. A value type that is passed down; safe
/// from any thread.
class Log {
 public:
  using Fields = std::initializer_list<LogField>;

  static Log toStderr(LogLevel lowest);
  /// Appends to `path`. Fails with kUnavailable when it cannot be opened.
  static Result<Log> toFile(const std::filesystem::path& path, LogLevel lowest);
  /// Writes nothing.
  static Log discarding();

  /// The same log with a further field on every line.
  Log with(const LogField& field) const;

  void debug(std::string_view message, Fields fields = {}) const;
  void info(std::string_view message, Fields fields = {}) const;
  void warn(std::string_view message, Fields fields = {}) const;
  void error(std::string_view message, Fields fields = {}) const;

 private:
  struct Sink;

  explicit Log(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  void write(LogLevel level, std::string_view message, Fields fields) const;

  std::shared_ptr<Sink> sink_;  // null: nothing is written
  std::string bound_;           // fields as they stand in a line
};

}  // namespace sumac
