#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/enum_text.h"
#include "base/core/result.h"

namespace sumac {

/// debug: one line per message; info: life cycle of the process; warn: it recovered, at a cost;
/// error: someone must act.
enum class LogLevel { kDebug, kInfo, kWarn, kError };

std::string_view toString(LogLevel level);
/// Fails with kInvalid and the four names.
Result<LogLevel> logLevelFromName(std::string_view name);

/// How lines are written: text for people, JSON for log collectors. See Log.
enum class LogFormat { kText, kJson };

/// "text" or "json".
std::string_view toString(LogFormat format);
/// Fails with kInvalid and the two names.
Result<LogFormat> logFormatFromName(std::string_view name);

/// A value of a line with its name, "step=420".
struct LogField {
  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(text) {}
  LogField(std::string_view name, const std::string& text) : key(name), value(text) {}
  LogField(std::string_view name, bool flag)
      : key(name), value(flag ? "true" : "false"), is_literal(true) {}
  LogField(std::string_view name, double number);
  template <std::integral T>
  LogField(std::string_view name, T number)
      : key(name), value(std::to_string(number)), is_literal(true) {}

  std::string_view key;
  std::string value;
  bool is_literal = false;  // `value` is JSON as it stands: a number, true or false
};

/// Writes one line per event: a constant message, then fields, bound ones first.
///
/// As text: `2026-01-31T12:00:00.123Z info "gradient applied" role=server index=1 step=420`. Values
/// of more than one word are quoted and control characters escaped, so that an event stays one line
/// whatever a peer sent.
///
/// As JSON: `{"time":"2026-01-31T12:00:00.123Z","severity":"INFO","message":"gradient applied",
/// "role":"server","index":1,"step":420}` on one line, with the severities of Cloud Logging (DEBUG,
/// INFO, WARNING, ERROR). Bytes that are not UTF-8 become U+FFFD, so that each line is valid JSON.
/// A field must not be called time, severity or message: it would get an underscore after its name.
///
/// A value type that is passed down; safe from any thread.
class Log {
 public:
  using Fields = std::initializer_list<LogField>;

  static Log toStderr(LogLevel lowest, LogFormat format = LogFormat::kText);
  /// Appends to `path`. Fails with kUnavailable when it cannot be opened.
  static Result<Log> toFile(const std::filesystem::path& path, LogLevel lowest,
                            LogFormat format = LogFormat::kText);
  /// Calls `receiver` for each event, on whatever thread it happens and on several at a time, with
  /// message and fields as text, without time and level: `gradient applied step=420`.
  static Log toFunction(std::function<void(LogLevel, std::string_view)> receiver, LogLevel lowest);
  /// Writes nothing.
  static Log discarding();

  /// The same log with a further field on every line.
  Log with(const LogField& field) const;

  void debug(std::string_view message, Fields fields = {}) const;
  void info(std::string_view message, Fields fields = {}) const;
  void warn(std::string_view message, Fields fields = {}) const;
  void error(std::string_view message, Fields fields = {}) const;

 private:
  class Sink;
  class LineSink;
  class FunctionSink;

  explicit Log(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  void write(LogLevel level, std::string_view message, Fields fields) const;

  std::shared_ptr<Sink> sink_;  // null: nothing is written
  std::string bound_;           // fields as they stand in a line of the format
};

}  // namespace sumac
