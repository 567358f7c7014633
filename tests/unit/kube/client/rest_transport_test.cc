// Calls of the transport to a server that misbehaves, as with a time-out after it took the POST.
#include "kube/client/rest_transport.h"

#include <signal.h>

#include "tests/unit/kube/client/server_fixture.h"

namespace sumac::kube::rest_transport_test {
namespace {

using fake::Misbehaviour;
using fake::Seen;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kEnough(1);  // for the server to answer, on however busy a machine
const std::stop_token kNeverStops;

Request postOf(const std::string& name) {
  return {Method::kPost, kMapsPath, {}, "application/json", configMap(name).dump()};
}

Misbehaviour answering(const fake::Answer& answer) {
  return {.answer = answer};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rest_transport, *boost::unit_test::timeout(60))

BOOST_FIXTURE_TEST_CASE(sends_what_it_is_given_and_returns_the_answer, ServerFixture) {
  const auto transport = connect();

  const Response response = transport->send(postOf("a"), kLong, kNeverStops);

  BOOST_TEST(response.status == 201);
  BOOST_TEST(response.error == "");
  BOOST_TEST(response.body.find("\"uid-1\"") != std::string::npos);
  BOOST_TEST(server.seen().at(0).content_type == "application/json");
}

BOOST_FIXTURE_TEST_CASE(encodes_the_query, ServerFixture) {
  const auto transport = connect();

  transport->send({Method::kGet, kMapsPath, {{"labelSelector", "a=b,c in (d)"}}, "", ""}, kLong,
                  kNeverStops);

  BOOST_TEST(server.seen().at(0).target ==
             std::string(kMapsPath) + "?labelSelector=a%3Db%2Cc%20in%20%28d%29");
}

BOOST_FIXTURE_TEST_CASE(keeps_connections_for_later_requests, ServerFixture) {
  const auto transport = connect();
  constexpr int kRequests = 50;

  for (int i = 0; i < kRequests; ++i)
    get(*transport, kMapsPath);

  // Not always one: a connection comes back to the pool a moment after its answer.
  BOOST_TEST(server.seen().back().connection < kRequests / 5);
}

BOOST_FIXTURE_TEST_CASE(keeps_the_path_prefix_of_the_server, ServerFixture) {
  auto made = makeTransport({server.url() + "/k8s/clusters/c-1", "", "", "", credentials});
  BOOST_REQUIRE(made);

  get(**made, "/api/v1/pods");

  BOOST_TEST(server.seen().at(0).target == "/k8s/clusters/c-1/api/v1/pods");
}

BOOST_FIXTURE_TEST_CASE(sends_no_token_without_tls, ServerFixture) {
  credentials->set("secret");
  const auto transport = connect();

  get(*transport, kMapsPath);

  BOOST_TEST(server.seen().at(0).authorization == "");
}

BOOST_FIXTURE_TEST_CASE(reads_retry_after, ServerFixture) {
  server.misbehave(answering(fake::busy(429, 7)));
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 429);
  BOOST_TEST(response.retry_after.value().count() == 7);
}

BOOST_FIXTURE_TEST_CASE(sends_again_when_a_kept_connection_turns_out_to_be_closed, ServerFixture) {
  const auto transport = connect();
  BOOST_REQUIRE(get(*transport, kMapsPath).status == 200);

  for (int i = 0; i < 20; ++i) {
    server.dropConnections();
    const std::string name = "map-" + std::to_string(i);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(transport->send(postOf(name), kLong, kNeverStops).error == "");
    }
  }

  BOOST_TEST(server.store().all("configmaps").size() == 20U);
}

BOOST_FIXTURE_TEST_CASE(sends_nothing_again_on_a_fresh_connection, ServerFixture) {
  server.misbehave({.method = "POST", .drops_after = true});
  const auto transport = connect();

  const Response response = transport->send(postOf("a"), kLong, kNeverStops);

  BOOST_TEST(response.status == 0);
  BOOST_TEST_CONTEXT(response.error) {
    BOOST_TEST(response.error.find("POST http://127.0.0.1:") == 0U);
  }
  BOOST_TEST(!response.is_unsent);
  BOOST_TEST(server.store().all("configmaps").size() == 1U);
  BOOST_TEST(server.seen().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(bounds_the_whole_call, ServerFixture) {
  server.misbehave({.delay = seconds(60)});
  const auto transport = connect();

  const Response response = transport->send(postOf("a"), milliseconds(50), kNeverStops);

  BOOST_TEST(response.status == 0);
  checkError("kube/client/late_answer.txt", response);
}

BOOST_FIXTURE_TEST_CASE(says_so_when_the_server_took_a_post_and_did_not_answer, ServerFixture) {
  server.misbehave({.stalls_after = true});
  const auto transport = connect();

  const Response response = transport->send(postOf("a"), kEnough, kNeverStops);

  BOOST_TEST(response.status == 0);
  BOOST_TEST(server.seen().size() == 1U);
  BOOST_TEST(server.store().all("configmaps").size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(bounds_a_call_whose_answer_trickles, ServerFixture) {
  server.misbehave({.chunks = {"{"}, .then = Misbehaviour::Then::kSilent});
  const auto transport = connect();

  const Response response =
      transport->send({Method::kGet, kMapsPath, {}, "", ""}, kEnough, kNeverStops);

  BOOST_TEST(response.status == 0);
  BOOST_TEST(response.body == "{");
}

BOOST_FIXTURE_TEST_CASE(ends_a_call_when_asked_to_stop, ServerFixture) {
  server.misbehave({.delay = seconds(60)});
  const auto transport = connect();
  std::stop_source stop;
  std::jthread stopper([&] {
    server.waitFor(1, [](const Seen&) { return true; });
    stop.request_stop();
  });

  const Response response =
      transport->send({Method::kGet, kMapsPath, {}, "", ""}, kLong, stop.get_token());

  BOOST_TEST(response.status == 0);
  BOOST_TEST(response.error.find("stopped") != std::string::npos);
  BOOST_TEST(response.is_stopped);
  BOOST_TEST(!response.is_unsent);
}

BOOST_FIXTURE_TEST_CASE(says_that_nobody_listens, ServerFixture) {
  const auto transport = connect();
  server.stop();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 0);
  BOOST_TEST(response.error.find("Failed to connect") != std::string::npos);
  BOOST_TEST(response.is_unsent);
}

BOOST_AUTO_TEST_CASE(knows_that_nothing_was_sent_to_a_name_that_nobody_has) {
  auto made = makeTransport({"http://nobody.invalid", "", "default", "sumac-test/1",
                             std::make_shared<TestCredentials>()});
  BOOST_REQUIRE(made);

  const Response response = (*made)->send(postOf("a"), ServerFixture::kLong, kNeverStops);

  BOOST_TEST(response.status == 0);
  BOOST_TEST(response.is_unsent, response.error);
}

BOOST_FIXTURE_TEST_CASE(refuses_an_answer_that_is_too_long, ServerFixture) {
  fake::Answer answer;
  answer.body = std::string(kMostAnswer + 1, 'x');
  server.misbehave(answering(answer));
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 0);
  BOOST_TEST(response.error.find("64 MiB") != std::string::npos);
  BOOST_TEST(response.is_too_long);
}

BOOST_FIXTURE_TEST_CASE(takes_an_answer_that_is_just_as_long_as_allowed, ServerFixture) {
  const std::string text = "0123456789";
  fake::Answer answer;
  answer.body = text;
  server.misbehave(answering(answer));
  server.misbehave(answering(answer));
  const auto transport = connect();
  Request request;
  request.path = kMapsPath;

  request.most_answer = text.size();
  const Response whole = transport->send(request, ServerFixture::kLong, kNeverStops);
  request.most_answer = text.size() - 1;
  const Response refused = transport->send(request, ServerFixture::kLong, kNeverStops);

  BOOST_TEST(whole.body == text);
  BOOST_TEST(refused.is_too_long);
  BOOST_TEST(refused.body.empty());
}

BOOST_FIXTURE_TEST_CASE(survives_a_chunk_of_negative_length, ServerFixture) {
  server.misbehave({.raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n"});
  const auto transport = connect();

  const Response response = get(*transport, kMapsPath);

  BOOST_TEST(response.status == 0);
  BOOST_TEST(response.error != "");
}

BOOST_FIXTURE_TEST_CASE(survives_what_is_not_http, ServerFixture) {
  for (const char* raw : {"\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 abc\r\n\r\n"}) {
    server.misbehave({.raw = raw});
    const auto transport = connect();
    BOOST_TEST(get(*transport, kMapsPath).status == 0);
  }
}

BOOST_FIXTURE_TEST_CASE(a_peer_that_closes_does_not_end_the_process, ServerFixture) {
  const auto transport = connect();

  struct sigaction action {};
  BOOST_REQUIRE(sigaction(SIGPIPE, nullptr, &action) == 0);

  BOOST_TEST((action.sa_handler == SIG_IGN));
}

BOOST_AUTO_TEST_CASE(refuses_servers_that_cannot_work) {
  for (const auto& [url, word] :
       std::vector<std::pair<std::string, std::string>>{{"https://[::1]:6443", "IPv6"},
                                                        {"ftp://host", "https://"},
                                                        {"", "https://"},
                                                        {"https://", "https://"},
                                                        {"https://me:secret@host", "https://HOST"},
                                                        {"https://a b", "URL"}}) {
    const auto made = makeTransport({url, "", "", "", std::make_shared<TestCredentials>()});
    BOOST_TEST_CONTEXT(url) {
      BOOST_REQUIRE(!made);
      BOOST_TEST(made.error().message.find(word) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::rest_transport_test
