#include "base/telemetry/http_server.h"

#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/core/file.h"
#include "base/telemetry/address.h"

// Threads: everything but start, stop and address() happens on the thread that runs `context`.
// Invariants: a connection waits for one thing at a time, a request or the end of an answer, each
// at most options.timeout; bodies are never read, so none can be malformed or large.

namespace sumac {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using Failure = boost::system::error_code;

constexpr std::chrono::milliseconds kAcceptPause{100};  // when the process has no descriptor left

/// What connections share. Outlives them.
struct Shared {
  HttpServerOptions options;
  HttpServer::Routes routes;
  Log log;
  std::size_t connections = 0;
};

HttpAnswer plainAnswer(http::status status) {
  return {static_cast<int>(status), "text/plain; charset=utf-8",
          std::string(http::obsolete_reason(status)) + "\n"};
}

bool isServed(http::verb method) {
  return method == http::verb::get || method == http::verb::head;
}

std::string_view pathOf(beast::string_view target) {
  const std::string_view text(target.data(), target.size());
  return text.substr(0, text.find('?'));
}

/// One connection, kept alive by what it waits for.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), buffer_(2 * HttpServer::kMostHeader), shared_(shared) {
    ++shared_.connections;
  }
  ~Connection() { --shared_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read();

 private:
  void onRequest(Failure failure);
  void answer(const HttpAnswer& answer, bool goes_on);
  HttpAnswer answerOf(const http::request<http::empty_body>& request) const;
  void onAnswered(Failure failure, bool goes_on);

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  Shared& shared_;  // outlives us
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
};

void Connection::read() {
  parser_.emplace();
  parser_->header_limit(HttpServer::kMostHeader);
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // a body is never read
  stream_.expires_after(shared_.options.timeout);
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](Failure failure, std::size_t) { self->onRequest(failure); });
}

void Connection::onRequest(Failure failure) {
  const auto refuse = [this](http::status status) {
    answer(plainAnswer(status), /*goes_on=*/false);
  };
  if (failure == http::error::header_limit || failure == http::error::buffer_overflow) {
    return refuse(http::status::request_header_fields_too_large);
  }
  const bool is_http_error = failure.category() == make_error_code(http::error()).category();
  if (failure && is_http_error && failure != http::error::end_of_stream) {
    return refuse(http::status::bad_request);
  }
  if (failure) return;  // gone, or silent for too long
  const auto& request = parser_->get();
  if (!isServed(request.method())) return refuse(http::status::method_not_allowed);
  if (!parser_->is_done()) return refuse(http::status::payload_too_large);
  answer(answerOf(request), request.keep_alive());
}

HttpAnswer Connection::answerOf(const http::request<http::empty_body>& request) const {
  const auto route = shared_.routes.find(pathOf(request.target()));
  return route == shared_.routes.end() ? plainAnswer(http::status::not_found) : route->second();
}

void Connection::answer(const HttpAnswer& answer, bool goes_on) {
  const bool is_head = parser_->get().method() == http::verb::head;
  response_ = {};
  response_.version(parser_->get().version());
  response_.result(static_cast<unsigned>(answer.status));
  response_.set(http::field::content_type, answer.content_type);
  response_.set(http::field::cache_control, "no-store");
  if (answer.status == static_cast<int>(http::status::method_not_allowed)) {
    response_.set(http::field::allow, "GET, HEAD");
  }
  response_.keep_alive(goes_on);
  response_.body() = answer.body;
  response_.prepare_payload();
  serializer_.emplace(response_);
  stream_.expires_after(shared_.options.timeout);
  const auto done = [self = shared_from_this(), goes_on](Failure failure, std::size_t) {
    self->onAnswered(failure, goes_on);
  };
  if (is_head) {
    http::async_write_header(stream_, *serializer_, done);
  } else {
    http::async_write(stream_, *serializer_, done);
  }
}

void Connection::onAnswered(Failure failure, bool goes_on) {
  if (failure) return;
  if (goes_on) return read();
  Failure ignored;  // whoever is gone already needs no farewell
  stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
}

/// Takes connections for as long as it lives.
class Acceptor {
 public:
  Acceptor(asio::io_context& context, Shared& shared)
      : acceptor_(context), pause_(context), shared_(shared) {}

  /// "::" means all addresses, of IPv4 too, and on a machine without IPv6 only those. Throws
  /// boost::system::system_error when nobody can listen there.
  void listen(Tcp::endpoint endpoint) {
    const bool is_any = endpoint.address().is_v6() && endpoint.address().is_unspecified();
    Failure failure;
    acceptor_.open(endpoint.protocol(), failure);
    if (failure == asio::error::address_family_not_supported && is_any) {
      endpoint.address(asio::ip::address_v4::any());
      acceptor_.open(endpoint.protocol());
    } else if (failure) {
      throw boost::system::system_error(failure);
    } else if (is_any) {
      acceptor_.set_option(asio::ip::v6_only(false));
    }
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
  }

  Tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

  void accept() {
    acceptor_.async_accept([this](Failure failure, Tcp::socket socket) {
      if (failure == asio::error::operation_aborted) return;
      if (failure) return acceptLater(failure);
      // Beyond the cap the socket is closed here, by nobody keeping it.
      if (shared_.connections < shared_.options.most_connections) {
        std::make_shared<Connection>(std::move(socket), shared_)->read();
      }
      accept();
    });
  }

 private:
  void acceptLater(Failure why) {
    shared_.log.warn("cannot accept a connection", {{"error", why.message()}});
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](Failure failure) {
      if (!failure) accept();
    });
  }

  Tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  Shared& shared_;  // outlives us
};

}  // namespace

class HttpServer::State {
 public:
  State(const HttpServerOptions& options, Routes routes, const Log& log)
      : shared_{options, std::move(routes), log}, acceptor_(context_, shared_) {}
  ~State() { context_.stop(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void start(const Address& address) {
    acceptor_.listen({asio::ip::make_address(address.host), address.port});
    address_ = Address{address.host, acceptor_.endpoint().port()}.text();
    acceptor_.accept();
    thread_ = std::jthread([this] { run(); });
  }

  const std::string& address() const { return address_; }

 private:
  /// The root of the thread.
  void run() {
    while (!context_.stopped()) {
      try {
        context_.run();
      } catch (const std::exception& failure) {
        shared_.log.error("no answer to a request", {{"error", failure.what()}});
      }
    }
  }

  Shared shared_;
  asio::io_context context_{1};  // goes before what its connections refer to
  Acceptor acceptor_;
  std::string address_;
  std::jthread thread_;  // first to go
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpServerOptions& options,
                                                      Routes routes, const Log& log) {
  const auto address = parseAddress(options.listen);
  if (!address) return address.error();
  try {
    auto state = std::make_unique<State>(options, std::move(routes), log);
    state->start(*address);
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
  } catch (const boost::system::system_error& failure) {
    return Error{listenErrorCodeOf(failure.code()),
                 "cannot listen at " + address->text() + ": " + failure.code().message()};
  }
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() = default;

const std::string& HttpServer::address() const {
  return state_->address();
}

}  // namespace sumac
