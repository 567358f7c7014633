// Threads: each call runs on its caller's thread and waits on an HttpExchange; the library's pool
// only fills that, and never blocks. Invariants: a caller that leaves has cancelled its request, so
// that no socket outlives its call; every task of the library ends in a continuation that catches
// all, since an exception that nobody looks at would end the process.
#include "common/kube/rest_transport.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cpprest/http_client.h>
#include <csignal>
#include <exception>
#include <mutex>
#include <pplx/threadpool.h>
#include <stdexcept>
#include <utility>

#include <openssl/ssl.h>

#include "common/kube/http_exchange.h"
#include "common/kube/http_text.h"
#include "common/kube/line_splitter.h"
#include "common/kube/tls_context.h"

namespace sumac::kube {
namespace {

using web::http::http_request;
using web::http::http_response;
using web::http::client::http_client;
using web::http::client::http_client_config;

constexpr std::size_t kPoolThreads = 8;
// Our deadlines stand in HttpExchange::wait: the library's timer restarts at every piece of an
// answer.
constexpr std::chrono::hours kLibraryTimeout(24);
// A kept connection that the server has closed fails at once, on a busy machine a little later;
// what fails after that is another trouble.
constexpr std::chrono::seconds kEarly(5);
// For sockets that were just closed to be let go of.
constexpr std::chrono::seconds kPatienceAtEnd(5);
// Certificates that rotated are seen after this; tokens have their own, shorter way (401).
constexpr std::chrono::seconds kTlsAge(10);
constexpr std::size_t kMaxErrorBody = std::size_t{1} << 20;

/// Where the library writes an answer's body to: hands it to the exchange.
class BodyBuffer final : public concurrency::streams::details::streambuf_state_manager<uint8_t> {
 public:
  explicit BodyBuffer(std::shared_ptr<HttpExchange> exchange)
      : streambuf_state_manager<uint8_t>(std::ios_base::out), exchange_(std::move(exchange)) {}

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(size_t, std::ios_base::openmode) override {}
  size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return traits::eof(); }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return traits::eof(); }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
    return traits::eof();
  }
  bool acquire(uint8_t*& pointer, size_t& count) override {
    pointer = nullptr;
    count = 0;
    return false;
  }
  void release(uint8_t*, size_t) override {}

 protected:
  pplx::task<size_t> _putn(const uint8_t* bytes, size_t count) override {
    // The library reads a chunk of "-1" bytes as one of 2^64-1.
    if (count > Transport::kMaxBody) {
      return pplx::task_from_exception<size_t>(std::runtime_error("a chunk has no valid length"));
    }
    const pplx::task_completion_event<size_t> taken;
    const auto resume = [taken, count](bool go_on) {
      if (go_on) {
        taken.set(count);
      } else {
        taken.set_exception(std::runtime_error("the reader has left"));
      }
    };
    const std::string_view view(reinterpret_cast<const char*>(bytes), count);
    switch (exchange_->offer(view, resume)) {
      case HttpExchange::Taken::kContinue: return pplx::task_from_result(count);
      case HttpExchange::Taken::kWaitForResume: return pplx::create_task(taken);
      case HttpExchange::Taken::kRefused: break;
    }
    return pplx::task_from_exception<size_t>(std::runtime_error("the reader has left"));
  }
  pplx::task<int_type> _putc(uint8_t byte) override {
    return _putn(&byte, 1).then([byte](size_t) { return static_cast<int_type>(byte); });
  }

  pplx::task<int_type> _bumpc() override { return nothing(); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return nothing(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return nothing(); }
  pplx::task<int_type> _ungetc() override { return nothing(); }
  pplx::task<size_t> _getn(uint8_t*, size_t) override { return pplx::task_from_result<size_t>(0); }
  size_t _scopy(uint8_t*, size_t) override { return 0; }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
  uint8_t* _alloc(size_t) override { return nullptr; }
  void _commit(size_t) override {}

 private:
  static pplx::task<int_type> nothing() { return pplx::task_from_result<int_type>(traits::eof()); }

  std::shared_ptr<HttpExchange> exchange_;
};

std::string wordsOf(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const web::http::http_exception& e) {
    const std::string reason = tlsReason(static_cast<unsigned long>(e.error_code().value()));
    return std::string(e.what()) + (reason.empty() ? "" : ": " + reason);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown failure";
  }
}

/// Whether these words of the library say that it had no connection to write the request to. Its
/// error codes do not tell.
bool isBeforeSending(std::string_view words) {
  constexpr std::array<std::string_view, 9> kBefore = {"Error resolving address",
                                                       "Failed to resolve address",
                                                       "Failed to connect to any resolved endpoint",
                                                       "Error in SSL handshake",
                                                       "Error resolving proxy address",
                                                       "Failed to connect to any resolved proxy",
                                                       "Failed to send connect request to proxy",
                                                       "Failed to read HTTP status line from proxy",
                                                       "Expected a 200 response from proxy"};
  return std::any_of(kBefore.begin(), kBefore.end(),
                     [words](std::string_view start) { return words.starts_with(start); });
}

/// Starts a request; all that follows goes to the exchange.
void start(http_client& client, const http_request& request,
           const std::shared_ptr<HttpExchange>& exchange, const pplx::cancellation_token& token) {
  client.request(request, token).then([exchange](pplx::task<http_response> asked) {
    try {
      http_response response = asked.get();
      const auto after = response.headers().find("Retry-After");
      exchange->setHead(response.status_code(), after == response.headers().end()
                                                    ? std::nullopt
                                                    : retryAfterOf(after->second));
      response.content_ready().then([exchange](pplx::task<http_response> read) {
        try {
          read.get();
          exchange->finish("");
        } catch (...) {
          exchange->finish(wordsOf(std::current_exception()));
        }
      });
    } catch (...) {
      exchange->finish(wordsOf(std::current_exception()));
    }
  });
}

/// Connections that share their TLS material.
struct Connections {
  Connections(const web::uri& server, http_client_config config, TlsMaterial tls)
      : client(server, config), material(std::move(tls)) {}

  http_client client;
  TlsMaterial material;
  std::atomic<bool> are_used = false;  // some may be kept open
};

bool isSame(const TlsMaterial& a, const TlsMaterial& b) {
  return a.ca == b.ca && a.certificate == b.certificate && a.key == b.key &&
         a.insecure == b.insecure;
}

/// How long a call may take, or be silent.
struct Patience {
  std::optional<TimePoint> deadline;
  std::optional<Duration> idle;

  TimePoint next(TimePoint now) const {
    return idle ? std::min(deadline.value_or(TimePoint::max()), now + *idle) : *deadline;
  }
};

/// Counts the exchanges that the library still holds, so that none is under way when main ends.
class Outstanding : public std::enable_shared_from_this<Outstanding> {
 public:
  std::shared_ptr<HttpExchange> make() {
    const std::lock_guard lock(mutex_);
    ++count_;
    return {new HttpExchange, [self = shared_from_this()](HttpExchange* exchange) {
              delete exchange;
              const std::lock_guard lock_again(self->mutex_);
              --self->count_;
              self->changed_.notify_all();
            }};
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatienceAtEnd, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;  // guards the following
  std::condition_variable changed_;
  int count_ = 0;
};

web::web_proxy webProxy(const Proxy& proxy) {
  web::web_proxy made(
      web::uri_builder().set_scheme("http").set_host(proxy.host).set_port(proxy.port).to_uri());
  if (!proxy.user.empty()) made.set_credentials(web::credentials(proxy.user, proxy.password));
  return made;
}

/// Takes the bytes of one answer; false: enough.
using OnBytes = std::function<bool(int status, std::string_view bytes)>;

class RestTransport final : public Transport {
 public:
  RestTransport(const ClusterConfig& config, web::uri server)
      : config_(config),
        server_(std::move(server)),
        server_text_(config.server.substr(0, config.server.find_last_not_of('/') + 1)),
        is_tls_(server_.scheme() == "https") {}

  ~RestTransport() override { outstanding_->wait(); }
  RestTransport(const RestTransport&) = delete;
  RestTransport& operator=(const RestTransport&) = delete;

  Result<void> connect() {
    auto made = connections();
    if (!made) return made.error();
    return {};
  }

  Response send(const Request& request, Duration timeout, const std::stop_token& stop) override {
    std::string body;
    const auto collect = [&body](int, std::string_view bytes) {
      body.append(bytes);
      return body.size() <= kMaxBody;
    };
    Response response = perform(request, {std::chrono::steady_clock::now() + timeout, {}}, stop,
                                {collect, [&body] { body.clear(); }});
    if (body.size() > kMaxBody) {
      response.status = 0;
      response.error = "the answer is longer than " + std::to_string(kMaxBody >> 20) + " MiB";
      body.clear();
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
      auto made = connections();
      if (!made) return failed(made.error(), is_unsent);
      const std::shared_ptr<Connections> used = *made;
      Attempt attempt = tryOnce(*used, request, patience, stop, reader.on_bytes);
      attempt.response.is_unsent = attempt.response.is_unsent && is_unsent;
      if (attempt.response.status == 401 && !has_refreshed && is_tls_ &&
          config_.credentials->refresh()) {
        has_refreshed = true;
      } else if (attempt.was_lost_early && !has_reconnected) {
        has_reconnected = true;
        is_unsent = attempt.response.is_unsent;
      } else {
        return attempt.response;
      }
      replace(used);
      reader.forget();
    }
  }

  Attempt tryOnce(Connections& connections, const Request& request, const Patience& patience,
                  const std::stop_token& stop, const OnBytes& on_bytes) {
    const TimePoint begun = std::chrono::steady_clock::now();
    const bool may_be_stale = connections.are_used;
    const auto exchange = outstanding_->make();
    auto made = requestOf(request, exchange);
    if (!made) return {failed(made.error())};
    pplx::cancellation_token_source cancellation;
    try {
      start(connections.client, *made, exchange, cancellation.get_token());
    } catch (...) {
      exchange->finish(wordsOf(std::current_exception()));
    }
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

  Result<http_request> requestOf(const Request& request,
                                 const std::shared_ptr<HttpExchange>& exchange) {
    http_request made(web::http::method(nameOf(request.method)));
    if (is_tls_) {
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
    made.set_response_stream(concurrency::streams::ostream(
        concurrency::streams::streambuf<uint8_t>(std::make_shared<BodyBuffer>(exchange))));
    return made;
  }

  /// The connections to use now: new ones once the TLS material has changed.
  Result<std::shared_ptr<Connections>> connections() {
    const std::lock_guard lock(mutex_);
    const TimePoint now = std::chrono::steady_clock::now();
    if (connections_ && (!is_tls_ || now - tls_read_ < kTlsAge)) return connections_;
    TlsMaterial material;
    if (is_tls_) {
      auto read = config_.credentials->tls();
      // Files in the middle of a rotation: what we have works on.
      if (!read && !connections_) return read.error();
      tls_read_ = now;
      if (!read || (connections_ && isSame(*read, connections_->material))) return connections_;
      material = *read;
    }
    connections_ = std::make_shared<Connections>(server_, configOf(material), material);
    return connections_;
  }

  /// For messages: users forget that they have set a proxy.
  std::string through() const {
    return config_.proxy.empty() ? "" : " through the proxy " + config_.proxy.text();
  }

  http_client_config configOf(const TlsMaterial& material) const {
    http_client_config config;
    config.set_timeout(kLibraryTimeout);
    config.set_max_redirects(0);  // a redirect would take the token to another host
    config.set_validate_certificates(!material.insecure);
    const std::string name =
        config_.tls_server_name.empty() ? server_.host() : config_.tls_server_name;
    if (!config_.proxy.empty()) config.set_proxy(webProxy(config_.proxy));
    config.set_tlsext_sni_enabled(!isIpAddress(name));  // RFC 6066: names only
    config.set_ssl_context_callback([material](boost::asio::ssl::context& context) {
      const auto applied = applyTls(material, context.native_handle());
      if (!applied) throw std::runtime_error(applied.error().message);
    });
    return config;
  }

  /// The next request opens a connection and reads the TLS material again.
  void replace(const std::shared_ptr<Connections>& used) {
    const std::lock_guard lock(mutex_);
    if (connections_ != used) return;  // somebody has done it
    connections_ = std::make_shared<Connections>(server_, configOf(used->material), used->material);
    tls_read_ = TimePoint();
  }

  const ClusterConfig config_;
  const web::uri server_;
  const std::string server_text_;  // for messages
  const bool is_tls_;
  const std::shared_ptr<Outstanding> outstanding_ = std::make_shared<Outstanding>();

  std::mutex mutex_;  // guards the following
  std::shared_ptr<Connections> connections_;
  TimePoint tls_read_;
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
