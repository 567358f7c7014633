#include "base/log/log.h"

#include <cmath>
#include <utility>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/core/units.h"
#include "base/log/line_format.h"

namespace sumac {
namespace {

spdlog::level::level_enum toSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarn: return spdlog::level::warn;
    case LogLevel::kError: break;
  }
  return spdlog::level::err;
}

}  // namespace

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

struct Log::Sink {
  Sink(spdlog::sink_ptr sink, LogLevel lowest, LogFormat line_format)
      : logger("sumac", std::move(sink)), format(line_format) {
    logger.set_pattern(format == LogFormat::kText ? "%Y-%m-%dT%H:%M:%S.%eZ %v"
                                                  : R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})",
                       spdlog::pattern_time_type::utc);
    logger.set_level(toSpdlog(lowest));
    logger.flush_on(spdlog::level::trace);
  }

  spdlog::logger logger;
  const LogFormat format;
};

Log Log::toStderr(LogLevel lowest, LogFormat format) {
  return Log(
      std::make_shared<Sink>(std::make_shared<spdlog::sinks::stderr_sink_mt>(), lowest, format));
}

Result<Log> Log::toFile(const std::filesystem::path& path, LogLevel lowest, LogFormat format) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    return Log(std::make_shared<Sink>(std::move(sink), lowest, format));
  } catch (const spdlog::spdlog_ex& failure) {
    return Error{ErrorCode::kUnavailable,
                 "cannot open the log file: " + std::string(failure.what())};
  }
}

Log Log::discarding() {
  return Log(nullptr);
}

Log Log::with(const LogField& field) const {
  Log log = *this;
  if (sink_ != nullptr) appendField(log.bound_, sink_->format, field);
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
  if (sink_ == nullptr || !sink_->logger.should_log(toSpdlog(level))) return;
  std::string line = lineStart(sink_->format, level, message);
  line += bound_;
  for (const LogField& field : fields)
    appendField(line, sink_->format, field);
  sink_->logger.log(toSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace sumac
