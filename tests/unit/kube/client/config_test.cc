#include "kube/client/config.h"

#include <fstream>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/kube/client/kube_environment.h"

namespace sumac::kube::config_test {

namespace {

constexpr const char* kPem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

/// One cluster, user and context, with `cluster` and `user` as their fields.
std::string lab(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: lab\n"
         "contexts: [{name: lab, context: {cluster: lab, user: me, namespace: training}}]\n"
         "clusters: [{name: lab, cluster: {server: 'https://lab:6443', " +
         cluster + "}}]\nusers: [{name: me, user: {" + user + "}}]\n";
}

ConfigOptions option(std::string ConfigOptions::*which, const std::string& value) {
  ConfigOptions options;
  options.*which = value;
  return options;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct ConfigFixture : TestEnvironment {
  std::string problem(const ConfigOptions& options) const {
    const auto config = loadConfig(options, environment, Log::discarding());
    return config ? "none" : config.error().message;
  }
  ClusterConfig load(const ConfigOptions& options = {}) const {
    auto config = loadConfig(options, environment, Log::discarding());
    if (!config) BOOST_FAIL(config.error().message);
    return *std::move(config);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(config, ConfigFixture)

BOOST_AUTO_TEST_CASE(takes_the_proxy_of_the_kubeconfig_before_that_of_the_variables) {
  environment.variables["NO_PROXY"] = "nowhere";
  environment.variables["HTTPS_PROXY"] = "http://variable:1";
  write("home/.kube/config", lab("", "token: t"));
  BOOST_TEST(load().proxy.text() == "variable:1");

  write("home/.kube/config", lab("proxy-url: 'http://me:pass@file:2'", "token: t"));
  BOOST_TEST(load().proxy.text() == "file:2");
  BOOST_TEST(load().proxy.user == "me");
  environment.variables["NO_PROXY"] = "*";
  BOOST_TEST(load().proxy.text() == "file:2");

  write("home/.kube/config", lab("", "token: t"));
  BOOST_TEST(load().proxy.empty());
  environment.variables["NO_PROXY"] = "";
  environment.variables["HTTPS_PROXY"] = "socks5://variable";
  BOOST_TEST(contains(problem({}), "the variable HTTPS_PROXY"));
}

BOOST_AUTO_TEST_CASE(takes_the_file_of_the_command_line_before_the_variable_before_the_home) {
  write("home/.kube/config", lab("", "token: home"));
  BOOST_TEST(*load().credentials->token() == "home");

  const auto listed = write("listed", lab("", "token: listed"));
  environment.variables["KUBECONFIG"] = ":/no/such/file:" + listed.string() + ":";
  BOOST_TEST(*load().credentials->token() == "listed");

  const auto named = write("named", lab("", "token: named"));
  BOOST_TEST(*load(option(&ConfigOptions::kubeconfig, named.string())).credentials->token() ==
             "named");
}

BOOST_AUTO_TEST_CASE(fails_where_the_file_of_the_command_line_is_missing) {
  beInCluster();

  BOOST_TEST(
      contains(problem(option(&ConfigOptions::kubeconfig, "/no/such/file")), "/no/such/file"));
}

BOOST_AUTO_TEST_CASE(does_not_take_the_home_where_the_variable_names_missing_files) {
  write("home/.kube/config", lab("", "token: home"));
  environment.variables["KUBECONFIG"] = "/no/such/file";

  BOOST_TEST(contains(problem({}), " /no/such/file;"));
}

BOOST_AUTO_TEST_CASE(refuses_a_namespace_that_would_change_the_path) {
  write("home/.kube/config", lab("", "token: home"));

  for (const std::string& name :
       {std::string("a/../b"), std::string("Team"), std::string("a?x=1"), std::string(64, 'a')})
    BOOST_TEST(contains(problem(option(&ConfigOptions::name_space, name)), "--namespace says `"));
  BOOST_TEST(problem(option(&ConfigOptions::name_space, std::string(63, 'a'))) == "none");
}

BOOST_AUTO_TEST_CASE(tells_the_contexts_where_none_is_chosen) {
  write("home/.kube/config", "contexts: [{name: a, context: {}}, {name: b, context: {}}]");

  BOOST_TEST(contains(problem({}), "--context: a, b"));
}

BOOST_AUTO_TEST_CASE(reads_certificates_again_for_each_connection) {
  write("home/.kube/me.crt", kPem);
  write("home/.kube/me.key", "-----BEGIN PRIVATE KEY-----\n1");
  write("home/.kube/config",
        lab("insecure-skip-tls-verify: true", "client-certificate: me.crt, client-key: me.key"));
  const ClusterConfig config = load();
  BOOST_TEST(config.credentials->tls()->key == "-----BEGIN PRIVATE KEY-----\n1");
  BOOST_TEST(config.credentials->tls()->insecure);

  write("home/.kube/me.key", "-----BEGIN PRIVATE KEY-----\n2");

  BOOST_TEST(config.credentials->tls()->key == "-----BEGIN PRIVATE KEY-----\n2");
  BOOST_TEST(config.credentials->refresh());
}

BOOST_AUTO_TEST_CASE(names_the_certificate_that_cannot_be_read) {
  write("home/.kube/config", lab("certificate-authority: missing.crt", "token: t"));
  const std::string missing = problem({});
  write("home/.kube/missing.crt", "not a certificate");

  test::checkGolden(
      "kube/client/certificates.txt",
      test::replaced(missing + "\n" + problem({}) + "\n", folder.path().string(), "FOLDER"));
}

BOOST_AUTO_TEST_CASE(prefers_the_token_file_while_it_can_be_read) {
  write("home/.kube/config", lab("", "token: written, tokenFile: token"));
  const ClusterConfig config = load();
  BOOST_TEST(*config.credentials->token() == "written");

  write("home/.kube/token", "from-file");

  BOOST_TEST(*config.credentials->token() == "from-file");
}

BOOST_AUTO_TEST_CASE(has_nothing_else_to_say_than_a_written_token) {
  write("home/.kube/config", lab("", "token: written"));

  BOOST_TEST(!load().credentials->refresh());
}

BOOST_AUTO_TEST_CASE(sends_no_credentials_without_tls) {
  std::string text = lab("", "token: secret");
  text.replace(text.find("https://"), 8, "http://");
  write("home/.kube/config", text);
  const auto path = folder / "log";

  const auto config = loadConfig({}, environment, *Log::toFile(path, LogLevel::kWarn));

  BOOST_REQUIRE(config);
  BOOST_TEST(*config->credentials->token() == "");
  std::ifstream log(path);
  std::string line;
  std::getline(log, line);
  BOOST_TEST(contains(line, "warn "), line);
  BOOST_TEST(contains(line, "server=http://lab:6443"), line);
}

BOOST_AUTO_TEST_CASE(runs_a_plugin_for_token_and_certificate) {
  const auto plugin = write("home/.kube/plugin", R"(#!/bin/sh
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
       "status": {"token": "made", "clientCertificateData": "C", "clientKeyData": "K"}}'
)");
  std::filesystem::permissions(plugin, std::filesystem::perms::owner_all);
  write("home/.kube/config", lab("",
                                 "exec: {apiVersion: client.authentication.k8s.io/v1, command: "
                                 "./plugin, interactiveMode: Never}"));
  const ClusterConfig config = load();

  BOOST_TEST(*config.credentials->token() == "made");
  BOOST_TEST(config.credentials->tls()->certificate == "C");
  BOOST_TEST(config.credentials->tls()->key == "K");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::config_test
