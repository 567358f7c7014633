#include "kube/client/token_file.h"

#include <algorithm>
#include <utility>

#include "base/core/file.h"

namespace sumac::kube {
namespace {

// The kubelet replaces tokens long before they end; ten seconds less than a minute, so that a token
// is never older than that when its request arrives.
constexpr Duration kReadAgain = std::chrono::seconds(50);
constexpr std::uint64_t kMostToken = std::uint64_t{1} << 20U;

}  // namespace

Result<std::string> readToken(const std::filesystem::path& path) {
  auto text = readTextFile(path, kMostToken);
  if (!text) return text.error().within("while reading a token");
  constexpr const char* kSpace = " \t\r\n";
  const auto first = text->find_first_not_of(kSpace);
  if (first == std::string::npos) {
    return Error{ErrorCode::kInvalid, "the token in " + path.string() + " is empty"};
  }
  std::string token = text->substr(first, text->find_last_not_of(kSpace) - first + 1);
  const bool is_plain =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_plain) {
    return Error{ErrorCode::kInvalid,
                 "the token in " + path.string() + " holds spaces or control characters"};
  }
  return token;
}

TokenFile::TokenFile(std::filesystem::path path, std::shared_ptr<const Clock> clock, Log log)
    : path_(std::move(path)), clock_(std::move(clock)), log_(std::move(log)) {}

Result<std::string> TokenFile::token() {
  const std::lock_guard lock(mutex_);
  const TimePoint now = clock_->now();
  if (!token_.empty() && now < next_reading_) return token_;
  auto fresh = readToken(path_);
  if (!fresh && token_.empty()) return fresh.error();
  next_reading_ = now + kReadAgain;
  if (fresh) {
    token_ = *std::move(fresh);
  } else {
    log_.warn("cannot read the token again, keeping the old one",
              {{"error", fresh.error().message}});
  }
  return token_;
}

void TokenFile::forget() {
  const std::lock_guard lock(mutex_);
  next_reading_ = TimePoint::min();
}

}  // namespace sumac::kube
