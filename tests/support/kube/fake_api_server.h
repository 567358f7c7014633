#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/kube/certificates.h"
#include "tests/support/kube/object_store.h"

namespace sumac::fake {

/// A request as it came.
struct Seen {
  std::string method;
  std::string target;  // path and query, encoded as on the wire
  std::string body;
  std::string authorization;
  std::string host;
  std::string content_type;
  std::string client;         // common name of the client's certificate
  std::uint64_t version = 0;  // of the store before it
  int connection = 0;         // numbered from 1

  bool isWatch() const { return target.find("watch=true") != std::string::npos; }
};

/// What the server does to requests instead of answering them as it should. The first rule that
/// fits is used up `times` times; -1: for ever.
struct Misbehaviour {
  // Which requests.
  std::string method{};           // empty: any
  std::string target_contains{};  // empty: any
  std::string target_lacks{};     // empty: nothing
  std::optional<bool> is_watch{};
  int times = 1;

  // What, in this order.
  std::shared_future<void> after{};    // if valid: the answer is sent when it is ready
  std::chrono::milliseconds delay{0};  // or until the server stops
  bool drops_before = false;           // closes the connection; nothing is done
  bool drops_after = false;            // does it, then closes the connection
  bool stalls_after = false;           // does it, then never answers
  std::optional<Answer> answer{};      // instead of doing it
  std::string raw{};                   // bytes to send as they are, then the connection is closed
  /// Of a watch: written one by one, each as a chunk of HTTP, whatever lines they hold.
  std::vector<std::string> chunks{};
  enum class Then { kContinue, kEnd, kDrop, kSilent } then = Then::kContinue;
};

/// A real HTTP or HTTPS server on loopback over an ObjectStore, which misbehaves on command. Starts
/// in its constructor; a thread a connection. Safe from any thread.
class FakeApiServer {
 public:
  struct Options {
    std::optional<Certificate> certificate;  // with one: HTTPS
    std::string client_ca;                   // PEM; with one: clients must show a certificate of it
  };

  FakeApiServer();
  explicit FakeApiServer(const Options& options);
  ~FakeApiServer();
  FakeApiServer(const FakeApiServer&) = delete;
  FakeApiServer& operator=(const FakeApiServer&) = delete;

  /// "http://127.0.0.1:40123": the port is the kernel's choice, and stays through stop and start.
  std::string url() const;
  int port() const;
  ObjectStore& store() const;

  void misbehave(const Misbehaviour& rule);
  void behave();  // forgets all rules
  /// Other bearer tokens get 401; empty: any token.
  void acceptOnly(const std::string& token);
  /// For connections from now on.
  void useCertificate(const Certificate& certificate);

  void dropConnections();
  void endWatches();  // in order, all that are open
  void stop();        // and drops all connections
  void start();

  std::vector<Seen> seen() const;
  /// How many requests fit; what a test counts writes by.
  std::size_t count(const std::function<bool(const Seen&)>& fits) const;
  /// Waits until so many requests fit; false after ten seconds.
  bool waitFor(std::size_t number, const std::function<bool(const Seen&)>& fits) const;
  int openWatches() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace sumac::fake
