#include "kube/client/exec_plugin.h"

#include <atomic>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "kube/client/base64.h"
#include "tests/support/golden.h"
#include "tests/unit/kube/client/kube_environment.h"

namespace sumac::kube::exec_plugin_test {

namespace {

using Json = nlohmann::json;

constexpr const char* kBeta = "client.authentication.k8s.io/v1beta1";

std::string printed(const Json& status, const std::string& version = kBeta) {
  return Json{{"apiVersion", version}, {"kind", "ExecCredential"}, {"status", status}}.dump();
}

/// A plugin that is no program: `output` is what it prints, `seen` how it was started.
struct Fixture : TestEnvironment {
  Fixture() {
    exec.api_version = kBeta;
    exec.command = write("plugin", "").string();
    cluster.name = "lab";
    cluster.server = "https://10.0.0.1:6443";
    environment.variables = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/home/me"}};
    wall_clock->set(*parseRfc3339("2026-01-31T12:00:00Z"));
  }

  ExecPlugin plugin() {
    return ExecPlugin(exec, cluster, environment, [this](const ExecProcess& process) {
      seen.push_back(process);
      return output;
    });
  }

  Json infoOf(const ExecProcess& process) const {
    return Json::parse(process.variables.at("KUBERNETES_EXEC_INFO"));
  }

  std::string failureOf(ExecPlugin& plugin) {
    const auto credential = plugin.credential("");
    return credential ? "none" : credential.error().message;
  }

  ExecSpec exec;
  KubeconfigCluster cluster;
  Result<std::string> output = printed({{"token", "abc"}});
  std::vector<ExecProcess> seen;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(exec_plugin, Fixture, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(gives_what_the_program_printed) {
  output = printed({{"token", "abc"},
                    {"clientCertificateData", "CERT"},
                    {"clientKeyData", "KEY"},
                    {"expirationTimestamp", "2026-01-31T13:00:00Z"}});
  ExecPlugin sut = plugin();

  const auto credential = sut.credential("");

  BOOST_REQUIRE(credential);
  BOOST_TEST(credential->token == "abc");
  BOOST_TEST(credential->certificate == "CERT");
  BOOST_TEST(credential->key == "KEY");
  BOOST_TEST(toRfc3339(*credential->expires) == "2026-01-31T13:00:00Z");
}

BOOST_AUTO_TEST_CASE(is_started_with_its_arguments_and_variables_over_ours) {
  exec.arguments = {"get-token", "--flag=$HOME; rm"};
  exec.variables = {{"HOME", "/elsewhere"}, {"ADDED", "1"}};
  ExecPlugin sut = plugin();

  BOOST_REQUIRE(sut.credential(""));

  BOOST_REQUIRE(seen.size() == 1U);
  BOOST_TEST(seen[0].program == exec.command);
  BOOST_TEST(seen[0].arguments == exec.arguments, boost::test_tools::per_element());
  BOOST_TEST(seen[0].variables.at("HOME") == "/elsewhere");
  BOOST_TEST(seen[0].variables.at("ADDED") == "1");
  BOOST_TEST(seen[0].variables.at("PATH") == "/usr/bin:/bin");
}

BOOST_AUTO_TEST_CASE(hears_of_the_cluster_only_where_it_asks) {
  ExecPlugin plain = plugin();
  BOOST_REQUIRE(plain.credential("PEM"));
  exec.provide_cluster_info = true;
  cluster.tls_server_name = "api.lab";
  cluster.exec_extension = R"({"audience": "x"})";
  ExecPlugin asking = plugin();
  BOOST_REQUIRE(asking.credential("PEM"));

  BOOST_TEST(infoOf(seen[0]) ==
             Json::parse(R"({"apiVersion": "client.authentication.k8s.io/v1beta1",
      "kind": "ExecCredential", "spec": {"interactive": false}})"));
  BOOST_TEST(infoOf(seen[1])["spec"]["cluster"] ==
             Json({{"server", "https://10.0.0.1:6443"},
                   {"tls-server-name", "api.lab"},
                   {"certificate-authority-data", toBase64("PEM")},
                   {"config", {{"audience", "x"}}}}));
}

BOOST_AUTO_TEST_CASE(is_run_again_only_when_its_credential_ends) {
  output = printed({{"token", "abc"}, {"expirationTimestamp", "2026-01-31T13:00:00Z"}});
  ExecPlugin sut = plugin();
  BOOST_REQUIRE(sut.credential(""));
  BOOST_REQUIRE(sut.credential(""));
  BOOST_TEST(seen.size() == 1U);

  wall_clock->set(*parseRfc3339("2026-01-31T12:59:45Z"));
  BOOST_REQUIRE(sut.credential(""));
  BOOST_TEST(seen.size() == 1U);

  wall_clock->set(*parseRfc3339("2026-01-31T12:59:50Z"));
  output = printed({{"token", "next"}});
  BOOST_TEST(sut.credential("")->token == "next");
  BOOST_TEST(seen.size() == 2U);
}

BOOST_AUTO_TEST_CASE(is_run_again_when_the_server_refuses_and_once_for_many_threads) {
  ExecPlugin sut = plugin();
  BOOST_REQUIRE(sut.credential(""));
  clock->advance(std::chrono::minutes(5));

  sut.forget();
  BOOST_REQUIRE(sut.credential(""));
  sut.forget();
  BOOST_REQUIRE(sut.credential(""));

  BOOST_TEST(seen.size() == 2U);
}

BOOST_AUTO_TEST_CASE(is_never_run_twice_at_once) {
  std::atomic<int> running = 0;
  std::atomic<int> runs = 0;
  std::atomic<int> given = 0;
  std::atomic<bool> overlapped = false;
  ExecPlugin sut(exec, cluster, environment, [&](const ExecProcess&) -> Result<std::string> {
    if (running.fetch_add(1) > 0) overlapped = true;
    ++runs;
    std::this_thread::yield();
    --running;
    return printed({{"token", "abc"}});
  });

  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] { given += sut.credential("").has_value() ? 1 : 0; });
  }

  BOOST_TEST(given == 8);
  BOOST_TEST(!overlapped);
  BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(is_tried_again_after_a_failure) {
  output = Error{ErrorCode::kUnavailable, "exit code 3"};
  ExecPlugin sut = plugin();
  BOOST_TEST(failureOf(sut).ends_with(" `" + exec.command + "`: exit code 3"));

  output = printed({{"token", "abc"}});

  BOOST_TEST(failureOf(sut) == "none");
}

BOOST_AUTO_TEST_CASE(shows_the_install_hint_where_the_program_is_missing) {
  exec.command = "no-such-plugin-here";
  exec.install_hint = "Install it with `apt-get install plugin`";
  ExecPlugin sut = plugin();

  BOOST_TEST(failureOf(sut).find(exec.install_hint) != std::string::npos);
  BOOST_TEST(seen.empty());
}

BOOST_AUTO_TEST_CASE(has_the_terminal_only_where_there_is_one_and_it_may) {
  environment.is_interactive = true;
  ExecPlugin if_available = plugin();
  BOOST_REQUIRE(if_available.credential(""));
  exec.interactive = InteractiveMode::kNever;
  ExecPlugin never = plugin();
  BOOST_REQUIRE(never.credential(""));

  BOOST_TEST(seen[0].has_input);
  BOOST_TEST(infoOf(seen[0])["spec"]["interactive"] == true);
  BOOST_TEST(!seen[1].has_input);
}

BOOST_AUTO_TEST_CASE(is_not_started_without_the_terminal_that_it_needs) {
  exec.interactive = InteractiveMode::kAlways;
  ExecPlugin sut = plugin();

  BOOST_TEST(failureOf(sut).find("not a terminal") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_credential) {
  const std::string start =
      std::string("{\"kind\": \"ExecCredential\", \"apiVersion\": \"") + kBeta + "\"";
  test::Transcript said;
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{\"kind\": \"Status\"}"),
        printed({{"token", "t"}}, "client.authentication.k8s.io/v1"), start + "}",
        printed(Json::object()), printed({{"token", 5}}), printed({{"token", "a\r\nb"}}),
        printed({{"clientKeyData", "k"}}),
        printed({{"token", "t"}, {"expirationTimestamp", "soon"}})}) {
    output = text;
    ExecPlugin sut = plugin();
    const std::string failure = failureOf(sut);
    BOOST_TEST(failure != "none", text);
    said.add(text, test::replaced(failure, exec.command, "PLUGIN"));
  }
  test::checkGolden("kube/client/exec_plugin.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::exec_plugin_test
