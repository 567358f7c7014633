#include "kube/client/connections.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "kube/client/http_text.h"

namespace sumac::kube {
namespace {

using web::http::client::http_client_config;

// Our deadlines stand in HttpExchange::wait: the library's timer restarts at every piece of an
// answer.
constexpr std::chrono::hours kLibraryTimeout(24);
// Certificates that rotated are seen after this; tokens have their own, shorter way (401).
constexpr std::chrono::seconds kTlsAge(10);

bool isSame(const TlsMaterial& a, const TlsMaterial& b) {
  return a.ca == b.ca && a.certificate == b.certificate && a.key == b.key &&
         a.insecure == b.insecure;
}

web::web_proxy webProxy(const Proxy& proxy) {
  web::web_proxy made(
      web::uri_builder().set_scheme("http").set_host(proxy.host).set_port(proxy.port).to_uri());
  if (!proxy.user.empty()) made.set_credentials(web::credentials(proxy.user, proxy.password));
  return made;
}

}  // namespace

ConnectionKeeper::ConnectionKeeper(const ClusterConfig& config, web::uri server)
    : config_(config), server_(std::move(server)), is_tls_(server_.scheme() == "https") {}

Result<std::shared_ptr<Connections>> ConnectionKeeper::current() {
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
  connections_ = make(material);
  return connections_;
}

void ConnectionKeeper::replace(const std::shared_ptr<Connections>& used) {
  const std::lock_guard lock(mutex_);
  if (connections_ != used) return;  // somebody has done it
  connections_ = make(used->material);
  tls_read_ = TimePoint();
}

std::shared_ptr<Connections> ConnectionKeeper::make(const TlsMaterial& material) const {
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
  return std::make_shared<Connections>(server_, config, material);
}

}  // namespace sumac::kube
