#include "operator/cache/pod_store.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/cache/objects.h"

namespace sumac::cache::pod_store_test {
namespace {

using Texts = std::vector<std::string>;

struct Fixture {
  Texts changed;  // "name of controller"
  PodStore store{"sumac.dev/job-name",
                 [this](const api::Pod& pod) {
                   changed.push_back(pod.meta.key.name + " of " + pod.meta.controller_uid);
                 },
                 Log::discarding()};

  void list(const std::vector<nlohmann::json>& objects) {
    store.replaceBegin();
    for (const auto& object : objects)
      store.upsert(object);
    store.replaceEnd();
  }

  Texts ownedBy(const std::string& uid) const {
    Texts names;
    for (const auto& pod : store.ownedBy({"ns", uid}))
      names.push_back(pod->meta.key.name);
    return names;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pod_store, Fixture)

BOOST_AUTO_TEST_CASE(finds_pods_by_the_uid_of_their_controller) {
  list({aPod("b", "1", "mnist", "new"), aPod("a", "2", "mnist", "new"),
        aPod("c", "3", "mnist", "old")});

  BOOST_TEST(ownedBy("new") == Texts({"a", "b"}), boost::test_tools::per_element());
  BOOST_TEST(ownedBy("old") == Texts({"c"}), boost::test_tools::per_element());
  BOOST_TEST(ownedBy("none").empty());
  BOOST_TEST(store.find({"ns", "c"})->meta.controller_uid == "old");
  BOOST_TEST((store.find({"ns", "d"}) == nullptr));
}

BOOST_AUTO_TEST_CASE(pods_of_other_namespaces_with_the_same_owner_are_not_the_jobs) {
  list({aPod("a", "1", "mnist", "u"), aPod("a", "2", "mnist", "u", "a-stranger"),
        aPod("a", "3", "mnist", "u", "z-stranger")});
  BOOST_TEST(ownedBy("u") == Texts({"a"}), boost::test_tools::per_element());

  store.upsert(aPod("b", "4", "mnist", "u", "a-stranger"));
  BOOST_TEST(ownedBy("u") == Texts({"a"}), boost::test_tools::per_element());
  BOOST_TEST(store.ownedBy({"a-stranger", "u"}).size() == 2U);

  store.remove(aPod("a", "5", "mnist", "u", "a-stranger"));
  BOOST_TEST(ownedBy("u") == Texts({"a"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_second_list_deletes_what_it_does_not_have_and_tells_only_changes) {
  list({aPod("same", "1", "j", "u"), aPod("moved", "2", "j", "u"), aPod("gone", "3", "j", "v")});
  changed.clear();
  const auto same = store.find({"ns", "same"});

  list({aPod("same", "1", "j", "u"), aPod("moved", "4", "j", "u"), aPod("new", "5", "j", "u")});

  BOOST_TEST((store.find({"ns", "same"}) == same));  // not kept twice
  BOOST_TEST(ownedBy("v").empty());
  BOOST_TEST(ownedBy("u").size() == 3U);
  BOOST_TEST(changed == Texts({"gone of v", "moved of u", "new of u"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_is_not_seen_before_it_is_complete) {
  list({aPod("a", "1", "j", "u")});

  store.replaceBegin();
  store.upsert(aPod("b", "2", "j", "u"));

  BOOST_TEST(ownedBy("u") == Texts({"a"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_pod_that_changes_hands_wakes_both_jobs) {
  list({aPod("a", "1", "j", "u")});
  changed.clear();

  store.upsert(aPod("a", "2", "j", "v"));

  BOOST_TEST(changed == Texts({"a of u", "a of v"}), boost::test_tools::per_element());
  BOOST_TEST(ownedBy("u").empty());
}

BOOST_AUTO_TEST_CASE(a_deleted_pod_wakes_the_job_that_it_was_known_by) {
  list({aPod("a", "1", "j", "u")});
  changed.clear();

  store.remove(aPod("a", "2", "j", "other"));
  store.remove(aPod("a", "2", "j", "u"));

  BOOST_TEST(changed == Texts({"a of u"}), boost::test_tools::per_element());
  BOOST_TEST(store.size() == 0U);
}

BOOST_AUTO_TEST_CASE(an_event_that_repeats_what_is_known_wakes_nobody) {
  list({aPod("a", "1", "j", "u")});
  changed.clear();

  store.upsert(aPod("a", "1", "j", "u"));

  BOOST_TEST(changed.empty());
}

BOOST_AUTO_TEST_CASE(of_labels_only_the_one_with_the_job_stays) {
  list({aPod("a", "1", "mnist", "u")});

  const auto pod = store.find({"ns", "a"});

  BOOST_TEST(pod->meta.labels.size() == 1U);
  BOOST_TEST(pod->meta.labels.at("sumac.dev/job-name") == "mnist");
  BOOST_TEST(pod->is_ours);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_counted_and_skipped) {
  list({aPod("a", "1", "j", "u")});
  auto broken = aPod("a", "2", "j", "u");
  broken["metadata"].erase("uid");

  store.upsert(broken);
  store.upsert(nlohmann::json(3));

  BOOST_TEST(store.size() == 0U);
  BOOST_TEST(store.refused() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cache::pod_store_test
