#include "cli/fetch/download.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/bytes.h"
#include "base/core/descriptor.h"
#include "base/core/file.h"
#include "base/core/sha256.h"
#include "base/core/version.h"

namespace sumac::cli {
namespace {

namespace fs = std::filesystem;

constexpr long kConnectSeconds = 30;
constexpr long kSilentSeconds = 60;  // without a byte: the connection is given up
constexpr long kMostRedirects = 5;

Error systemError(const std::string& what, const fs::path& path) {
  return Error{ErrorCode::kUnavailable, what + " " + path.string() + ": " + std::strerror(errno)};
}

std::uint64_t sizeOf(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

/// SHA-256 of an open file of `size` bytes; nothing where it cannot be read.
std::optional<std::string> digestOf(int file, std::uint64_t size) {
  if (size == 0) return sha256Hex({});
  void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return std::nullopt;
  auto digest = sha256Hex({static_cast<const std::byte*>(bytes), size});
  ::munmap(bytes, size);
  return digest;
}

bool isWhole(int file, const DownloadRequest& request) {
  return sizeOf(file) == request.size && digestOf(file, request.size) == request.sha256;
}

/// Where bytes go as they come.
struct Arrival {
  int file = -1;
  std::uint64_t bytes = 0;  // in the file
  std::uint64_t limit = 0;
  const OnBytes* on_bytes = nullptr;
  std::optional<Error> failure;
};

/// For curl: takes all of `data` or, by another number, ends the transfer.
std::size_t onData(const char* data, std::size_t, std::size_t size, void* context) {
  auto& arrival = *static_cast<Arrival*>(context);
  if (size > arrival.limit - arrival.bytes) {
    arrival.failure = Error{ErrorCode::kInvalid, "it is larger than the known file"};
    return 0;
  }
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = ::write(arrival.file, data + done, size - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      arrival.failure =
          Error{ErrorCode::kUnavailable, std::string("cannot write it: ") + std::strerror(errno)};
      return 0;
    }
    done += static_cast<std::size_t>(written);
    arrival.bytes += static_cast<std::uint64_t>(written);
  }
  (*arrival.on_bytes)(arrival.bytes);
  return size;
}

using Curl = std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)>;

Curl makeCurl(const std::string& address, Arrival& arrival, char* message) {
  Curl curl(::curl_easy_init(), &::curl_easy_cleanup);
  if (!curl) return curl;
  const std::string agent = std::string("sumac/") + kVersion;
  const auto set = [&curl](CURLoption option, auto value) {
    ::curl_easy_setopt(curl.get(), option, value);
  };
  set(CURLOPT_URL, address.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https,file");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, kMostRedirects);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
  set(CURLOPT_USERAGENT, agent.c_str());
  set(CURLOPT_ERRORBUFFER, message);
  set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(arrival.bytes));
  set(CURLOPT_WRITEFUNCTION, &onData);
  set(CURLOPT_WRITEDATA, &arrival);
  return curl;
}

Result<void> empty(Arrival& arrival) {
  if (::ftruncate(arrival.file, 0) != 0 || ::lseek(arrival.file, 0, SEEK_SET) != 0) {
    return Error{ErrorCode::kUnavailable, std::string("cannot empty it: ") + std::strerror(errno)};
  }
  arrival.bytes = 0;
  return {};
}

/// One transfer, from the bytes that are there on. kUnavailable: another attempt may help.
Result<void> transfer(const std::string& address, Arrival& arrival) {
  std::array<char, CURL_ERROR_SIZE> message{};
  arrival.failure.reset();
  const Curl curl = makeCurl(address, arrival, message.data());
  if (!curl) return Error{ErrorCode::kUnavailable, "cannot start a transfer"};
  const CURLcode code = ::curl_easy_perform(curl.get());
  if (arrival.failure) return *arrival.failure;
  if (code == CURLE_OK) return {};
  if (code == CURLE_RANGE_ERROR && arrival.bytes > 0) {  // this server sends whole files only
    if (const auto emptied = empty(arrival); !emptied) return emptied.error();
    return transfer(address, arrival);
  }
  return Error{ErrorCode::kUnavailable,
               message[0] == '\0' ? ::curl_easy_strerror(code) : message.data()};
}

/// Transfers until all bytes are here, as long as each attempt brings some. Says whether they are
/// the right ones.
Result<bool> transferAll(const DownloadRequest& request, Arrival& arrival, const Pause& pause) {
  Duration next = kFirstRetryPause;
  while (arrival.bytes < request.size) {
    const std::uint64_t before = arrival.bytes;
    const auto attempt = transfer(request.address, arrival);
    if (!attempt && attempt.error().code != ErrorCode::kUnavailable) return attempt.error();
    if (arrival.bytes == request.size) break;
    if (arrival.bytes > before) {
      if (arrival.bytes - before >= kGoodAttempt) next = kFirstRetryPause;
      pause(next);
      next = std::min(2 * next, kLongestRetryPause);
      continue;
    }
    if (!attempt) return attempt.error();
    return Error{ErrorCode::kInvalid, "it ends after " + std::to_string(arrival.bytes) + " of " +
                                          std::to_string(request.size) + " bytes"};
  }
  return isWhole(arrival.file, request);
}

/// Gives a whole and checked file its name, so that a machine that loses power has it or has not.
Result<void> publish(int file, const fs::path& part, const fs::path& path) {
  if (::fsync(file) != 0) return systemError("cannot write", part);
  std::error_code failure;
  fs::rename(part, path, failure);
  if (failure) {
    return Error{ErrorCode::kUnavailable, "cannot rename " + part.string() + " to " +
                                              path.string() + ": " + failure.message()};
  }
  return flushFolder(path.parent_path());
}

Error otherBytes(const DownloadRequest& request, int file) {
  return Error{ErrorCode::kInvalid,
               "it is not the known file: its SHA-256 is " +
                   digestOf(file, sizeOf(file)).value_or("unknown") + ", expected " +
                   request.sha256 +
                   "; a proxy or the mirror serves something else, try another --mirror"};
}

Result<Download> downloadTo(const fs::path& part, const DownloadRequest& request,
                            const OnBytes& on_bytes, const Pause& pause) {
  const Descriptor file(::open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file) return systemError("cannot write", part);
  Arrival arrival;
  arrival.file = file.get();
  arrival.bytes = static_cast<std::uint64_t>(::lseek(file.get(), 0, SEEK_END));
  arrival.limit = request.size;
  arrival.on_bytes = &on_bytes;
  if (arrival.bytes > request.size) {
    if (const auto emptied = empty(arrival); !emptied) return emptied.error();
  }
  const bool is_resumed = arrival.bytes > 0;
  auto is_right = transferAll(request, arrival, pause);
  if (is_right && !*is_right && is_resumed) {  // what was there may be wrong: from the start
    if (const auto emptied = empty(arrival); !emptied) return emptied.error();
    is_right = transferAll(request, arrival, pause);
  }
  const bool is_wrong = is_right ? !*is_right : is_right.error().code == ErrorCode::kInvalid;
  if (is_wrong) {  // nothing of it is worth keeping
    std::error_code ignored;
    fs::remove(part, ignored);
  }
  if (!is_right) return is_right.error();
  if (is_wrong) return otherBytes(request, file.get());
  if (const auto published = publish(file.get(), part, request.file); !published) {
    return published.error();
  }
  return Download::kDone;
}

}  // namespace

bool isWhole(const DownloadRequest& request) {
  const Descriptor file(::open(request.file.c_str(), O_RDONLY | O_CLOEXEC));
  return file && isWhole(file.get(), request);
}

Result<Download> download(const DownloadRequest& request, const OnBytes& on_bytes,
                          const Pause& pause) {
  if (isWhole(request)) return Download::kPresent;
  auto part = request.file;
  part += ".part";
  auto result = downloadTo(part, request, on_bytes, pause);
  if (!result) return result.error().within("cannot fetch " + request.address);
  return result;
}

}  // namespace sumac::cli
