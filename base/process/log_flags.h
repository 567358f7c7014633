#pragma once

#include <string>

#include "base/log/log.h"
#include "base/process/flag.h"

namespace sumac {

/// How a process logs, as its command line says. The names are checked when they are read.
struct LogFlags {
  std::string level = "info";
  std::string format = "text";

  /// A log on standard error. Requires valid names.
  Log open() const;
};

/// For CLI11's check(): empty, or what is wrong with the name.
std::string checkLogLevel(const std::string& name);
std::string checkLogFormat(const std::string& name);

/// Adds both flags to a CLI::App, where wanted in a group of its --help.
template <typename App>
void addLogFlags(App& app, const Flag& level, const Flag& format, LogFlags& flags,
                 const char* group = nullptr) {
  const auto options = {addFlag(app, level, flags.level)->check(checkLogLevel),
                        addFlag(app, format, flags.format)->check(checkLogFormat)};
  for (auto* const option : options) {
    option->capture_default_str();
    if (group != nullptr) option->group(group);
  }
}

}  // namespace sumac
