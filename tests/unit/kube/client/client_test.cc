// The client against a server that misbehaves: 429 with Retry-After on list and create, 409
// AlreadyExists, 409 Conflict on status, 422 on pod create, 410 for a page.
#include "kube/client/client.h"

#include "kube/client/list_page.h"
#include "tests/unit/kube/client/server_fixture.h"

namespace sumac::kube::client_test {
namespace {

using fake::Misbehaviour;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A client whose waits are written down instead of waited for, with the longest jitter.
struct ClientFixture : ServerFixture {
  ClientFixture() : transport(connect()) {
    ClientOptions options;
    options.timeout = kLong;
    options.throttle = [this](const std::stop_token&) {
      ++throttled;
      return allowed;
    };
    options.sleep = [this](Duration duration, const std::stop_token&) {
      waits.push_back(std::chrono::duration_cast<milliseconds>(duration));
      return true;
    };
    options.jitter = [](std::uint64_t) { return 1.0F; };
    client = makeClient(*transport, std::move(options), stop.get_token());
  }

  void misbehaveTimes(int times, const fake::Answer& answer, const std::string& method = "") {
    server.misbehave({.method = method, .times = times, .answer = answer});
  }

  std::vector<std::string> listNames(const ListOptions& options = {}) {
    std::vector<std::string> names;
    end = client->list(
        kConfigMaps, "default", options,
        [&names](const json& item) {
          names.push_back(item["metadata"]["name"].get<std::string>());
        },
        [&names] { names.clear(); });
    return names;
  }

  void addMaps(int number) {
    for (int i = 0; i < number; ++i) {
      server.store().create(mapsTarget(), configMap("map-" + std::to_string(i)));
    }
  }

  std::unique_ptr<Transport> transport;
  std::stop_source stop;
  std::unique_ptr<Client> client;
  std::vector<milliseconds> waits;
  int throttled = 0;
  bool allowed = true;
  ListEnd end;
};

const api::ObjectKey kKey{"default", "a"};

}  // namespace

BOOST_AUTO_TEST_SUITE(client, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(paths_leave_out_empty_parts) {
  BOOST_TEST(pathOf(kPods, "ns", "p", "status") == "/api/v1/namespaces/ns/pods/p/status");
  BOOST_TEST(pathOf(kPods, "") == "/api/v1/pods");
  BOOST_TEST(pathOf(kTrainingJobs, "ns") == "/apis/sumac.dev/v1alpha1/namespaces/ns/trainingjobs");
  BOOST_TEST(pathOf(kNamespaces, "", "ns") == "/api/v1/namespaces/ns");
}

BOOST_AUTO_TEST_CASE(a_name_cannot_leave_its_place_in_the_path) {
  BOOST_TEST(pathOf(kPods, "ns", "../secrets/x?y#z") ==
             "/api/v1/namespaces/ns/pods/..%2Fsecrets%2Fx%3Fy%23z");
}

BOOST_FIXTURE_TEST_CASE(creates_reads_replaces_patches_and_deletes, ClientFixture) {
  const Reply created = client->create(kConfigMaps, "default", configMap("a"));
  BOOST_REQUIRE(created);
  json changed = *created.object;
  changed["data"] = {{"k", "1"}};
  const Reply replaced = client->replace(kConfigMaps, kKey, "", changed);
  BOOST_REQUIRE(replaced);
  const Reply patched = client->patch(kConfigMaps, kKey, "", {{"data", {{"l", "2"}}}});
  BOOST_REQUIRE(patched);
  const Reply read = client->get(kConfigMaps, kKey);
  BOOST_REQUIRE(read);
  BOOST_TEST((*read.object)["data"] == (json{{"k", "1"}, {"l", "2"}}));

  BOOST_TEST(bool(client->remove(kConfigMaps, kKey, {})));
  BOOST_TEST(client->get(kConfigMaps, kKey).failure.value().isNotFound());
}

BOOST_FIXTURE_TEST_CASE(deleting_what_is_gone_is_no_failure, ClientFixture) {
  const Reply reply = client->remove(kConfigMaps, kKey, {});

  BOOST_TEST(bool(reply));
  BOOST_TEST(reply.object != nullptr);
}

BOOST_FIXTURE_TEST_CASE(deletes_only_the_very_object, ClientFixture) {
  addMaps(1);

  const Reply reply = client->remove(kConfigMaps, {"default", "map-0"}, {"uid-99", {}, ""});

  BOOST_REQUIRE(reply.failure.has_value());
  BOOST_TEST(reply.failure->isConflict());
  BOOST_TEST(server.store().all("configmaps").size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(says_how_to_delete, ClientFixture) {
  client->remove(kConfigMaps, kKey, {"uid-1", 0, "Foreground"});

  BOOST_TEST(json::parse(server.seen().at(0).body) ==
             (json{{"kind", "DeleteOptions"},
                   {"apiVersion", "v1"},
                   {"propagationPolicy", "Foreground"},
                   {"gracePeriodSeconds", 0},
                   {"preconditions", {{"uid", "uid-1"}}}}));
}

BOOST_FIXTURE_TEST_CASE(tells_one_409_from_another, ClientFixture) {
  addMaps(1);
  json stale = configMap("map-0");
  stale["metadata"]["resourceVersion"] = "1";

  const Reply again = client->create(kConfigMaps, "default", configMap("map-0"));
  const Reply late = client->replace(kConfigMaps, {"default", "map-0"}, "", stale);

  BOOST_TEST(again.failure.value().alreadyExists());
  BOOST_TEST(!again.failure->isConflict());
  BOOST_TEST(late.failure.value().isConflict());
  BOOST_TEST(!late.failure->alreadyExists());
  BOOST_TEST(waits.empty());
}

BOOST_FIXTURE_TEST_CASE(a_stale_status_is_a_conflict, ClientFixture) {
  server.store().create({"sumac.dev/v1alpha1", "trainingjobs", "default", "", ""},
                        {{"metadata", {{"name", "a"}}}, {"spec", json::object()}});
  json job = *client->get(kTrainingJobs, kKey).object;
  job["status"] = {{"state", "Running"}};
  BOOST_REQUIRE(bool(client->replace(kTrainingJobs, kKey, "status", job)));

  job["status"] = {{"state", "Failed"}};
  const Reply late = client->replace(kTrainingJobs, kKey, "status", job);

  BOOST_TEST(late.failure.value().isConflict());
  BOOST_TEST((*client->get(kTrainingJobs, kKey).object)["status"]["state"] == "Running");
}

BOOST_FIXTURE_TEST_CASE(says_what_was_asked_and_what_the_server_said, ClientFixture) {
  misbehaveTimes(1, fake::failure(422, "Invalid", "spec.containers: Required value"), "POST");

  const Reply reply = client->create(kPods, "default", {{"metadata", {{"name", "a"}}}});

  BOOST_REQUIRE(reply.failure.has_value());
  BOOST_TEST(reply.failure->isInvalid());
  BOOST_TEST(reply.failure->message ==
             "create pods default/a: 422 Invalid: spec.containers: Required value");
  BOOST_TEST(server.seen().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(quotes_answers_that_are_no_status, ClientFixture) {
  misbehaveTimes(1, {403, "<html>\x01 denied by the proxy", {}});

  const Reply reply = client->get(kPods, kKey);

  BOOST_TEST(reply.failure.value().isForbidden());
  BOOST_TEST(reply.failure->message == "get pods default/a: 403: <html>  denied by the proxy");
}

BOOST_FIXTURE_TEST_CASE(waits_as_long_as_it_is_told, ClientFixture) {
  misbehaveTimes(2, fake::busy(429, 3));

  BOOST_TEST(listNames().empty());

  BOOST_TEST(!end.failure.has_value());
  const std::vector<milliseconds> expected(2, milliseconds(3200));
  BOOST_TEST((waits == expected));
}

BOOST_FIXTURE_TEST_CASE(gives_up_after_ten_told_waits, ClientFixture) {
  misbehaveTimes(-1, fake::busy(429, 1), "GET");

  const Reply reply = client->get(kPods, kKey);

  BOOST_TEST(reply.failure.value().status == 429);
  BOOST_TEST(reply.failure->retry_after.value().count() == 1);
  BOOST_TEST(waits.size() == 10U);
  BOOST_TEST(server.seen().size() == 11U);
}

BOOST_FIXTURE_TEST_CASE(waits_three_minutes_in_all_however_often_it_is_told_to, ClientFixture) {
  misbehaveTimes(-1, fake::busy(503, 50), "GET");

  const Reply reply = client->get(kConfigMaps, kKey);

  BOOST_TEST(reply.failure.value().status == 503);
  BOOST_TEST(reply.failure->retry_after.value().count() == 50);
  BOOST_TEST(waits.size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(creates_again_after_429_since_nothing_was_done, ClientFixture) {
  misbehaveTimes(1, fake::busy(429, 2), "POST");

  BOOST_TEST(bool(client->create(kConfigMaps, "default", configMap("a"))));

  BOOST_TEST((waits == std::vector<milliseconds>{milliseconds(2200)}));
}

BOOST_FIXTURE_TEST_CASE(reads_again_with_growing_waits, ClientFixture) {
  misbehaveTimes(-1, fake::failure(500, "InternalError", "etcd"), "GET");

  const Reply reply = client->get(kPods, kKey);

  BOOST_TEST(reply.failure.value().isTransient());
  const std::vector<milliseconds> expected{milliseconds(200), milliseconds(400), milliseconds(800),
                                           milliseconds(1600)};
  BOOST_TEST((waits == expected));
}

BOOST_FIXTURE_TEST_CASE(writes_once_when_nobody_knows_what_happened, ClientFixture) {
  server.misbehave({.method = "POST", .drops_after = true});

  const Reply reply = client->create(kConfigMaps, "default", configMap("a"));

  BOOST_TEST(reply.failure.value().status == 0);
  BOOST_TEST(reply.failure->isTransient());
  BOOST_TEST(waits.empty());
  BOOST_TEST(bool(client->get(kConfigMaps, kKey)));
}

BOOST_FIXTURE_TEST_CASE(a_success_that_is_no_object_is_a_failure, ClientFixture) {
  misbehaveTimes(1, {200, "[]", {}});

  const std::string message = client->get(kPods, kKey).failure.value().message;

  BOOST_TEST(message.starts_with("get pods default/a: "), message);
}

BOOST_FIXTURE_TEST_CASE(replaces_invalid_utf8_instead_of_failing, ClientFixture) {
  json object = configMap("a");
  object["data"] = {{"k", "a\xff"}};

  BOOST_TEST(bool(client->create(kConfigMaps, "default", object)));
}

BOOST_FIXTURE_TEST_CASE(asks_for_permission_before_every_request, ClientFixture) {
  addMaps(3);

  listNames({"", "", 1});

  BOOST_TEST(throttled == 3);
}

BOOST_FIXTURE_TEST_CASE(sends_nothing_without_permission, ClientFixture) {
  allowed = false;

  BOOST_TEST(client->get(kPods, kKey).failure.value().message == "get pods default/a: stopped");
  BOOST_TEST(server.seen().empty());
}

BOOST_FIXTURE_TEST_CASE(lists_page_by_page, ClientFixture) {
  addMaps(5);

  const auto names = listNames({"", "", 2});

  const std::vector<std::string> expected{"map-0", "map-1", "map-2", "map-3", "map-4"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  BOOST_TEST(server.seen().size() == 3U);
  BOOST_TEST(end.resource_version == std::to_string(server.store().version()));
}

BOOST_FIXTURE_TEST_CASE(lists_with_smaller_pages_where_an_answer_is_too_long, ClientFixture) {
  const std::string large(std::size_t{3} << 20, 'x');
  for (int i = 0; i < 5; ++i) {
    json map = configMap("map-" + std::to_string(i));
    map["data"]["text"] = large;
    server.store().create(mapsTarget(), map);
  }

  const auto names = listNames({"", "", 9});  // 9, 4, 2, and then 2 at a time

  const std::vector<std::string> expected{"map-0", "map-1", "map-2", "map-3", "map-4"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  BOOST_TEST(!end.failure.has_value());
  BOOST_TEST(server.seen().size() == 5U);
  BOOST_TEST(waits.empty());
}

BOOST_FIXTURE_TEST_CASE(one_object_may_be_longer_than_a_page, ClientFixture) {
  json map = configMap("large");
  map["data"]["text"] = std::string(std::size_t{9} << 20, 'x');
  server.store().create(mapsTarget(), map);
  server.store().create(mapsTarget(), configMap("small"));

  const auto names = listNames({"", "", 2});

  BOOST_TEST(names == std::vector<std::string>({"large", "small"}),
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(gives_up_a_list_with_an_object_that_is_too_long_at_once, ClientFixture) {
  fake::Answer answer;
  answer.body = std::string(kMostAnswer + 1, 'x');
  server.misbehave({.times = -1, .answer = answer});

  listNames({"", "", 1});

  BOOST_TEST(end.failure.value().is_too_long);
  BOOST_TEST(server.seen().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(lists_again_when_a_page_has_expired, ClientFixture) {
  addMaps(3);
  server.misbehave({.target_contains = "continue=",
                    .answer = fake::failure(410, "Expired", "the continue token is too old")});

  const auto names = listNames({"", "", 2});

  BOOST_TEST(names.size() == 3U);
  BOOST_TEST(!end.failure.has_value());
}

BOOST_FIXTURE_TEST_CASE(gives_up_a_list_whose_pages_always_expire, ClientFixture) {
  addMaps(3);
  server.misbehave({.target_contains = "continue=",
                    .times = -1,
                    .answer = fake::failure(410, "Expired", "the continue token is too old")});

  listNames({"", "", 2});

  BOOST_TEST(end.failure.value().isExpired());
}

BOOST_FIXTURE_TEST_CASE(selects_by_labels_and_fields, ClientFixture) {
  server.store().create(mapsTarget(), configMap("a", {{"x", "1"}}));
  server.store().create(mapsTarget(), configMap("b", {{"x", "1"}}));
  server.store().create(mapsTarget(), configMap("c"));

  const auto names = listNames({"x=1", "metadata.name=b"});

  BOOST_TEST(names == std::vector<std::string>{"b"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(reads_a_page_whatever_the_order_of_its_parts) {
  std::vector<std::string> names;
  const auto page = readListPage(
      R"({"items":[{"metadata":{"name":"a"},"items":[{"metadata":{}}]}],"kind":"PodList",)"
      R"("metadata":{"continue":"t","resourceVersion":"7","items":[{}]}})",
      [&names](const json& item) { names.push_back(item["metadata"]["name"].get<std::string>()); });

  BOOST_REQUIRE(page);
  BOOST_TEST(page->next == "t");
  BOOST_TEST(page->resource_version == "7");
  BOOST_TEST(names == std::vector<std::string>{"a"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_empty_list_may_have_null_for_items) {
  BOOST_TEST(readListPage(R"({"metadata":{"resourceVersion":"7"},"items":null})", {}).has_value());
}

// As metrics-server answers; of what is watched a version is needed.
BOOST_AUTO_TEST_CASE(a_list_of_metrics_has_no_version) {
  const auto list = [](const std::string& api) {
    return readListPage(R"({"apiVersion":")" + api + R"(","metadata":{},"items":[]})", {});
  };
  BOOST_TEST(list("metrics.k8s.io/v1beta1").has_value());
  BOOST_TEST(!list("v1").has_value());
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_list) {
  for (const char* text :
       {"", "[]", "{}", R"({"items":[]})", R"({"metadata":{"resourceVersion":"1"}})",
        R"({"items":[],"metadata":{}})", R"({"items":[1],"metadata":{"resourceVersion":"1"}})",
        R"({"items":[{},"metadata":{"resourceVersion":"1"}})"}) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(!readListPage(text, [](const json&) {}).has_value());
    }
  }
}

BOOST_AUTO_TEST_CASE(reads_how_long_to_wait_from_the_status_too) {
  const Failure failure =
      failureOf("get", json::parse(R"({"code":429,"details":{"retryAfterSeconds":5}})"));

  BOOST_TEST(failure.retry_after.value().count() == 5);
}

BOOST_AUTO_TEST_CASE(waits_no_longer_than_two_minutes_whatever_a_server_says) {
  const Failure failure =
      failureOf("get", json::parse(R"({"code":429,"details":{"retryAfterSeconds":99999999}})"));

  BOOST_TEST(failure.retry_after.value().count() == 120);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::client_test
