#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/step.h"

namespace sumac {

/// What a member that ends without a result says of itself in its termination message: the reason,
/// and after it a line of its own with the last step that it completed.
struct LastWords {
  std::string reason;
  std::optional<Step> step = {};  // not known, or of an image that does not say it

  /// As a termination message of at most 1,024 bytes; a reason that is too long is cut.
  std::string text() const;

  /// Reads what text() wrote. A last line that is anything else belongs to the reason: the message
  /// is not trusted.
  static LastWords parse(std::string_view text);
};

/// Writes why a process ended, cut to 1,024 bytes (a pod's containers share 12 KiB), into a file
/// that exists or is created. An empty path writes nothing.
Result<void> writeTermination(const std::filesystem::path& path, std::string_view text);

/// The same for a process whose command line is unusable: to `path` where that was read, else to
/// $SUMAC_TERMINATION_FILE. A failure to write is ignored: the usage message is on stderr.
void writeUsageTermination(const std::filesystem::path& path, std::string_view text);

}  // namespace sumac
