// Threads: each call runs on its caller's thread and waits on an HttpExchange; the library's pool
// only fills that, and never blocks. Invariants: a caller that leaves has cancelled its request, so
// that no socket outlives its call; every task of the library ends in a continuation that catches
// all, since an exception that nobody looks at would end the process.
#include "kube/client/rest_transport.h"

#include <algorithm>
#include <cpprest/http_client.h>
#include <csignal>
#include <exception>
#include <mutex>
#include <pplx/threadpool.h>
#include <utility>

#include <openssl/ssl.h>

#include "kube/client/connections.h"
#include "kube/client/http_call.h"
#include "kube/client/http_exchange.h"
#include "kube/client/http_text.h"
#include "kube/client/line_splitter.h"

namespace sumac::kube {
namespace {

using web::http::http_request;

constexpr std::size_t kPoolThreads = 8;
// A kept connection that the server has closed fails at once, on a busy machine a little later;
// what fails after that is another trouble.
constexpr std::chrono::seconds kEarly(5);
constexpr std::size_t kMaxErrorBody = std::size_t{1} << 20;

/// How long a call may take, or be silent.
struct Patience {
  std::optional<TimePoint> deadline;
  std::optional<Duration> idle;

  TimePoint next(TimePoint now) const {
    return idle ? std::min(deadline.value_or(TimePoint::max()), now + *idle) : *deadline;
  }
};

/// Takes the bytes of one answer; false: enough.
using OnBytes = std::function<bool(int status, std::string_view bytes)>;

class RestTransport final : public Transport {
 public:
  RestTransport(const ClusterConfig& config, web::uri server)
      : config_(config),
        server_text_(config.server.substr(0, config.server.find_last_not_of('/') + 1)),
        connections_(config, std::move(server)) {}

  ~RestTransport() override { outstanding_->wait(); }
  RestTransport(const RestTransport&) = delete;
  RestTransport& operator=(const RestTransport&) = delete;

  Result<void> connect() {
    auto made = connections_.current();
    if (!made) return made.error();
    return {};
  }

  Response send(const Request& request, Duration timeout, const std::stop_token& stop) override {
    std::string body;
    bool is_too_long = false;
    const auto collect = [&](int, std::string_view bytes) {
      is_too_long = bytes.size() > request.most_answer - body.size();
      if (!is_too_long) body.append(bytes);
      return !is_too_long;
    };
    Response response = perform(request, {std::chrono::steady_clock::now() + timeout, {}}, stop,
                                {collect, [&body] { body.clear(); }});
    if (is_too_long) {
      response.status = 0;
      response.error =
          "the answer is longer than " + std::to_string(request.most_answer >> 20) + " MiB";
      response.is_too_long = true;
      return response;
    }
    response.body = std::move(body);
    return response;
  }

  Response stream(const Request& request, Duration idle, const std::stop_token& stop,
                  const std::function<bool(std::string_view)>& on_line, bool raw) override {
    LineSplitter lines(kMaxLine);
    std::string error_body;
    std::string ended;  // by us, and why
    const auto read = [&](int status, std::string_view bytes) {
      if (status != 200) {
        error_body.append(bytes.substr(0, kMaxErrorBody - error_body.size()));
        return error_body.size() < kMaxErrorBody;
      }
      const auto outcome = raw ? (on_line(bytes) ? LineSplitter::Outcome::kContinue
                                                 : LineSplitter::Outcome::kStopped)
                               : lines.add(bytes, on_line);
      if (outcome == LineSplitter::Outcome::kContinue) return true;
      ended = outcome == LineSplitter::Outcome::kStopped
                  ? "the reader has enough"
                  : "a line is longer than " + std::to_string(kMaxLine >> 20) + " MiB";
      return false;
    };
    Response response =
        perform(request, {{}, idle}, stop, {read, [&error_body] { error_body.clear(); }});
    if (!ended.empty()) response.error = ended;
    response.body = std::move(error_body);
    return response;
  }

 private:
  struct Reader {
    OnBytes on_bytes;
    std::function<void()> forget;  // another attempt begins
  };

  struct Attempt {
    Response response;
    bool was_lost_early = false;  // on a connection that was perhaps kept too long
  };

  static Response failed(const Error& error, bool is_unsent = true) {
    Response response;
    response.error = error.message;
    response.is_unsent = is_unsent;
    return response;
  }

  Response perform(const Request& request, const Patience& patience, const std::stop_token& stop,
                   const Reader& reader) {
    bool has_refreshed = false;
    bool has_reconnected = false;
    bool is_unsent = true;  // by the attempts before
    while (true) {
      auto made = connections_.current();
      if (!made) return failed(made.error(), is_unsent);
      const std::shared_ptr<Connections> used = *made;
      Attempt attempt = tryOnce(*used, request, patience, stop, reader.on_bytes);
      attempt.response.is_unsent = attempt.response.is_unsent && is_unsent;
      if (attempt.response.status == 401 && !has_refreshed && connections_.isTls() &&
          config_.credentials->refresh()) {
        has_refreshed = true;
      } else if (attempt.was_lost_early && !has_reconnected) {
        has_reconnected = true;
        is_unsent = attempt.response.is_unsent;
      } else {
        return attempt.response;
      }
      connections_.replace(used);
      reader.forget();
    }
  }

  Attempt tryOnce(Connections& connections, const Request& request, const Patience& patience,
                  const std::stop_token& stop, const OnBytes& on_bytes) {
    const TimePoint begun = std::chrono::steady_clock::now();
    const bool may_be_stale = connections.are_used;
    const auto exchange = outstanding_->make();
    auto made = requestOf(request);
    if (!made) return {failed(made.error())};
    pplx::cancellation_token_source cancellation;
    startCall(connections.client, *made, exchange, cancellation.get_token());
    auto [event, response] = follow(*exchange, patience, stop, on_bytes, cancellation);
    const bool is_lost = event == HttpExchange::Event::kEnd && exchange->status() == 0;
    if (!is_lost) connections.are_used = true;
    const bool is_early = std::chrono::steady_clock::now() - begun < kEarly;
    response.is_unsent = is_lost && isBeforeSending(exchange->error());
    if (!response.error.empty()) {
      response.error = std::string(nameOf(request.method)) + " " + server_text_ + request.path +
                       through() + ": " + response.error;
    }
    return {std::move(response), is_lost && is_early && may_be_stale};
  }

  /// Hands over what comes until it ends, one way or another. Where the answer has not ended by
  /// itself, the request is cancelled; also when a reader throws.
  static std::pair<HttpExchange::Event, Response> follow(
      HttpExchange& exchange, const Patience& patience, const std::stop_token& stop,
      const OnBytes& on_bytes, pplx::cancellation_token_source& cancellation) {
    HttpExchange::Event event = HttpExchange::Event::kData;
    struct Leave {
      HttpExchange& exchange;
      const HttpExchange::Event& event;
      pplx::cancellation_token_source& cancellation;
      ~Leave() {
        exchange.leave();
        // Cancelling closes the connection; after an answer's end it can be used again.
        if (event != HttpExchange::Event::kEnd) cancellation.cancel();
      }
    } const leave{exchange, event, cancellation};
    std::string bytes;
    Response response;
    while (event == HttpExchange::Event::kData) {
      event = exchange.wait(patience.next(std::chrono::steady_clock::now()), stop, bytes);
      if (event == HttpExchange::Event::kData && !on_bytes(exchange.status(), bytes)) break;
    }
    response.status = exchange.status();
    response.retry_after = exchange.retryAfter();
    if (event == HttpExchange::Event::kEnd) response.error = exchange.error();
    response.is_stopped = event == HttpExchange::Event::kStopped;
    if (response.is_stopped) response.error = "stopped";
    if (event == HttpExchange::Event::kDeadline) {
      response.error = patience.deadline ? "no complete answer in time" : "silent for too long";
    }
    // Half an answer is none. A stream was handed over as it came: there the status stands.
    if (patience.deadline && !response.error.empty()) response.status = 0;
    return {event, std::move(response)};
  }

  Result<http_request> requestOf(const Request& request) {
    http_request made(web::http::method(nameOf(request.method)));
    if (connections_.isTls()) {
      auto token = config_.credentials->token();
      if (!token) return token.error();
      if (!isHeaderText(*token)) {
        return Error{ErrorCode::kInvalid, "the token has characters that no HTTP header may have"};
      }
      if (!token->empty()) made.headers().add("Authorization", "Bearer " + *token);
    }
    // Decides SNI and the name that the server's certificate must have.
    if (!config_.tls_server_name.empty()) made.headers().add("Host", config_.tls_server_name);
    made.headers().add("User-Agent", config_.user_agent);
    made.headers().add("Accept", "application/json");
    try {
      made.set_request_uri(web::uri(targetOf(request)));
      if (!request.body.empty()) made.set_body(request.body, request.content_type);
    } catch (const std::exception& e) {
      return Error{ErrorCode::kInvalid, "no valid request " + request.path + ": " + e.what()};
    }
    return made;
  }

  /// For messages: users forget that they have set a proxy.
  std::string through() const {
    return config_.proxy.empty() ? "" : " through the proxy " + config_.proxy.text();
  }

  const ClusterConfig config_;
  const std::string server_text_;  // for messages
  const std::shared_ptr<Outstanding> outstanding_ = std::make_shared<Outstanding>();
  ConnectionKeeper connections_;
};

}  // namespace

void initialiseHttp() {
  // The library's pool is one for the process, and exists from its first use on.
  static std::once_flag once;
  std::call_once(once, [] {
    // Before the pool: then the pool's threads end before OpenSSL does, and leave it nothing.
    OPENSSL_init_ssl(0, nullptr);
    crossplat::threadpool::initialize_with_threads(kPoolThreads);
    std::signal(SIGPIPE, SIG_IGN);
  });
}

Result<std::unique_ptr<Transport>> makeTransport(const ClusterConfig& config) {
  initialiseHttp();
  web::uri server;
  try {
    server = web::uri(config.server);
  } catch (const std::exception& e) {
    return Error{ErrorCode::kInvalid,
                 "the server \"" + config.server + "\" is not a URL: " + e.what()};
  }
  if ((server.scheme() != "https" && server.scheme() != "http") || server.host().empty() ||
      !server.user_info().empty()) {
    return Error{ErrorCode::kInvalid, "the server \"" + config.server +
                                          "\" must be https://HOST:PORT (or http:// without "
                                          "credentials)"};
  }
  if (server.host().front() == '[') {
    return Error{ErrorCode::kInvalid, "the server \"" + config.server +
                                          "\" is an IPv6 address, which the HTTP library cannot "
                                          "resolve; use a name, such as kubernetes.default.svc"};
  }
  if (!isHeaderText(config.user_agent) || !isHeaderText(config.tls_server_name)) {
    return Error{ErrorCode::kInvalid,
                 "the user agent and the TLS server name must be printable ASCII"};
  }
  auto transport = std::make_unique<RestTransport>(config, std::move(server));
  if (auto connected = transport->connect(); !connected) {
    return connected.error().within("cannot reach " + config.server);
  }
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace sumac::kube
