// Threads: one accepts, one serves each connection; all state they share stands in State under its
// mutex. Blocking reads end because stop() and dropConnections() shut the sockets down.
#include "tests/support/kube/fake_api_server.h"

#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace sumac::fake {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using nlohmann::json;
using HttpRequest = http::request<http::string_body>;

constexpr std::chrono::seconds kPatience(60);
constexpr std::uint64_t kMaxBody = 16U << 20U;

std::string decoded(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      plain += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::map<std::string, std::string> queryOf(const std::string& target) {
  std::map<std::string, std::string> query;
  const std::size_t mark = target.find('?');
  if (mark == std::string::npos) return query;
  std::stringstream stream(target.substr(mark + 1));
  for (std::string pair; std::getline(stream, pair, '&');) {
    const std::size_t equals = pair.find('=');
    query[decoded(pair.substr(0, equals))] =
        equals == std::string::npos ? "" : decoded(pair.substr(equals + 1));
  }
  return query;
}

bool fits(const Misbehaviour& rule, const Seen& seen) {
  return rule.times != 0 && (rule.method.empty() || rule.method == seen.method) &&
         seen.target.find(rule.target_contains) != std::string::npos &&
         (rule.target_lacks.empty() || seen.target.find(rule.target_lacks) == std::string::npos) &&
         (!rule.is_watch || *rule.is_watch == seen.isWatch());
}

std::shared_ptr<ssl::context> contextOf(const Certificate& certificate,
                                        const std::string& client_ca) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  context->use_certificate_chain(asio::buffer(certificate.pem));
  context->use_private_key(asio::buffer(certificate.key), ssl::context::pem);
  if (!client_ca.empty()) {
    context->add_certificate_authority(asio::buffer(client_ca));
    context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  }
  return context;
}

std::string clientOf(SSL* tls) {
  X509* certificate = SSL_get_peer_certificate(tls);
  if (certificate == nullptr) return "";
  char name[256] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof(name));
  X509_free(certificate);
  return name;
}

/// One client's socket, for those who close it from outside.
struct Connection {
  explicit Connection(tcp::socket taken) : socket(std::move(taken)) {}

  tcp::socket socket;
  int number = 0;
  std::string client;
  std::atomic<bool> is_over = false;
};

}  // namespace

class FakeApiServer::Server {
 public:
  explicit Server(const Options& options) : client_ca_(options.client_ca) {
    if (options.certificate) context_ = contextOf(*options.certificate, client_ca_);
    is_tls_ = context_ != nullptr;
    start();
  }
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start() {
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port_);
    acceptor_ = std::make_unique<tcp::acceptor>(io_, endpoint, /*reuse_addr=*/true);
    port_ = acceptor_->local_endpoint().port();
    is_stopped_ = false;
    acceptor_thread_ = std::thread([this] { accept(); });
  }

  void stop() {
    if (!acceptor_) return;
    is_stopped_ = true;
    ::shutdown(acceptor_->native_handle(), SHUT_RDWR);
    acceptor_thread_.join();
    dropConnections();
    std::list<std::thread> threads;
    {
      const std::lock_guard lock(mutex_);
      threads.swap(threads_);
    }
    for (auto& thread : threads)
      thread.join();
    acceptor_.reset();
  }

  void dropConnections() {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : connections_) {
      if (const auto connection = weak.lock()) {
        connection->is_over = true;
        ::shutdown(connection->socket.native_handle(), SHUT_RDWR);
      }
    }
    connections_.clear();
    changed_.notify_all();
    store_.wake();
  }

  void endWatches() {
    ++watch_epoch_;
    store_.wake();
  }

 private:
  friend class FakeApiServer;

  // Guarded by mutex_.
  std::vector<Misbehaviour> rules_;
  std::vector<Seen> seen_;
  std::string token_;
  std::shared_ptr<ssl::context> context_;
  std::list<std::weak_ptr<Connection>> connections_;
  std::list<std::thread> threads_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  ObjectStore store_;
  std::string client_ca_;
  unsigned short port_ = 0;
  bool is_tls_ = false;
  std::atomic<int> open_watches_ = 0;

  void accept() {
    while (!is_stopped_) {
      beast::error_code error;
      tcp::socket socket(io_);
      acceptor_->accept(socket, error);
      if (error) continue;
      auto connection = std::make_shared<Connection>(std::move(socket));
      const std::lock_guard lock(mutex_);
      connection->number = ++connection_count_;
      connections_.push_back(connection);
      threads_.emplace_back([this, connection] { serve(*connection); });
    }
  }

  void serve(Connection& connection) {
    beast::error_code ignored;
    connection.socket.set_option(tcp::no_delay(true), ignored);
    std::shared_ptr<ssl::context> context;
    {
      const std::lock_guard lock(mutex_);
      context = context_;
    }
    if (!is_tls_) {
      serveOn(connection.socket, connection);
    } else {
      ssl::stream<tcp::socket&> stream(connection.socket, *context);
      beast::error_code error;
      stream.handshake(ssl::stream_base::server, error);
      if (!error) {
        connection.client = clientOf(stream.native_handle());
        serveOn(stream, connection);
      }
    }
    // Under the lock, as others may be shutting it down.
    const std::lock_guard lock(mutex_);
    connection.is_over = true;
    connection.socket.shutdown(tcp::socket::shutdown_both, ignored);
  }

  template <typename Stream>
  void serveOn(Stream& stream, Connection& connection) {
    beast::flat_buffer buffer;
    while (!connection.is_over && !is_stopped_) {
      http::request_parser<http::string_body> parser;
      parser.body_limit(kMaxBody);
      beast::error_code error;
      http::read(stream, buffer, parser, error);
      if (error || !handle(stream, connection, parser.release())) return;
    }
  }

  /// Whether the connection is good for another request.
  template <typename Stream>
  bool handle(Stream& stream, Connection& connection, const HttpRequest& request) {
    const auto [seen, rule] = note(connection, request);
    if (rule.after.valid()) rule.after.wait();
    if (rule.delay.count() > 0) waitFor(connection, rule.delay);
    if (rule.drops_before || connection.is_over) return false;
    if (!rule.raw.empty()) {
      send(stream, rule.raw);
      return false;
    }
    const bool has_chunks = !rule.chunks.empty() || rule.then != Misbehaviour::Then::kContinue;
    if (!isWelcome(seen)) return write(stream, failure(401, "Unauthorized", "Unauthorized"));
    if (rule.answer) return write(stream, *rule.answer);
    if (seen.isWatch() || has_chunks) return watch(stream, connection, seen, rule);
    const Answer answer = act(seen);
    if (rule.stalls_after) waitFor(connection, std::chrono::hours(1));
    return !rule.drops_after && !rule.stalls_after && write(stream, answer);
  }

  /// Or until the connection or the server is ended.
  void waitFor(const Connection& connection, std::chrono::milliseconds duration) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, duration, [&] { return connection.is_over || is_stopped_; });
  }

  /// What is seen has its rule: one that is made later is for later requests.
  std::pair<Seen, Misbehaviour> note(const Connection& connection, const HttpRequest& request) {
    Seen seen;
    seen.method = std::string(request.method_string());
    seen.target = std::string(request.target());
    seen.body = request.body();
    seen.authorization = std::string(request[http::field::authorization]);
    seen.host = std::string(request[http::field::host]);
    seen.content_type = std::string(request[http::field::content_type]);
    seen.client = connection.client;
    seen.version = store_.version();
    seen.connection = connection.number;
    const std::lock_guard lock(mutex_);
    seen_.push_back(seen);
    changed_.notify_all();
    return {seen, ruleFor(seen)};
  }

  /// Requires mutex_.
  Misbehaviour ruleFor(const Seen& seen) {
    for (auto& rule : rules_) {
      if (!fits(rule, seen)) continue;
      if (rule.times > 0) --rule.times;
      return rule;
    }
    return {};
  }

  bool isWelcome(const Seen& seen) const {
    const std::lock_guard lock(mutex_);
    return token_.empty() || seen.authorization == "Bearer " + token_;
  }

  Answer act(const Seen& seen) {
    const auto target = Target::fromPath(decoded(seen.target.substr(0, seen.target.find('?'))));
    if (!target) return failure(404, "NotFound", "the server could not find the resource");
    const json body = json::parse(seen.body, nullptr, false);
    if (seen.method == "GET" && !target->name.empty()) return store_.get(*target);
    if (seen.method == "GET") {
      auto query = queryOf(seen.target);
      const int limit = query["limit"].empty() ? 0 : std::stoi(query["limit"]);
      return store_.list(*target, {query["labelSelector"], query["fieldSelector"]}, limit,
                         query["continue"]);
    }
    if (seen.method == "DELETE") {
      return store_.remove(*target, body.is_object() ? body : json::object());
    }
    if (!body.is_object()) return failure(400, "BadRequest", "the body is not a JSON object");
    if (seen.method == "POST" && queryOf(seen.target)["dryRun"] == "All") return {201, body};
    if (seen.method == "POST") return store_.create(*target, body);
    if (seen.method == "PUT") return store_.replace(*target, body);
    if (seen.method == "PATCH" && seen.content_type == "application/merge-patch+json") {
      return store_.mergePatch(*target, body);
    }
    return failure(415, "UnsupportedMediaType", seen.content_type);
  }

  template <typename Stream>
  bool send(Stream& stream, const std::string& bytes) {
    beast::error_code error;
    asio::write(stream, asio::buffer(bytes), error);
    return !error;
  }

  template <typename Stream>
  bool write(Stream& stream, const Answer& answer) {
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " X\r\n";
    for (const auto& [name, value] : answer.headers)
      text += name + ": " + value + "\r\n";
    const std::string body =
        answer.body.is_string() ? answer.body.get<std::string>() : answer.body.dump();
    text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
            "\r\n\r\n" + body;
    return send(stream, text);
  }

  template <typename Stream>
  bool sendChunk(Stream& stream, const std::string& bytes) {
    std::ostringstream text;
    text << std::hex << bytes.size() << "\r\n" << bytes << "\r\n";
    return send(stream, text.str());
  }

  template <typename Stream>
  bool watch(Stream& stream, Connection& connection, const Seen& seen, const Misbehaviour& rule) {
    using Then = Misbehaviour::Then;
    const auto target = Target::fromPath(decoded(seen.target.substr(0, seen.target.find('?'))));
    auto query = queryOf(seen.target);
    if (!target) return write(stream, failure(404, "NotFound", "no such resource"));
    std::uint64_t version =
        query["resourceVersion"].empty() ? seen.version : std::stoull(query["resourceVersion"]);
    if (store_.isExpired(version)) {
      return write(stream, failure(410, "Expired", "too old resource version"));
    }
    const int epoch = watch_epoch_;
    if (!send(stream,
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
              "Transfer-Encoding: chunked\r\n\r\n")) {
      return false;
    }
    for (const auto& chunk : rule.chunks) {
      if (!sendChunk(stream, chunk)) return false;
    }
    if (rule.then == Then::kDrop) return false;
    if (rule.then == Then::kEnd) return send(stream, "0\r\n\r\n");
    const auto is_over = [&] { return connection.is_over || is_stopped_ || epoch != watch_epoch_; };
    ++open_watches_;
    bool goes_on = true;
    while (goes_on && !is_over()) {
      const auto lines = store_.eventsAfter(
          version, *target, {query["labelSelector"], query["fieldSelector"]}, is_over);
      for (const auto& line : lines) {
        goes_on = goes_on && (rule.then == Then::kSilent || sendChunk(stream, line + "\n"));
      }
    }
    --open_watches_;
    return goes_on && epoch != watch_epoch_ && send(stream, "0\r\n\r\n");
  }

  asio::io_context io_;
  std::unique_ptr<tcp::acceptor> acceptor_;
  std::thread acceptor_thread_;
  std::atomic<bool> is_stopped_ = false;
  std::atomic<int> watch_epoch_ = 0;
  int connection_count_ = 0;  // guarded by mutex_
};

FakeApiServer::FakeApiServer() : FakeApiServer(Options()) {}
FakeApiServer::FakeApiServer(const Options& options) : server_(new Server(options)) {}
FakeApiServer::~FakeApiServer() = default;

std::string FakeApiServer::url() const {
  return (server_->is_tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port());
}

int FakeApiServer::port() const {
  return server_->port_;
}
ObjectStore& FakeApiServer::store() const {
  return server_->store_;
}

void FakeApiServer::misbehave(const Misbehaviour& rule) {
  const std::lock_guard lock(server_->mutex_);
  server_->rules_.push_back(rule);
}

void FakeApiServer::behave() {
  const std::lock_guard lock(server_->mutex_);
  server_->rules_.clear();
}

void FakeApiServer::acceptOnly(const std::string& token) {
  const std::lock_guard lock(server_->mutex_);
  server_->token_ = token;
}

void FakeApiServer::useCertificate(const Certificate& certificate) {
  auto context = contextOf(certificate, server_->client_ca_);
  const std::lock_guard lock(server_->mutex_);
  server_->context_ = std::move(context);
}

void FakeApiServer::dropConnections() {
  server_->dropConnections();
}
void FakeApiServer::endWatches() {
  server_->endWatches();
}
void FakeApiServer::stop() {
  server_->stop();
}
void FakeApiServer::start() {
  server_->start();
}

std::vector<Seen> FakeApiServer::seen() const {
  const std::lock_guard lock(server_->mutex_);
  return server_->seen_;
}

std::size_t FakeApiServer::count(const std::function<bool(const Seen&)>& fits) const {
  const std::lock_guard lock(server_->mutex_);
  return static_cast<std::size_t>(
      std::count_if(server_->seen_.begin(), server_->seen_.end(), fits));
}

bool FakeApiServer::waitFor(std::size_t number,
                            const std::function<bool(const Seen&)>& fits) const {
  std::unique_lock lock(server_->mutex_);
  return server_->changed_.wait_for(lock, kPatience, [&] {
    return static_cast<std::size_t>(
               std::count_if(server_->seen_.begin(), server_->seen_.end(), fits)) >= number;
  });
}

int FakeApiServer::openWatches() const {
  return server_->open_watches_;
}

}  // namespace sumac::fake
