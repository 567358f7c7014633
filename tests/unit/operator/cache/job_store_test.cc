#include "operator/cache/job_store.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "kube/api/json.h"
#include "tests/unit/operator/cache/objects.h"

namespace sumac::cache::job_store_test {
namespace {

using Texts = std::vector<std::string>;

struct Fixture {
  Texts changed;
  JobStore store{[this](const api::ObjectKey& key) { changed.push_back(key.text()); },
                 Log::discarding()};

  void list(const std::vector<nlohmann::json>& objects) {
    store.replaceBegin();
    for (const auto& object : objects)
      store.upsert(object);
    store.replaceEnd();
  }

  std::string versionOf(const std::string& name) const {
    const auto job = store.find({"ns", name});
    return job ? job->meta.resource_version : "none";
  }

  /// As if we had written the status of what is there and the API server had answered.
  void write(const std::string& name, const std::string& version) {
    auto job = std::make_shared<api::TrainingJob>(*store.find({"ns", name}));
    job->meta.resource_version = version;
    store.overlay(std::move(job));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(job_store, Fixture)

BOOST_AUTO_TEST_CASE(a_list_makes_its_jobs_known_all_at_once) {
  store.replaceBegin();
  store.upsert(aJob("a", "1"));
  BOOST_TEST(versionOf("a") == "none");
  BOOST_TEST(changed.empty());

  store.replaceEnd();

  BOOST_TEST(versionOf("a") == "1");
  BOOST_TEST((store.keyOf({"ns", "uid-of-a"}) == api::ObjectKey{"ns", "a"}));
  BOOST_TEST(changed == Texts({"ns/a"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_second_list_deletes_what_it_does_not_have_and_tells_only_changes) {
  list({aJob("same", "1"), aJob("moved", "2"), aJob("gone", "3")});
  changed.clear();

  list({aJob("same", "1"), aJob("moved", "4")});

  BOOST_TEST(versionOf("gone") == "none");
  BOOST_TEST(!store.keyOf({"ns", "uid-of-gone"}).has_value());
  BOOST_TEST(changed == Texts({"ns/gone", "ns/moved"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_that_begins_anew_forgets_its_first_half) {
  store.replaceBegin();
  store.upsert(aJob("early", "1"));
  store.replaceBegin();
  store.upsert(aJob("late", "2"));
  store.replaceEnd();

  BOOST_TEST(versionOf("early") == "none");
  BOOST_TEST(versionOf("late") == "2");
}

BOOST_AUTO_TEST_CASE(events_change_and_remove_jobs) {
  store.upsert(aJob("a", "1"));
  store.upsert(aJob("a", "2"));
  BOOST_TEST(versionOf("a") == "2");

  store.remove(aJob("a", "3"));

  BOOST_TEST(versionOf("a") == "none");
  BOOST_TEST(changed.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_successor_of_the_same_name_takes_its_place_and_only_its_uid_counts) {
  list({aJob("a", "1", "Running", "first")});

  store.upsert(aJob("a", "2", "", "second"));

  BOOST_TEST(!store.keyOf({"ns", "first"}).has_value());
  BOOST_TEST((store.keyOf({"ns", "second"}) == api::ObjectKey{"ns", "a"}));
  BOOST_TEST(store.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_job_controls_nothing_outside_its_namespace) {
  list({aJob("a", "1")});

  BOOST_TEST(!store.keyOf({"a-stranger", "uid-of-a"}).has_value());
}

BOOST_AUTO_TEST_CASE(our_own_write_is_used_until_the_watch_has_that_very_version) {
  list({aJob("a", "1")});

  write("a", "5");
  BOOST_TEST(versionOf("a") == "5");
  store.upsert(aJob("a", "3"));  // from before our write
  BOOST_TEST(versionOf("a") == "5");
  store.upsert(aJob("a", "5"));
  store.upsert(aJob("a", "6"));

  BOOST_TEST(versionOf("a") == "6");
}

BOOST_AUTO_TEST_CASE(a_write_that_the_watch_delivered_before_we_knew_is_not_laid_over_newer_news) {
  list({aJob("a", "1")});
  auto answer = std::make_shared<api::TrainingJob>(*store.find({"ns", "a"}));
  answer->meta.resource_version = "2";
  store.upsert(aJob("a", "2"));
  store.upsert(aJob("a", "3"));

  store.overlay(answer);

  BOOST_TEST(versionOf("a") == "3");
}

BOOST_AUTO_TEST_CASE(a_list_from_before_our_write_does_not_undo_it) {
  list({aJob("a", "1")});
  write("a", "2");
  write("a", "3");

  list({aJob("a", "1")});
  BOOST_TEST(versionOf("a") == "3");
  list({aJob("a", "2")});
  BOOST_TEST(versionOf("a") == "3");
}

BOOST_AUTO_TEST_CASE(a_list_from_after_our_write_is_believed) {
  list({aJob("a", "1")});
  write("a", "2");

  list({aJob("a", "7")});

  BOOST_TEST(versionOf("a") == "7");
}

BOOST_AUTO_TEST_CASE(a_write_to_a_job_that_is_gone_brings_nothing_back) {
  list({aJob("a", "1", "Running", "first")});
  const auto old = store.find({"ns", "a"});

  store.remove(aJob("a", "2"));
  store.overlay(old);
  BOOST_TEST(versionOf("a") == "none");

  store.upsert(aJob("a", "3", "", "second"));
  store.overlay(old);
  BOOST_TEST(versionOf("a") == "3");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_counted_and_skipped) {
  list({aJob("a", "1")});
  auto broken = aJob("a", "2");
  broken["metadata"]["uid"] = 7;

  store.upsert(broken);
  store.upsert(nlohmann::json::array());
  store.upsert(nlohmann::json(nullptr));
  store.remove(nlohmann::json("text"));

  BOOST_TEST(versionOf("a") == "none");  // what it says now, nobody knows
  BOOST_TEST(store.refused() == 3U);
}

BOOST_AUTO_TEST_CASE(only_what_is_used_of_a_job_is_kept) {
  auto finished = aJob("finished", "1", "Succeeded");
  finished["status"]["conditions"] = {{{"type", "Succeeded"},
                                       {"status", "True"},
                                       {"lastTransitionTime", "2026-01-31T12:00:00Z"},
                                       {"reason", "Completed"},
                                       {"message", ""}}};
  auto labelled = aJob("labelled", "1");
  labelled["metadata"]["labels"] = {{"team", "vision"}};

  list({finished, labelled});

  BOOST_TEST(store.find({"ns", "finished"})->status.isFinished());
  BOOST_TEST(store.find({"ns", "finished"})->document->empty());
  BOOST_TEST(!store.find({"ns", "labelled"})->document->empty());
  BOOST_TEST(store.find({"ns", "labelled"})->meta.labels.empty());
}

BOOST_AUTO_TEST_CASE(a_document_is_found_as_it_was_read) {
  auto object = aJob("a", "1");
  object["spec"] = {{"worker", {{"replicas", 2}}}, {"training", {{"seed", 1.5}}}};
  list({object});
  const JsonTree document = api::jobFromJson(object)->document;
  BOOST_TEST((store.find({"ns", "a"})->document == document));

  write("a", "2");

  BOOST_TEST(versionOf("a") == "2");
  BOOST_TEST((store.find({"ns", "a"})->document == document));
}

BOOST_AUTO_TEST_CASE(jobs_are_counted_by_state) {
  list({aJob("a", "1", "Running"), aJob("b", "1", "Running"), aJob("c", "1", "")});
  store.upsert(aJob("b", "2", "Succeeded"));

  const std::map<std::string, int> expected = {{"New", 1}, {"Running", 1}, {"Succeeded", 1}};
  BOOST_TEST((store.countByState() == expected));
  store.remove(aJob("a", "3"));
  BOOST_TEST(store.countInState("Running") == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cache::job_store_test
