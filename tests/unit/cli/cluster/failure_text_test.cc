#include "cli/cluster/failure_text.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
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

BOOST_AUTO_TEST_CASE(names_what_was_asked_where_and_what_to_do) {
  const Asked log{
      .verb = "get", .resource = kube::kPods, .subresource = "log", .name_space = {}, .name = {}};
  test::Transcript said;
  said.add("a missing type",
           words(404, "404: the server could not find the requested resource", kGet));
  said.add("a missing page", words(404, "404: 404 page not found", kGet));
  said.add("a missing object",
           words(404, "404 NotFound: trainingjobs.sumac.dev \"lenet5\" not found", kGet));
  said.add("forbidden", words(403, "User \"bob\" cannot", kGet));
  said.add("a forbidden log of all namespaces", words(403, "no", log));
  said.add("credentials", words(401, "401 Unauthorized", kGet));
  said.add("silence", words(0, "connection refused", kGet));
  said.add("an invalid object", words(422, "spec.worker: Invalid value", kGet));
  test::checkGolden("cli/cluster/failures.txt", said.text());
}

BOOST_AUTO_TEST_CASE(keeps_control_characters_from_the_terminal) {
  BOOST_TEST(oneLine("a\x1b[31m\r\n\n  b\x7f") == "a [31m b ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::failure_text_test
