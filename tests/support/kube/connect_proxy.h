#pragma once

#include <memory>
#include <string>
#include <vector>

namespace sumac::fake {

/// An HTTP proxy on loopback that does nothing but CONNECT. Starts in its constructor; a thread a
/// connection. Safe from any thread.
class ConnectProxy {
 public:
  ConnectProxy();
  ~ConnectProxy();
  ConnectProxy(const ConnectProxy&) = delete;
  ConnectProxy& operator=(const ConnectProxy&) = delete;

  int port() const;

  /// The head of each request, as it came.
  std::vector<std::string> requests() const;

  /// Answers with this status instead of opening a tunnel.
  void refuse(int status);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace sumac::fake
