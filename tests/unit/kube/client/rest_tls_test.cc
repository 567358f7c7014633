// The transport and its credentials: 401 then a new token, another CA.
#include "tests/unit/kube/client/server_fixture.h"

namespace sumac::kube::rest_tls_test {
namespace {

using fake::Misbehaviour;

/// A credential that is refused, without the words of OpenSSL's version at the end.
struct Refusal : TlsFixture {
  void checkRefusal(std::string_view golden, Response response) const {
    response.error.erase(response.error.rfind(": "));
    checkError(golden, response);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rest_tls, *boost::unit_test::timeout(60))

BOOST_FIXTURE_TEST_CASE(sends_the_token_over_tls, TlsFixture) {
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.error == "");
  BOOST_TEST(response.status == 200);
  BOOST_TEST(server.seen().at(0).authorization == "Bearer token-1");
}

BOOST_FIXTURE_TEST_CASE(refuses_a_token_that_would_make_another_header, TlsFixture) {
  credentials->set("a\r\nX-Admin: yes", {authority.pem, "", "", false});
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 0);
  BOOST_TEST(response.error.find("token") != std::string::npos);
  BOOST_TEST(response.is_unsent);
  BOOST_TEST(server.seen().empty());
}

BOOST_FIXTURE_TEST_CASE(trusts_only_the_clusters_authority, TlsFixture) {
  credentials->set("token", {fake::makeAuthority("other").pem, "", "", false});
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 0);
  BOOST_TEST_CONTEXT(response.error) {
    BOOST_TEST(response.error.find("certificate verify failed") != std::string::npos);
  }
  BOOST_TEST(response.is_unsent);
  BOOST_TEST(server.seen().empty());
}

// As Go programs do: the CA in a kubeconfig may be an intermediate whose root is not there.
BOOST_AUTO_TEST_CASE(trusts_an_intermediate_authority_alone) {
  const auto intermediate = fake::makeIntermediate(fake::makeAuthority("root"), "intermediate");
  ServerFixture fixture({fake::issue(intermediate, "server", {}, {"127.0.0.1"}), ""});
  fixture.credentials->set("token", {intermediate.pem, "", "", false});
  const auto transport = fixture.connect();

  const Response response = fixture.get(*transport, kMapsPath);

  BOOST_TEST(response.error == "");
  BOOST_TEST(response.status == 200);
}

BOOST_FIXTURE_TEST_CASE(says_which_credential_cannot_be_read, Refusal) {
  credentials->set("token", {"no certificate", "", "", false});
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  checkRefusal("kube/client/bad_authority.txt", response);
}

BOOST_FIXTURE_TEST_CASE(verifies_nothing_only_where_told_so, TlsFixture) {
  credentials->set("token", {"", "", "", true});
  const auto transport = connect();

  BOOST_TEST(get(*transport, kMapsPath).status == 200);
}

BOOST_FIXTURE_TEST_CASE(takes_the_tls_server_name_for_the_name_to_verify, TlsFixture) {
  const auto right = connect("kubernetes.default.svc");
  const auto wrong = connect("elsewhere.default.svc");

  const Response accepted = get(*right, kMapsPath);
  const Response refused = get(*wrong, kMapsPath);

  BOOST_TEST(accepted.error == "");
  BOOST_TEST(server.seen().at(0).host == "kubernetes.default.svc");
  BOOST_TEST(refused.status == 0);
}

BOOST_AUTO_TEST_CASE(presents_a_client_certificate_from_memory) {
  const auto ca = fake::makeAuthority("cluster");
  ServerFixture fixture({fake::issue(ca, "server", {}, {"127.0.0.1"}), ca.pem});
  const auto client = fake::issue(ca, "system:admin");
  fixture.credentials->set("", {ca.pem, client.pem, client.key, false});
  const auto transport = fixture.connect();

  const Response response = fixture.get(*transport, kMapsPath);

  BOOST_TEST(response.error == "");
  BOOST_TEST(fixture.server.seen().at(0).client == "system:admin");
}

BOOST_FIXTURE_TEST_CASE(follows_a_change_of_the_clusters_authority, TlsFixture) {
  const auto transport = connect();
  BOOST_REQUIRE(get(*transport, kMapsPath).status == 200);
  const auto next = fake::makeAuthority("next");

  server.useCertificate(fake::issue(next, "server", {}, {"127.0.0.1"}));
  server.dropConnections();
  credentials->set("token", {next.pem, "", "", false});
  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.error == "");
  BOOST_TEST(response.status == 200);
}

BOOST_FIXTURE_TEST_CASE(asks_again_with_a_new_token_after_401, TlsFixture) {
  server.acceptOnly("token-2");
  credentials->setNextToken("token-2");
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 200);
  BOOST_TEST(credentials->refreshes() == 1);
  BOOST_TEST(server.seen().size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(asks_only_once_more_after_401, TlsFixture) {
  server.acceptOnly("another");
  credentials->setNextToken("token-2");
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 401);
  BOOST_TEST(server.seen().size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(asks_for_no_new_token_where_there_is_none, TlsFixture) {
  server.acceptOnly("another");
  const auto transport = connect();

  BOOST_TEST(get(*transport, kMapsPath).status == 401);
  BOOST_TEST(server.seen().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(follows_no_redirect, TlsFixture) {
  // Trusted as well, so that nothing but our own refusal keeps the token here.
  const fake::FakeApiServer elsewhere({fake::issue(authority, "elsewhere", {}, {"127.0.0.1"}), ""});
  fake::Answer redirect{302, "", {{"Location", elsewhere.url() + kMapsPath}}};
  server.misbehave({.answer = redirect});
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 302);
  BOOST_TEST(elsewhere.seen().empty());
}

BOOST_FIXTURE_TEST_CASE(asks_again_for_a_stream_with_a_new_token, TlsFixture) {
  server.store().create(mapsTarget(), configMap("a"));
  server.acceptOnly("token-2");
  credentials->setNextToken("token-2");
  const auto transport = connect();
  int lines = 0;

  const Response response = transport->stream(
      {Method::kGet, kMapsPath, {{"watch", "true"}, {"resourceVersion", "1"}}, "", ""}, kLong, {},
      [&lines](std::string_view) { return ++lines < 1; });

  BOOST_TEST(response.status == 200);
  BOOST_TEST(response.body == "");
  BOOST_TEST(lines == 1);
}

BOOST_FIXTURE_TEST_CASE(refuses_a_key_of_another_certificate, Refusal) {
  const auto one = fake::issue(authority, "one");
  const auto two = fake::issue(authority, "two");
  credentials->set("", {authority.pem, one.pem, two.key, false});
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  checkRefusal("kube/client/foreign_key.txt", response);
}

BOOST_FIXTURE_TEST_CASE(speaks_tls_to_a_server_that_does_not_and_says_so, TlsFixture) {
  const fake::FakeApiServer plain;
  auto made =
      makeTransport({"https://127.0.0.1:" + std::to_string(plain.port()), "", "", "", credentials});
  BOOST_REQUIRE(made);

  const Response response = get(**made, kMapsPath);

  BOOST_TEST(response.status == 0);
  BOOST_TEST(response.error.find("SSL handshake") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::rest_tls_test
