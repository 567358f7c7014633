#include "base/process/log_flags.h"

namespace sumac {

Log LogFlags::open() const {
  return Log::toStderr(logLevelFromName(level).value(), logFormatFromName(format).value());
}

std::string checkLogLevel(const std::string& name) {
  const auto level = logLevelFromName(name);
  return level ? std::string() : level.error().message;
}

std::string checkLogFormat(const std::string& name) {
  const auto format = logFormatFromName(name);
  return format ? std::string() : format.error().message;
}

}  // namespace sumac
