#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/clock.h"

namespace sumac::kube {

enum class Method { kGet, kPost, kPut, kPatch, kDelete };

inline constexpr std::size_t kMostAnswer = std::size_t{64} << 20;

struct Request {
  Method method = Method::kGet;
  std::string path;  // "/api/v1/namespaces/default/pods", percent-encoded where needed
  std::vector<std::pair<std::string, std::string>> query;  // not encoded yet
  std::string content_type = "application/json";
  std::string body;
  std::size_t most_answer = kMostAnswer;  // bytes of the answer's body; not of a stream
};

/// What came back. `status` 0: no answer, and `error` says why; the server may have acted or not,
/// unless `is_unsent`.
struct Response {
  int status = 0;
  std::string body;  // at most Request::most_answer; longer ones are an error that says so
  std::optional<std::chrono::seconds> retry_after;
  std::string error;
  bool is_unsent = false;    // no connection, or none that the request was written to
  bool is_stopped = false;   // there is no answer because of our own stop token
  bool is_too_long = false;  // there is an answer, longer than allowed
};

/// One API server: HTTP with its credentials, nothing about Kubernetes' objects. rest_transport.cc
/// implements it by cpprestsdk and is the only file that knows it; tests have fakes. All calls
/// block the calling thread, which must be one of ours; safe from any thread.
class Transport {
 public:
  /// Of a stream. An object has at most 1.5 MiB where it is stored, and a byte may have six in
  /// JSON.
  static constexpr std::size_t kMaxLine = std::size_t{16} << 20;

  virtual ~Transport() = default;

  /// `timeout` bounds the whole call. Reads the credentials again and tries once more after a 401,
  /// and on a fresh connection when a reused one turns out to be closed.
  virtual Response send(const Request& request, Duration timeout, const std::stop_token& stop) = 0;

  /// Hands each line of the answer to `on_line`, without its newline; lines longer than kMaxLine
  /// end the stream. Ends when the server ends it, nothing came for `idle`, `stop` is requested or
  /// `on_line` returns false. An answer other than 200 is returned with its body and not handed
  /// over. Response::status 200 with an empty error: the server ended the stream in order. A last
  /// line cut short is dropped. With `raw`, bytes are handed over as they come, not cut into lines.
  virtual Response stream(const Request& request, Duration idle, const std::stop_token& stop,
                          const std::function<bool(std::string_view)>& on_line,
                          bool raw = false) = 0;
};

}  // namespace sumac::kube
