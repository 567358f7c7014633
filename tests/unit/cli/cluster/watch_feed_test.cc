#include "cli/cluster/watch_feed.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::watch_feed_test {

namespace {

struct Fixture {
  std::vector<std::string> changes;
  ChangeSink sink{[this](const Change& change) {
    changes.push_back((change.is_removed ? "-" : "+") +
                      change.object->at("metadata").at("name").get<std::string>());
  }};

  void list(const std::vector<std::string>& names) {
    changes.clear();
    sink.replaceBegin();
    for (const std::string& name : names)
      sink.upsert(jobObject(name));
    sink.replaceEnd();
  }
  void expect(const std::vector<std::string>& expected) {
    BOOST_TEST(changes == expected, boost::test_tools::per_element());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(change_sink, Fixture)

BOOST_AUTO_TEST_CASE(tells_what_a_list_has_and_what_it_has_no_more) {
  list({"one", "two"});
  expect({"+one", "+two"});

  list({"two", "three"});
  expect({"+three", "-one"});
}

BOOST_AUTO_TEST_CASE(begins_anew_when_a_list_broke_off) {
  list({"one"});
  changes.clear();

  sink.replaceBegin();
  sink.upsert(jobObject("one"));
  sink.replaceBegin();
  sink.replaceEnd();

  expect({"-one"});
}

BOOST_AUTO_TEST_CASE(tells_changes_and_deletes_of_a_watch_once) {
  list({"one"});
  changes.clear();
  nlohmann::json changed = jobObject("one");
  changed["spec"]["suspend"] = true;

  sink.upsert(changed);
  sink.upsert(changed);
  sink.remove(changed);

  expect({"+one", "-one"});
  list({});
  expect({});
}

BOOST_AUTO_TEST_CASE(tells_a_successor_from_its_namesake) {
  list({"one"});
  changes.clear();
  nlohmann::json successor = jobObject("one");
  successor["metadata"]["uid"] = "another";

  sink.replaceBegin();
  sink.upsert(successor);
  sink.replaceEnd();

  expect({"+one", "-one"});
}

BOOST_AUTO_TEST_CASE(leaves_out_what_has_no_uid) {
  sink.upsert({{"metadata", {{"name", "x"}}}});
  sink.upsert(nlohmann::json::array());

  expect({});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::watch_feed_test
