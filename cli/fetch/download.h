#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/core/clock.h"
#include "base/core/result.h"

namespace sumac::cli {

/// One file to bring here.
struct DownloadRequest {
  std::string address;         // http, https or file
  std::filesystem::path file;  // its folder exists
  std::uint64_t size = 0;
  std::string sha256;
};

enum class Download { kPresent, kDone };

/// Told how many bytes of the file are here.
using OnBytes = std::function<void(std::uint64_t bytes)>;

/// Waits that long before the transfer is tried again. A parameter, so that tests do not wait.
using Pause = std::function<void(Duration)>;

/// Pauses before tries in a row: the first, doubled each time up to the longest.
inline constexpr Duration kFirstRetryPause = std::chrono::seconds(1);
inline constexpr Duration kLongestRetryPause = std::chrono::seconds(30);
/// An attempt that brings this much counts as a success: the next pause is the first again.
inline constexpr std::uint64_t kGoodAttempt = std::uint64_t{1} << 20;

/// Whether the file is there with this size and SHA-256.
bool isWhole(const DownloadRequest& request);

/// Brings the file here. Its name appears only when all of it is here, is checked and is on the
/// disk; what came so far is in a file of the same name with `.part` at its end, and a later call
/// continues from there. One process at a time: the caller sees to that. The
/// proxies that curl reads from the environment (https_proxy, no_proxy and the like) are used.
///
/// Failure: kUnavailable when the server, the network or the disk fails; it tries again by itself,
/// after a pause, as long as each attempt brings bytes. kInvalid when the server's file has other
/// bytes.
Result<Download> download(const DownloadRequest& request, const OnBytes& on_bytes,
                          const Pause& pause);

}  // namespace sumac::cli
