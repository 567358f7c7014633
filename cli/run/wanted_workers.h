#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/core/result.h"

namespace sumac::cli {

/// The file with which `sumac scale` tells a run how many workers it is to have: a number and a
/// newline. Written as a whole; anybody may write anything there.
class WantedWorkers {
 public:
  /// What is in the file now is of an earlier run, and not looked at.
  explicit WantedWorkers(std::filesystem::path file);

  /// The number, from 1 to `most`, if the file is another one than at the last call; nothing if it
  /// is not. Fails with what is wrong with it.
  Result<std::optional<int>> look(int most);

  /// Writes the file.
  static Result<void> write(const std::filesystem::path& file, int workers);

 private:
  /// Tells files apart: each is a new one.
  struct Identity {
    std::uint64_t file = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    std::int64_t bytes = 0;

    bool operator==(const Identity&) const = default;
  };
  static std::optional<Identity> identityOf(const std::filesystem::path& file);

  std::filesystem::path file_;
  std::optional<Identity> seen_;
};

}  // namespace sumac::cli
