#include "cli/cluster/job_columns.h"

#include <boost/test/unit_test.hpp>

#include "job/document/crd.h"
#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::job_columns_test {

namespace {

api::TrainingJob running() {
  nlohmann::json object = jobObject();
  object["status"] = statusObject("Running", condition("Running", "Running"));
  object["status"]["progress"] = progressObject(20);
  return jobOf(object);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_columns)

BOOST_AUTO_TEST_CASE(shows_the_columns_of_the_crd) {
  const std::string crd = job::crd();
  for (const std::string& name : jobHeader({false, true})) {
    if (name == "NAME") continue;
    const std::string column = name.substr(0, 1) + [&name] {
      std::string rest = name.substr(1, name.find('(') - 1);
      for (char& c : rest)
        c = static_cast<char>(c - 'A' + 'a');
      return rest;
    }();
    BOOST_TEST(contains(crd, "name: " + column), column);
  }
}

BOOST_AUTO_TEST_CASE(shows_a_job_that_trains) {
  GrowingTable table(jobHeader({}));

  BOOST_TEST(table.add({jobRow(running(), {}, at("12:03:20"))}) ==
             "NAME     STATE     WORKERS   PROGRESS(%)   RESTARTS   AGE\n"
             "lenet5   Running   2/2       20            0          3m20s\n");
}

BOOST_AUTO_TEST_CASE(shows_more_when_wide_and_the_namespace_when_asked) {
  const auto row = jobRow(running(), {true, true}, at("12:03:20"));

  const std::vector<std::string> expected = {"default", "lenet5", "Running", "2/2",       "20", "0",
                                             "3m20s",   "120",    "0.43127", "12345.678", ""};
  BOOST_TEST(row == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(shows_what_a_job_waits_for) {
  const auto job = jobIn("Pending", condition("Running", "QuotaExceeded", "no room", "False"));

  BOOST_TEST(jobRow(job, {false, true}, at("12:03:20")).back() == "no room");
}

BOOST_AUTO_TEST_CASE(shows_why_a_job_failed) {
  const auto job = jobIn("Failed", condition("Failed", "InvalidSpec", "spec.x:\n  bad"));

  BOOST_TEST(jobRow(job, {false, true}, at("12:03:20")).back() == "spec.x: bad");
}

BOOST_AUTO_TEST_CASE(shows_a_job_that_nobody_has_seen_yet) {
  BOOST_TEST(stateOf(jobOf(jobObject())) == "Pending");
  nlohmann::json object = jobObject();
  object["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:01Z";
  BOOST_TEST(stateOf(jobOf(object)) == "Deleting");
}

BOOST_AUTO_TEST_CASE(grows_without_repeating_its_header_or_narrowing) {
  GrowingTable table({"NAME", "STATE"});

  BOOST_TEST(table.add({{"long-name", "a"}}) == "NAME        STATE\nlong-name   a\n");
  BOOST_TEST(table.add({{"x", "b"}}) == "x           b\n");
  BOOST_TEST(table.add({{"even-longer-name", "c"}, {"y", "d"}}) ==
             "even-longer-name   c\ny                  d\n");
  BOOST_TEST(table.add({}) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::job_columns_test
