#include "cli/cluster/log_choice.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "kube/client/http_text.h"
#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::log_choice_test {

namespace {

LogChoice choice() {
  LogChoice choice;
  choice.job = "lenet5";
  return choice;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(log_choice)

BOOST_AUTO_TEST_CASE(reads_members_in_every_spelling) {
  for (const char* text : {"worker-1", "lenet5-worker-1"}) {
    const auto member = withMember(choice(), text);
    BOOST_REQUIRE(member);
    BOOST_TEST((member->role == Role::kWorker));
    BOOST_TEST(member->index.value_or(-1) == 1);
  }
  const auto role = withMember(choice(), "server");
  BOOST_REQUIRE(role);
  BOOST_TEST((role->role == Role::kServer));
  BOOST_TEST(!role->index.has_value());
}

BOOST_DATA_TEST_CASE(refuses_what_is_no_member,
                     boost::unit_test::data::make({"", "worker-", "worker--1", "worker-1x",
                                                   "chief-0", "worker-99999999999",
                                                   "other-worker-1"}),
                     text) {
  BOOST_TEST(!withMember(choice(), text));
}

BOOST_AUTO_TEST_CASE(refuses_contradictions) {
  LogChoice servers = choice();
  servers.role = Role::kServer;
  BOOST_TEST(!withMember(servers, "worker-1"));

  LogChoice second = choice();
  second.index = 2;
  BOOST_TEST(!withMember(second, "worker-1"));
  BOOST_TEST(*withMember(second, "worker")->index == 2);
}

BOOST_AUTO_TEST_CASE(chooses_by_role_index_and_attempt) {
  const api::Pod pod = podOf(podObject("worker", 1, 3));
  LogChoice right = *withMember(choice(), "worker-1");
  right.attempt = 3;
  LogChoice wrong = right;
  wrong.attempt = 2;

  BOOST_TEST(isChosen(choice(), pod));
  BOOST_TEST(isChosen(right, pod));
  BOOST_TEST(!isChosen(wrong, pod));
  BOOST_TEST(!isChosen(*withMember(choice(), "server"), pod));
  BOOST_TEST(!isChosen(*withMember(choice(), "worker-2"), pod));
}

BOOST_AUTO_TEST_CASE(knows_that_a_waiting_pod_has_no_log) {
  nlohmann::json pod = podObject("worker", 1);
  BOOST_TEST(hasLog(podOf(pod)));
  pod["status"]["containerStatuses"][0]["state"] = {{"terminated", {{"exitCode", 1}}}};
  BOOST_TEST(hasLog(podOf(pod)));
  pod["status"]["containerStatuses"][0]["state"] = {{"waiting", {{"reason", "ImagePullBackOff"}}}};
  BOOST_TEST(!hasLog(podOf(pod)));
}

BOOST_AUTO_TEST_CASE(asks_for_the_main_container_and_no_more_than_wanted) {
  LogChoice wanted = choice();
  wanted.tail = 10;
  wanted.since = std::chrono::minutes(5);
  const api::ObjectKey pod{"default", "lenet5-worker-1"};

  BOOST_TEST(kube::targetOf(logRequest(wanted, pod, false, false, "")) ==
             "/api/v1/namespaces/default/pods/lenet5-worker-1/log?container=sumac&tailLines=10&"
             "sinceSeconds=300");
  // Going on after a lost connection, tail and since are over.
  BOOST_TEST(kube::targetOf(logRequest(wanted, pod, true, true, "2026-01-31T12:00:00Z")) ==
             "/api/v1/namespaces/default/pods/lenet5-worker-1/log?container=sumac&follow=true&"
             "timestamps=true&sinceTime=2026-01-31T12%3A00%3A00Z");
}

BOOST_AUTO_TEST_CASE(a_tail_of_minus_one_is_all_lines) {
  LogChoice wanted = choice();
  wanted.tail = -1;

  BOOST_TEST(kube::targetOf(logRequest(wanted, {"default", "a"}, false, false, "")) ==
             "/api/v1/namespaces/default/pods/a/log?container=sumac");
}

BOOST_AUTO_TEST_CASE(colours_prefixes_only_where_there_are_colours) {
  BOOST_TEST(prefixOf({Role::kWorker, 1}, false) == "[worker-1] ");
  BOOST_TEST(prefixOf({Role::kWorker, 0}, true) == "\x1b[36m[worker-0]\x1b[0m ");
  BOOST_TEST(prefixOf({Role::kServer, 0}, true) != prefixOf({Role::kWorker, 0}, true));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::log_choice_test
