#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "kube/client/client.h"
#include "kube/client/credentials.h"
#include "kube/client/rest_transport.h"
#include "tests/support/golden.h"
#include "tests/support/kube/fake_api_server.h"

namespace sumac::kube {

/// Credentials that a test changes while they are used.
class TestCredentials final : public Credentials {
 public:
  Result<std::string> token() override {
    const std::lock_guard lock(mutex_);
    return token_;
  }
  Result<TlsMaterial> tls() override {
    const std::lock_guard lock(mutex_);
    return tls_;
  }
  bool refresh() override {
    const std::lock_guard lock(mutex_);
    ++refreshes_;
    if (!next_token_) return false;
    token_ = *next_token_;
    return true;
  }

  void set(const std::string& token, const TlsMaterial& tls = {}) {
    const std::lock_guard lock(mutex_);
    token_ = token;
    tls_ = tls;
  }
  void setNextToken(const std::string& token) {
    const std::lock_guard lock(mutex_);
    next_token_ = token;
  }
  int refreshes() const {
    const std::lock_guard lock(mutex_);
    return refreshes_;
  }

 private:
  mutable std::mutex mutex_;
  std::string token_;
  std::optional<std::string> next_token_;
  TlsMaterial tls_;
  int refreshes_ = 0;
};

/// A server, credentials and a transport to it.
struct ServerFixture {
  ServerFixture() : ServerFixture(fake::FakeApiServer::Options()) {}
  explicit ServerFixture(const fake::FakeApiServer::Options& options) : server(options) {}

  std::unique_ptr<Transport> connect(const std::string& tls_server_name = "") const {
    auto made =
        makeTransport({server.url(), tls_server_name, "default", "sumac-test/1", credentials});
    BOOST_REQUIRE_MESSAGE(made, (made ? std::string() : made.error().message));
    return std::move(*made);
  }

  Response get(Transport& transport, const std::string& path) const {
    return transport.send({Method::kGet, path, {}, "", ""}, kLong, {});
  }

  /// Compares what `response` says went wrong with a golden file.
  void checkError(std::string_view golden, const Response& response) const {
    test::checkGolden(golden, test::replaced(response.error, server.url(), "SERVER") + "\n");
  }

  static constexpr std::chrono::seconds kLong{20};

  std::shared_ptr<TestCredentials> credentials = std::make_shared<TestCredentials>();
  fake::FakeApiServer server;
};

/// A server with a certificate for 127.0.0.1 and kubernetes.default.svc.
struct TlsFixture : ServerFixture {
  TlsFixture() : TlsFixture(fake::makeAuthority("cluster")) {}
  explicit TlsFixture(const fake::Certificate& ca)
      : ServerFixture({fake::issue(ca, "server", {"kubernetes.default.svc"}, {"127.0.0.1"}), ""}),
        authority(ca) {
    credentials->set("token-1", {ca.pem, "", "", false});
  }

  fake::Certificate authority;
};

inline nlohmann::json configMap(const std::string& name,
                                const nlohmann::json& labels = nlohmann::json::object()) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"labels", labels}}}};
}

inline constexpr const char* kMapsPath = "/api/v1/namespaces/default/configmaps";

inline fake::Target mapsTarget(const std::string& name = "") {
  return {"v1", "configmaps", "default", name, ""};
}

}  // namespace sumac::kube
