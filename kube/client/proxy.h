#pragma once

#include <string>

#include "base/core/result.h"
#include "kube/client/environment.h"

namespace sumac::kube {

/// An HTTP proxy. A request over TLS goes through a tunnel of it (CONNECT), so that it sees neither
/// tokens nor answers.
struct Proxy {
  std::string host;
  int port = 0;
  std::string user;  // with a password: sent to the proxy alone; never logged
  std::string password;

  bool empty() const { return host.empty(); }
  /// "proxy.example:3128".
  std::string text() const { return host + ":" + std::to_string(port); }
};

/// Reads "http://USER:PASSWORD@HOST:PORT"; the user may be left out, and the port is 80 then. Fails
/// with kInvalid for anything else, proxies that speak TLS or SOCKS included. Messages do not show
/// the text: it may have a password.
Result<Proxy> readProxy(const std::string& url);

/// The proxy on the way to `server`, as kubectl and other Go programs choose it: HTTPS_PROXY, or
/// for a server without TLS HTTP_PROXY, unless NO_PROXY has the server's host; the lower-case names
/// too. Hosts of the machine itself have none. Empty: none. Fails naming the variable.
Result<Proxy> proxyFor(const std::string& server, const Environment& environment);

}  // namespace sumac::kube
