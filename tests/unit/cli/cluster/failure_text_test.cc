#include "cli/cluster/failure_text.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::failure_text_test {

namespace {

const std::string kServer = "https://lab:6443";

std::string words(int status, const std::string& message, const Asked& asked) {
  return inWords(kube::Failure{status, "", message, {}}, asked, kServer);
}

const Asked kGet{.verb = "get", .name_space = "training", .name = "lenet5"};

}  // namespace

BOOST_AUTO_TEST_SUITE(failure_text)

BOOST_AUTO_TEST_CASE(tells_a_missing_type_from_a_missing_object) {
  const std::string type = words(
      404, "list trainingjobs: 404 NotFound: the server could not find the requested resource",
      kGet);
  const std::string object =
      words(404, "404 NotFound: trainingjobs.sumac.dev \"lenet5\" not found", kGet);

  BOOST_TEST(contains(type, "kubectl apply -k deploy"));
  BOOST_TEST(contains(type, kServer));
  BOOST_TEST(contains(words(404, "404: 404 page not found", kGet), "kubectl apply -k deploy"));
  BOOST_TEST(object ==
             "TrainingJob training/lenet5 does not exist; `sumac get -A` lists all jobs.");
}

BOOST_AUTO_TEST_CASE(names_verb_type_and_place_where_something_is_forbidden) {
  const std::string get = words(403, "User \"bob\" cannot", kGet);
  const std::string log = words(
      403, "no",
      {.verb = "get", .resource = kube::kPods, .subresource = "log", .name_space = {}, .name = {}});

  BOOST_TEST(contains(get, "you may not get trainingjobs.sumac.dev in namespace training"));
  BOOST_TEST(contains(get, "`kubectl auth can-i get trainingjobs.sumac.dev -n training`"));
  BOOST_TEST(contains(get, "User \"bob\" cannot"));
  BOOST_TEST(contains(log, "you may not get pods/log in all namespaces"));
}

BOOST_AUTO_TEST_CASE(says_what_to_do_about_credentials_and_silence) {
  BOOST_TEST(contains(words(401, "401 Unauthorized", kGet), "log in again"));
  BOOST_TEST(contains(words(0, "connection refused", kGet), "is it running"));
  BOOST_TEST(contains(words(0, "connection refused", kGet), "connection refused"));
}

BOOST_AUTO_TEST_CASE(passes_on_what_the_server_says_of_an_object) {
  BOOST_TEST(words(422, "spec.worker: Invalid value", kGet) ==
             "cannot get TrainingJob training/lenet5: spec.worker: Invalid value");
}

BOOST_AUTO_TEST_CASE(keeps_control_characters_from_the_terminal) {
  BOOST_TEST(oneLine("a\x1b[31m\r\n\n  b\x7f") == "a [31m b ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::failure_text_test
