#include "kube/client/in_cluster.h"

#include <boost/test/unit_test.hpp>

#include "kube/client/config.h"
#include "tests/unit/kube/client/kube_environment.h"

namespace sumac::kube::in_cluster_test {

namespace {

struct Fixture : TestEnvironment {
  Fixture() { beInCluster(); }

  ClusterConfig load() {
    auto config = loadConfig({}, environment, Log::discarding());
    if (!config) BOOST_FAIL(config.error().message);
    return *std::move(config);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(in_cluster, Fixture)

BOOST_AUTO_TEST_CASE(is_taken_where_no_kubeconfig_says_anything) {
  const ClusterConfig config = load();

  BOOST_TEST(config.server == "https://10.96.0.1:443");
  BOOST_TEST(config.name_space == "training");
  BOOST_TEST(*config.credentials->token() == "account-token");
  BOOST_TEST(config.credentials->tls()->ca.starts_with("-----BEGIN CERTIFICATE"));
  BOOST_TEST(config.user_agent.starts_with("sumac/"));
}

BOOST_AUTO_TEST_CASE(prefers_the_namespace_of_the_environment_and_then_of_the_command_line) {
  environment.variables["POD_NAMESPACE"] = "downward";
  BOOST_TEST(load().name_space == "downward");

  const auto config = loadConfig(
      {.kubeconfig = {}, .context = {}, .cluster = {}, .user = {}, .name_space = "asked"},
      environment, Log::discarding());
  BOOST_REQUIRE(config);
  BOOST_TEST(config->name_space == "asked");
}

BOOST_AUTO_TEST_CASE(calls_the_namespace_default_where_nobody_names_one) {
  std::filesystem::remove(environment.service_account / "namespace");

  BOOST_TEST(load().name_space == "default");
}

BOOST_AUTO_TEST_CASE(goes_by_name_where_the_address_is_ipv6) {
  environment.variables["KUBERNETES_SERVICE_HOST"] = "fd00:10:96::1";

  BOOST_TEST(load().server == "https://kubernetes.default.svc:443");
}

BOOST_AUTO_TEST_CASE(follows_the_rotation_of_token_and_ca) {
  const ClusterConfig config = load();
  write("account/token", "rotated");
  write("account/ca.crt", "-----BEGIN CERTIFICATE-----\nnew\n");

  BOOST_TEST(*config.credentials->token() == "account-token");
  BOOST_TEST(config.credentials->refresh());

  BOOST_TEST(*config.credentials->token() == "rotated");
  BOOST_TEST(config.credentials->tls()->ca == "-----BEGIN CERTIFICATE-----\nnew\n");
}

BOOST_AUTO_TEST_CASE(is_left_alone_where_a_kubeconfig_chooses) {
  write("home/.kube/config",
        "current-context: c\n"
        "contexts: [{name: c, context: {cluster: k}}]\n"
        "clusters: [{name: k, cluster: {server: https://elsewhere}}]\n");

  BOOST_TEST(load().server == "https://elsewhere");
}

BOOST_AUTO_TEST_CASE(needs_both_variables) {
  environment.variables.erase("KUBERNETES_SERVICE_PORT");

  const auto config = loadConfig({}, environment, Log::discarding());

  BOOST_REQUIRE(!config);
  BOOST_TEST(config.error().code == ErrorCode::kNotFound);
}

BOOST_AUTO_TEST_CASE(says_what_to_do_where_the_pod_has_no_service_account) {
  std::filesystem::remove(environment.service_account / "token");

  const auto config = loadConfig({}, environment, Log::discarding());

  BOOST_REQUIRE(!config);
  BOOST_TEST(config.error().message.find("automountServiceAccountToken") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(trusts_nobody_where_the_ca_is_missing) {
  std::filesystem::remove(environment.service_account / "ca.crt");

  BOOST_TEST(!loadConfig({}, environment, Log::discarding()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::in_cluster_test
