// The transport through an HTTP proxy.
#include "tests/support/kube/connect_proxy.h"
#include "tests/unit/kube/client/server_fixture.h"

namespace sumac::kube::rest_proxy_test {
namespace {

struct ProxyFixture : TlsFixture {
  std::unique_ptr<Transport> connectThrough(const std::string& user = "",
                                            const std::string& password = "") const {
    ClusterConfig config{server.url(), "kubernetes.default.svc", "default", "sumac-test/1",
                         credentials};
    config.proxy = {"127.0.0.1", proxy.port(), user, password};
    auto made = makeTransport(config);
    BOOST_REQUIRE_MESSAGE(made, (made ? std::string() : made.error().message));
    return std::move(*made);
  }

  fake::ConnectProxy proxy;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(rest_proxy, ProxyFixture, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(reaches_the_server_through_a_tunnel_that_shows_no_token) {
  const auto transport = connectThrough();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.error == "");
  BOOST_TEST(response.status == 200);
  BOOST_TEST(server.seen().at(0).authorization == "Bearer token-1");
  const auto requests = proxy.requests();
  BOOST_REQUIRE(requests.size() == 1U);
  BOOST_TEST(requests[0].starts_with("CONNECT 127.0.0.1:" + std::to_string(server.port()) + " "));
  BOOST_TEST(requests[0].find("token-1") == std::string::npos);
  BOOST_TEST(requests[0].find("Proxy-Authorization") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(gives_the_proxy_its_user_and_password_and_the_server_not) {
  const auto transport = connectThrough("me", "secret");

  BOOST_TEST(get(*transport, kMapsPath).status == 200);

  BOOST_TEST(proxy.requests().at(0).find("Proxy-Authorization: Basic bWU6c2VjcmV0") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(verifies_the_server_behind_the_proxy) {
  credentials->set("token-1", {fake::makeAuthority("other").pem, "", "", false});
  const auto transport = connectThrough();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 0);
  BOOST_TEST(response.error.find("certificate verify failed") != std::string::npos);
  BOOST_TEST(server.seen().empty());
}

BOOST_AUTO_TEST_CASE(streams_through_the_proxy) {
  server.store().create(mapsTarget(), configMap("a"));
  const auto transport = connectThrough();
  int lines = 0;

  const Response response = transport->stream(
      {Method::kGet, kMapsPath, {{"watch", "true"}, {"resourceVersion", "1"}}, "", ""}, kLong, {},
      [&lines](std::string_view) { return ++lines < 1; });

  BOOST_TEST(response.status == 200);
  BOOST_TEST(lines == 1);
}

BOOST_AUTO_TEST_CASE(names_a_proxy_that_refuses_or_is_away) {
  proxy.refuse(407);
  const auto transport = connectThrough("me", "secret");

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 0);
  BOOST_TEST_CONTEXT(response.error) {
    BOOST_TEST(response.error.find("through the proxy 127.0.0.1:" + std::to_string(proxy.port())) !=
               std::string::npos);
    BOOST_TEST(response.error.find("secret") == std::string::npos);
    BOOST_TEST(response.is_unsent);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::rest_proxy_test
