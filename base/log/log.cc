#include "base/log/log.h"

#include <cmath>
#include <utility>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/core/units.h"
#include "base/log/line_format.h"

namespace sumac {

std::string_view toString(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarn: return "warn";
    case LogLevel::kError: break;
  }
  return "error";
}

Result<LogLevel> logLevelFromName(std::string_view name) {
  for (const auto level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    if (toString(level) == name) return level;
  }
  return Error{ErrorCode::kInvalid,
               "log level \"" + std::string(name) + "\" is not one of debug, info, warn and error"};
}

std::string_view toString(LogFormat format) {
  return format == LogFormat::kText ? "text" : "json";
}

Result<LogFormat> logFormatFromName(std::string_view name) {
  for (const auto format : {LogFormat::kText, LogFormat::kJson}) {
    if (toString(format) == name) return format;
  }
  return Error{ErrorCode::kInvalid,
               "log format \"" + std::string(name) + "\" is not one of text and json"};
}

// JSON has no numbers that are not finite.
LogField::LogField(std::string_view name, double number)
    : key(name), value(exactText(number)), is_literal(std::isfinite(number)) {}

/// Where lines go. Safe from any thread.
class Log::Sink {
 public:
  Sink(LogLevel lowest, LogFormat format) : lowest_(lowest), format_(format) {}
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  bool takes(LogLevel level) const { return level >= lowest_; }
  LogFormat format() const { return format_; }
  virtual std::string start(LogLevel level, std::string_view message) const {
    return lineStart(format_, level, message);
  }
  virtual void write(LogLevel level, std::string_view line) = 0;

 private:
  const LogLevel lowest_;
  const LogFormat format_;
};

/// A stream, each line with its time.
class Log::LineSink final : public Sink {
 public:
  LineSink(spdlog::sink_ptr sink, LogLevel lowest, LogFormat format)
      : Sink(lowest, format), logger_("sumac", std::move(sink)) {
    logger_.set_pattern(format == LogFormat::kText ? "%Y-%m-%dT%H:%M:%S.%eZ %v"
                                                   : R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})",
                        spdlog::pattern_time_type::utc);
    logger_.set_level(spdlog::level::trace);
    logger_.flush_on(spdlog::level::trace);
  }

  void write(LogLevel /*level*/, std::string_view line) override {
    logger_.log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  }

 private:
  spdlog::logger logger_;
};

/// The log of the program that has loaded us: that adds times and levels itself.
class Log::FunctionSink final : public Sink {
 public:
  FunctionSink(std::function<void(LogLevel, std::string_view)> receiver, LogLevel lowest)
      : Sink(lowest, LogFormat::kText), receiver_(std::move(receiver)) {}

  std::string start(LogLevel /*level*/, std::string_view message) const override {
    return std::string(message);
  }
  void write(LogLevel level, std::string_view line) override { receiver_(level, line); }

 private:
  const std::function<void(LogLevel, std::string_view)> receiver_;
};

Log Log::toStderr(LogLevel lowest, LogFormat format) {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  return Log(std::make_shared<LineSink>(std::move(sink), lowest, format));
}

Result<Log> Log::toFile(const std::filesystem::path& path, LogLevel lowest, LogFormat format) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    return Log(std::make_shared<LineSink>(std::move(sink), lowest, format));
  } catch (const spdlog::spdlog_ex& failure) {
    return Error{ErrorCode::kUnavailable,
                 "cannot open the log file: " + std::string(failure.what())};
  }
}

Log Log::toFunction(std::function<void(LogLevel, std::string_view)> receiver, LogLevel lowest) {
  return Log(std::make_shared<FunctionSink>(std::move(receiver), lowest));
}

Log Log::discarding() {
  return Log(nullptr);
}

Log Log::with(const LogField& field) const {
  Log log = *this;
  if (sink_ != nullptr) appendField(log.bound_, sink_->format(), field);
  return log;
}

void Log::debug(std::string_view message, Fields fields) const {
  write(LogLevel::kDebug, message, fields);
}

void Log::info(std::string_view message, Fields fields) const {
  write(LogLevel::kInfo, message, fields);
}

void Log::warn(std::string_view message, Fields fields) const {
  write(LogLevel::kWarn, message, fields);
}

void Log::error(std::string_view message, Fields fields) const {
  write(LogLevel::kError, message, fields);
}

void Log::write(LogLevel level, std::string_view message, Fields fields) const {
  if (sink_ == nullptr || !sink_->takes(level)) return;
  std::string line = sink_->start(level, message);
  line += bound_;
  for (const LogField& field : fields)
    appendField(line, sink_->format(), field);
  sink_->write(level, line);
}

}  // namespace sumac
