#pragma once

#include <atomic>
#include <cpprest/http_client.h>
#include <memory>
#include <mutex>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "kube/client/credentials.h"
#include "kube/client/tls_context.h"

namespace sumac::kube {

/// Connections to one server that share their TLS material.
struct Connections {
  Connections(const web::uri& server, web::http::client::http_client_config config, TlsMaterial tls)
      : client(server, config), material(std::move(tls)) {}

  web::http::client::http_client client;
  TlsMaterial material;
  std::atomic<bool> are_used = false;  // some may be kept open
};

/// The connections that requests to one server use now. A request keeps those that it began with.
/// Any thread.
class ConnectionKeeper {
 public:
  ConnectionKeeper(const ClusterConfig& config, web::uri server);

  bool isTls() const { return is_tls_; }

  /// New ones once the TLS material has changed. Fails where that cannot be read for the first
  /// time.
  Result<std::shared_ptr<Connections>> current();

  /// The next request opens a connection and reads the TLS material again.
  void replace(const std::shared_ptr<Connections>& used);

 private:
  std::shared_ptr<Connections> make(const TlsMaterial& material) const;

  const ClusterConfig config_;
  const web::uri server_;
  const bool is_tls_;

  std::mutex mutex_;  // guards the following
  std::shared_ptr<Connections> connections_;
  TimePoint tls_read_;
};

}  // namespace sumac::kube
