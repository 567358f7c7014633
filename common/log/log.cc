#include "common/log/log.h"

#include <algorithm>
#include <charconv>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace sumac {
namespace {

bool isPlain(char c) {
  return c > ' ' && c < '\x7f' && c != '"' && c != '\\' && c != '=';
}

void appendEscaped(std::string& line, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    line += '\\';
    line += c;
  } else if (c == '\n') {
    line += "\\n";
  } else if (c == '\t') {
    line += "\\t";
  } else if (byte < 0x20U || byte == 0x7FU) {
    line += "\\x";
    line += kDigits[byte >> 4U];
    line += kDigits[byte & 15U];
  } else {
    line += c;  // bytes above 0x7f belong to UTF-8
  }
}

void appendQuoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text)
    appendEscaped(line, c);
  line += '"';
}

void appendField(std::string& line, const LogField& field) {
  line += ' ';
  line += field.key;
  line += '=';
  if (!field.value.empty() && std::ranges::all_of(field.value, isPlain)) {
    line += field.value;
  } else {
    appendQuoted(line, field.value);
  }
}

spdlog::level::level_enum toSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarn: return spdlog::level::warn;
    case LogLevel::kError: break;
  }
  return spdlog::level::err;
}

std::string numberText(double number) {
  constexpr std::size_t kLongest = 32;  // the shortest text of a double has at most 24 characters
  std::string text(kLongest, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return text;
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

std::ostream& operator<<(std::ostream& out, LogLevel level) {
  return out << toString(level);
}

Result<LogLevel> logLevelFromName(std::string_view name) {
  for (const auto level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    if (toString(level) == name) return level;
  }
  return Error{ErrorCode::kInvalid,
               "log level \"" + std::string(name) + "\" is not one of debug, info, warn and error"};
}

LogField::LogField(std::string_view name, double number) : key(name), value(numberText(number)) {}

struct Log::Sink {
  Sink(spdlog::sink_ptr sink, LogLevel lowest) : logger("sumac", std::move(sink)) {
    logger.set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
    logger.set_level(toSpdlog(lowest));
    logger.flush_on(spdlog::level::trace);
  }

  spdlog::logger logger;
};

Log Log::toStderr(LogLevel lowest) {
  return Log(std::make_shared<Sink>(std::make_shared<spdlog::sinks::stderr_sink_mt>(), lowest));
}

Result<Log> Log::toFile(const std::filesystem::path& path, LogLevel lowest) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    return Log(std::make_shared<Sink>(std::move(sink), lowest));
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
  appendField(log.bound_, field);
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
  std::string line(toString(level));
  line += ' ';
  appendQuoted(line, message);
  line += bound_;
  for (const LogField& field : fields)
    appendField(line, field);
  sink_->logger.log(toSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace sumac
