#include "kube/client/kubeconfig.h"

#include <boost/test/unit_test.hpp>

#include "kube/client/base64.h"
#include "tests/support/golden.h"
#include "tests/unit/kube/client/kube_environment.h"

namespace sumac::kube::kubeconfig_test {

namespace {

constexpr const char* kPem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

/// One cluster, user and context, with `cluster` and `user` as their fields.
std::string lab(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: lab\n"
         "contexts: [{name: lab, context: {cluster: lab, user: me, namespace: training}}]\n"
         "clusters: [{name: lab, cluster: {server: 'https://lab:6443', " +
         cluster + "}}]\nusers: [{name: me, user: {" + user + "}}]\n";
}

KubeconfigFile file(const std::string& text, const std::string& path = "/home/me/.kube/config") {
  return {path, text};
}

KubeconfigContext chosen(const std::vector<KubeconfigFile>& files,
                         const ConfigOptions& choice = {}) {
  auto kubeconfig = readKubeconfig(files, choice);
  if (!kubeconfig) BOOST_FAIL(kubeconfig.error().message);
  BOOST_REQUIRE(kubeconfig->chosen.has_value());
  return *kubeconfig->chosen;
}

std::string problemOf(const std::string& text, const ConfigOptions& choice = {}) {
  const auto kubeconfig = readKubeconfig({file(text)}, choice);
  return kubeconfig ? "none" : kubeconfig.error().message;
}

ConfigOptions option(std::string ConfigOptions::*which, const std::string& value) {
  ConfigOptions options;
  options.*which = value;
  return options;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kubeconfig)

BOOST_AUTO_TEST_CASE(reads_cluster_user_and_namespace_of_the_current_context) {
  const auto context = chosen({file(lab("tls-server-name: api.lab", "token: secret"))});

  BOOST_TEST(context.cluster.name == "lab");
  BOOST_TEST(context.cluster.server == "https://lab:6443");
  BOOST_TEST(context.cluster.tls_server_name == "api.lab");
  BOOST_TEST(context.user.name == "me");
  BOOST_TEST(context.user.token == "secret");
  BOOST_TEST(context.name_space == "training");
}

BOOST_AUTO_TEST_CASE(reads_json_too) {
  const auto context = chosen({file(
      R"({"apiVersion": "v1", "kind": "Config", "preferences": {}, "current-context": "c",
          "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
          "clusters": [{"name": "k", "cluster": {"server": "https://k/prefix/"}}],
          "users": [{"name": "u", "user": {"token": "12345"}}]})")});

  BOOST_TEST(context.cluster.server == "https://k/prefix");
  BOOST_TEST(context.user.token == "12345");
}

BOOST_AUTO_TEST_CASE(takes_paths_relative_to_the_file_that_has_them) {
  const auto context = chosen({file(lab("certificate-authority: ../ca.crt",
                                        "client-certificate: pki/me.crt, client-key: /abs/me.key, "
                                        "tokenFile: token"),
                                    "/etc/lab/sub/config")});

  BOOST_TEST(context.cluster.ca.file == "/etc/lab/ca.crt");
  BOOST_TEST(context.user.certificate.file == "/etc/lab/sub/pki/me.crt");
  BOOST_TEST(context.user.key.file == "/abs/me.key");
  BOOST_TEST(context.user.token_file == "/etc/lab/sub/token");
}

BOOST_AUTO_TEST_CASE(reads_data_from_base64) {
  const auto context =
      chosen({file(lab("certificate-authority-data: " + toBase64(kPem), "token: t"))});

  BOOST_TEST(context.cluster.ca.text == kPem);
  BOOST_TEST(context.cluster.ca.file.empty());
}

BOOST_AUTO_TEST_CASE(merges_files_and_the_first_that_names_a_thing_wins) {
  const KubeconfigFile first = file(
      "current-context: two\n"
      "users: [{name: me, user: {token: of-first, tokenFile: t}}]\n",
      "/a/config");
  const KubeconfigFile empty = file("", "/b/config");
  const KubeconfigFile third = file(
      "current-context: one\n"
      "contexts: [{name: one, context: {cluster: x}}, {name: two, context: {cluster: k, user: "
      "me}}]\n"
      "clusters: [{name: k, cluster: {server: https://k}}]\n"
      "users: [{name: me, user: {token: of-third}}]\n",
      "/c/config");

  const auto context = chosen({first, empty, third});

  BOOST_TEST(context.cluster.server == "https://k");
  BOOST_TEST(context.user.token == "of-first");
  BOOST_TEST(context.user.token_file == "/a/t");
}

BOOST_AUTO_TEST_CASE(prefers_what_the_command_line_chooses) {
  const std::string text =
      "current-context: one\n"
      "contexts: [{name: one, context: {cluster: k1, user: u1, namespace: n1}},"
      " {name: two, context: {cluster: k2, user: u2}}]\n"
      "clusters: [{name: k1, cluster: {server: https://k1}}, {name: k2, cluster: {server: "
      "https://k2}}]\n"
      "users: [{name: u1, user: {token: t1}}, {name: u2, user: {token: t2}}]\n";

  BOOST_TEST(chosen({file(text)}, option(&ConfigOptions::context, "two")).user.token == "t2");
  BOOST_TEST(chosen({file(text)}, option(&ConfigOptions::cluster, "k2")).cluster.server ==
             "https://k2");
  BOOST_TEST(chosen({file(text)}, option(&ConfigOptions::user, "u2")).user.token == "t2");
  BOOST_TEST(chosen({file(text)}, option(&ConfigOptions::name_space, "n9")).name_space == "n9");
}

BOOST_AUTO_TEST_CASE(chooses_nothing_where_nobody_chooses_and_tells_the_contexts) {
  const auto kubeconfig =
      readKubeconfig({file("contexts: [{name: a, context: {}}, {name: b, context: {}}]")}, {});

  BOOST_REQUIRE(kubeconfig);
  BOOST_TEST(!kubeconfig->chosen.has_value());
  const std::vector<std::string> expected = {"a", "b"};
  BOOST_TEST(kubeconfig->contexts == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(names_what_there_is_where_a_name_is_unknown) {
  const std::string text = lab("", "token: t");

  test::Transcript said;
  said.add("context", problemOf(text, option(&ConfigOptions::context, "laboratory")));
  said.add("user", problemOf(text, option(&ConfigOptions::user, "you")));
  said.add("cluster", problemOf(text, option(&ConfigOptions::cluster, "x")));
  said.add("current-context", problemOf("current-context: gone"));
  test::checkGolden("kube/client/unknown_names.txt", said.text());
}

BOOST_AUTO_TEST_CASE(reads_the_exec_plugin_of_gke) {
  const auto context = chosen({file(lab(
      "extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]",
      "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: gke-gcloud-auth-plugin, "
      "args: [--use_edge_cache], env: [{name: A, value: '1'}], installHint: Install it, "
      "provideClusterInfo: true}"))});

  BOOST_REQUIRE(context.user.exec.has_value());
  const ExecSpec& exec = *context.user.exec;
  BOOST_TEST(exec.api_version == "client.authentication.k8s.io/v1beta1");
  BOOST_TEST(exec.command == "gke-gcloud-auth-plugin");
  BOOST_TEST(exec.arguments.at(0) == "--use_edge_cache");
  BOOST_TEST(exec.variables.at(0).first == "A");
  BOOST_TEST(exec.install_hint == "Install it");
  BOOST_TEST(exec.provide_cluster_info);
  BOOST_TEST((exec.interactive == InteractiveMode::kIfAvailable));
  BOOST_TEST(contains(context.cluster.exec_extension, "audience"));
}

BOOST_AUTO_TEST_CASE(takes_a_command_with_a_slash_relative_to_its_file) {
  const auto context =
      chosen({file(lab("",
                       "exec: {apiVersion: client.authentication.k8s.io/v1, command: bin/plugin, "
                       "interactiveMode: Never}"),
                   "/etc/lab/config")});

  BOOST_TEST(context.user.exec->command == "/etc/lab/bin/plugin");
}

BOOST_AUTO_TEST_CASE(leaves_the_plugin_alone_where_there_is_a_token_or_a_certificate) {
  const std::string exec = ", exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x}";

  BOOST_TEST(!chosen({file(lab("", "token: t" + exec))}).user.exec.has_value());
  BOOST_TEST(!chosen({file(lab("", "client-certificate: c, client-key: k" + exec))})
                  .user.exec.has_value());
}

BOOST_AUTO_TEST_CASE(does_not_mind_what_is_wrong_with_entries_that_are_not_chosen) {
  const std::string text =
      lab("", "token: t") + "preferences: {colors: true}\nextensions: [{name: any}]\n";
  const std::string others =
      "users: [{name: old, user: {auth-provider: {name: gcp}, as: root}}]\n"
      "clusters: [{name: bad, cluster: {server: 5}}, {name: none}]\n";

  BOOST_TEST(chosen({file(text), file(others, "/other")}).user.token == "t");
}

struct Refused {
  const char* name;
  const char* cluster;
  const char* user;
};

const Refused kRefused[] = {
    {"proxy", "proxy-url: 'socks5://p'", ""},
    {"CA twice", "certificate-authority: a, certificate-authority-data: LS0tLS1CRUdJTiA=", ""},
    {"CA and insecure", "certificate-authority: a, insecure-skip-tls-verify: true", ""},
    {"insecure as text", "insecure-skip-tls-verify: 'true'", ""},
    {"CA no base64", "certificate-authority-data: '*'", ""},
    {"CA no PEM", "certificate-authority-data: Zm9v", ""},
    {"certificate without key", "", "client-certificate: a"},
    {"key without certificate", "", "client-key: a"},
    {"key twice", "", "client-certificate: a, client-key: a, client-key-data: LS0tLS1CRUdJTiA="},
    {"auth-provider", "", "auth-provider: {name: gcp}"},
    {"user name", "", "username: me"},
    {"password", "", "password: geheim"},
    {"impersonation", "", "token: t, as: root"},
    {"impersonated groups", "", "token: t, as-groups: [a]"},
    {"token that is a number", "", "token: 123456"},
    {"exec and auth-provider", "",
     "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x}, "
     "auth-provider: {name: gcp}"},
    {"exec without command", "", "exec: {apiVersion: client.authentication.k8s.io/v1beta1}"},
    {"exec without version", "", "exec: {command: x}"},
    {"exec of an old version", "",
     "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}"},
    {"exec v1 without a mode", "",
     "exec: {apiVersion: client.authentication.k8s.io/v1, command: x}"},
    {"exec with an unknown mode", "",
     "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, interactiveMode: "
     "Maybe}"},
    {"exec with bad env", "",
     "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, env: {A: b}}"},
    {"exec with bad args", "",
     "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, args: [1]}"},
    {"exec that is a list", "", "exec: [a]"},
    {"three at once", "proxy-url: 'p'", "username: me, as: root"},
};

BOOST_AUTO_TEST_CASE(refuses_loudly) {
  test::Transcript said;
  const auto refuse = [&said](const std::string& name, const std::string& text) {
    const std::string problem = problemOf(text);
    BOOST_TEST(contains(problem, "/home/me/.kube/config"), problem);
    BOOST_TEST(!contains(problem, "geheim"), problem);
    BOOST_TEST(!contains(problem, "123456"), problem);
    said.add(name, problem);
  };
  for (const auto& [name, cluster, user] : kRefused)
    refuse(name, lab(cluster, user));
  for (const std::string server : {"", "lab:6443", "ftp://lab", "https://", "https://me:geheim@lab",
                                   "https://lab?a=b", "https://lab/#x", "https:// lab"})
    refuse("server `" + server + "`",
           "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
           "clusters: [{name: k, cluster: {server: '" +
               server + "'}}]\n");
  for (const char* const text :
       {"just text", "- a", "clusters: {}", "users: [{user: {}}]", "contexts: [{name: 1}]",
        "clusters: [{name: a}, {name: a}]", "a: [", "a: 1\na: 2"})
    refuse(text, text);
  test::checkGolden("kube/client/kubeconfig.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::kubeconfig_test
