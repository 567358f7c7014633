#pragma once

#include <memory>
#include <string>

#include "base/core/result.h"
#include "kube/client/proxy.h"

namespace sumac::kube {

/// PEM texts, not paths: read again for every new connection, so that rotation needs nothing else.
struct TlsMaterial {
  std::string ca;           // only this CA is trusted; empty: the system's
  std::string certificate;  // client certificate chain; empty: none
  std::string key;          // never logged
  bool insecure = false;    // insecure-skip-tls-verify: logged as a warning at each start
};

/// What may change while a process runs. Owned by a cluster's configuration; safe from any thread;
/// calls may block (files, exec plugins).
class Credentials {
 public:
  virtual ~Credentials() = default;

  /// The bearer token for the next request; empty: none. Read again from its source at most every
  /// minute; when that fails, the old one is kept and the failure logged.
  virtual Result<std::string> token() = 0;

  /// For the next new connection.
  virtual Result<TlsMaterial> tls() = 0;

  /// The server answered 401: forget what is cached. Returns whether asking again can give anything
  /// else.
  virtual bool refresh() = 0;
};

/// One API server and how to reach it.
struct ClusterConfig {
  std::string server;           // "https://10.0.0.1:6443", with the path prefix it may have
  std::string tls_server_name;  // empty: the host of `server`
  std::string name_space;       // of the context or the service account; "default" where none is
  std::string user_agent;
  std::shared_ptr<Credentials> credentials;
  Proxy proxy = {};  // on the way to `server`; empty: none
};

}  // namespace sumac::kube
