#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/log/log.h"
#include "base/telemetry/http_answer.h"

namespace sumac {

struct HttpServerOptions {
  std::string listen;                          // HOST:PORT in numbers; port 0 picks one
  Duration timeout = std::chrono::seconds(5);  // for a request's header to come, an answer to leave
  std::size_t most_connections = 64;           // more are closed as they come
};

/// Answers GET and HEAD for probes, metrics and progress; nothing else, and no bodies: whoever can
/// reach the port can at worst keep its connections busy, a timeout long.
///
/// Has one thread of its own, which calls the routes: they must be quick, and read only what is
/// published for them (docs/threads.md). Signals that are blocked when it starts stay blocked
/// there. A route that throws costs its connection, and a line in the log.
class HttpServer {
 public:
  /// Makes the answer of one path, "/metrics".
  using Route = std::function<HttpAnswer()>;
  using Routes = std::map<std::string, Route, std::less<>>;

  static constexpr std::size_t kMostHeader = std::size_t{8} << 10;  // bytes of a request

  /// Listens and starts to answer. Fails with kInvalid when the address cannot be read, with
  /// kDenied when nobody can listen there, with kUnavailable when files or memory are short.
  static Result<std::unique_ptr<HttpServer>> start(const HttpServerOptions& options, Routes routes,
                                                   const Log& log);
  /// Closes all connections and waits for a route that is being called.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Where it listens, with the port in numbers: "127.0.0.1:40123".
  const std::string& address() const;

 private:
  class State;
  explicit HttpServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace sumac
