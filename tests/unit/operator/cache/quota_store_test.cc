#include "operator/cache/quota_store.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/operator/cache/objects.h"

namespace sumac::cache::quota_store_test {
namespace {

using Texts = std::vector<std::string>;

struct Fixture {
  Texts with_room;
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "log";
  QuotaStore store{[this](const std::string& name_space) { with_room.push_back(name_space); },
                   *Log::toFile(file, LogLevel::kDebug)};

  void list(const std::vector<nlohmann::json>& objects) {
    store.replaceBegin();
    for (const auto& object : objects)
      store.upsert(object);
    store.replaceEnd();
  }

  /// "few 2/4"; nothing: it is not known.
  std::optional<Texts> of(const std::string& name_space) const {
    const auto quotas = store.of(name_space);
    if (!quotas) return std::nullopt;
    Texts texts;
    for (const auto& quota : *quotas)
      texts.push_back(quota->key.name + " " +
                      std::to_string(static_cast<int>(quota->used.at("pods"))) + "/" +
                      std::to_string(static_cast<int>(quota->hard.at("pods"))));
    return texts;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(quota_store, Fixture)

BOOST_AUTO_TEST_CASE(knows_nothing_before_the_first_list) {
  BOOST_TEST(!of("ns").has_value());
  store.replaceBegin();
  store.upsert(aQuota("few", 4, 2));
  BOOST_TEST(!of("ns").has_value());
  store.replaceEnd();
  BOOST_TEST(of("ns").value() == Texts({"few 2/4"}), boost::test_tools::per_element());
  BOOST_TEST(of("other").value().empty());
}

BOOST_AUTO_TEST_CASE(keeps_those_of_each_namespace) {
  list({aQuota("few", 4, 2), aQuota("more", 9, 1), aQuota("few", 1, 0, "n"),
        aQuota("z", 5, 5, "nsa")});
  BOOST_TEST(of("ns").value() == Texts({"few 2/4", "more 1/9"}), boost::test_tools::per_element());
  store.remove(aQuota("few", 4, 2));
  store.upsert(aQuota("more", 9, 3));
  BOOST_TEST(of("ns").value() == Texts({"more 3/9"}), boost::test_tools::per_element());
  BOOST_TEST(store.size() == 3U);
}

BOOST_AUTO_TEST_CASE(tells_of_more_room_alone) {
  list({aQuota("few", 4, 4)});
  store.upsert(aQuota("few", 2, 4));
  store.upsert(aQuota("few", 2, 2));
  BOOST_TEST(with_room.size() == 1U);
  store.upsert(aQuota("few", 2, 2));
  store.upsert(aQuota("other", 2, 2));
  BOOST_TEST(with_room.size() == 1U);
  store.upsert(aQuota("few", 4, 2));
  BOOST_TEST(with_room.size() == 2U);
  nlohmann::json of_others = aQuota("few", 4, 2);
  of_others["status"] = {{"hard", {{"services", "1"}}}};
  store.upsert(of_others);
  store.remove(of_others);
  store.remove(of_others);
  BOOST_TEST(with_room == Texts(4, "ns"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(tells_of_what_a_gap_in_the_watch_hid) {
  list({aQuota("few", 2, 2), aQuota("gone", 2, 2, "other")});
  list({aQuota("few", 4, 2)});
  BOOST_TEST(with_room == Texts({"ns", "other"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(skips_and_counts_what_it_cannot_read) {
  list({aQuota("few", 4, 2)});
  nlohmann::json odd = aQuota("few", 4, 2);
  odd["status"] = "full";
  store.upsert(odd);
  store.upsert(nlohmann::json::array());
  BOOST_TEST(of("ns").value().empty());
  BOOST_TEST(store.refused() == 2U);
}

BOOST_AUTO_TEST_CASE(says_once_that_they_are_forbidden_and_knows_nothing_until_they_are_not) {
  const auto said = [this] {
    const std::string text = *readTextFile(file, 1 << 20);
    return std::ranges::count(text, '\n');
  };
  list({aQuota("few", 4, 2)});
  for (int i = 0; i < 3; ++i) {
    store.replaceBegin();
    store.forbid("no");
  }
  BOOST_TEST(!of("ns").has_value());
  BOOST_TEST(said() == 1);
  list({aQuota("few", 4, 2)});
  BOOST_TEST(of("ns").has_value());
  BOOST_TEST(with_room.empty());
  store.replaceBegin();
  store.forbid("no");
  BOOST_TEST(said() == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cache::quota_store_test
