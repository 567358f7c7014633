#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/log/log.h"

namespace sumac::kube {

/// Reads a bearer token: trimmed, and nothing that an HTTP header cannot carry. Fails on an empty
/// one.
Result<std::string> readToken(const std::filesystem::path& path);

/// A bearer token in a file that somebody rotates. Read again when the last reading is a minute
/// old (with some seconds to spare); where that fails, the old token is kept and the failure
/// logged. Safe from any thread.
class TokenFile {
 public:
  TokenFile(std::filesystem::path path, std::shared_ptr<const Clock> clock, Log log);

  /// Fails only while no token was ever read.
  Result<std::string> token();

  /// The next token() reads the file, however young the last reading is.
  void forget();

 private:
  const std::filesystem::path path_;
  const std::shared_ptr<const Clock> clock_;
  const Log log_;

  std::mutex mutex_;  // guards all below
  std::string token_;
  TimePoint next_reading_{};
};

}  // namespace sumac::kube
