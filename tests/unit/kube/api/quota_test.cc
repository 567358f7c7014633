#include "kube/api/quota.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace sumac::api::quota_test {
namespace {

using nlohmann::json;

ResourceQuota aQuota(const std::string& hard, const std::string& used) {
  const json object{{"metadata", {{"namespace", "ns"}, {"name", "few"}, {"uid", "u"}}},
                    {"status", {{"hard", json::parse(hard)}, {"used", json::parse(used)}}}};
  const auto quota = quotaFromJson(object);
  BOOST_TEST_REQUIRE(quota.has_value());
  return *quota;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quota)

BOOST_AUTO_TEST_CASE(reads_numbers_as_kubernetes_writes_them) {
  BOOST_TEST(quantityOf("2").value() == 2);
  BOOST_TEST(quantityOf("+0.5").value() == 0.5);
  BOOST_TEST(quantityOf("-1").value() == -1);
  BOOST_TEST(quantityOf("500m").value() == 0.5);
  BOOST_TEST(quantityOf("1Gi").value() == 1073741824.0);
  BOOST_TEST(quantityOf("1G").value() == 1e9);
  BOOST_TEST(quantityOf("1e3").value() == 1000);
  BOOST_TEST(quantityOf("2E").value() == 2e18);
  for (const char* const none : {"", "+", "Gi", "1 ", "1Gib", "nan", "inf", "1e999", "--1"})
    BOOST_TEST(!quantityOf(none).has_value(), none);
}

BOOST_AUTO_TEST_CASE(reads_what_the_api_server_admits_by) {
  const ResourceQuota quota = aQuota(R"({"pods": "4", "limits.cpu": "1500m", "odd": "many"})",
                                     R"({"pods": "2", "limits.cpu": "1"})");
  BOOST_TEST(quota.key.text() == "ns/few");
  BOOST_TEST((quota.hard == std::map<std::string, double>{{"pods", 4}, {"limits.cpu", 1.5}}));
  BOOST_TEST((quota.used == std::map<std::string, double>{{"pods", 2}, {"limits.cpu", 1}}));
}

BOOST_AUTO_TEST_CASE(names_what_it_cannot_read) {
  const auto unread = quotaFromJson(
      {{"metadata", {{"name", "few"}, {"uid", "u"}}}, {"status", {{"hard", {{"pods", 4}}}}}});
  BOOST_TEST_REQUIRE(!unread.has_value());
  BOOST_TEST(unread.error().message.find("status.hard[pods]") != std::string::npos);
  BOOST_TEST(!quotaFromJson(json::array()).has_value());
}

BOOST_AUTO_TEST_CASE(knows_which_quota_refused_and_what) {
  const QuotaLack lack{.quota = "few", .requested = "limits.cpu=1,pods=1"};
  BOOST_TEST((quotaLackOf("pods \"a\" is forbidden: exceeded quota: few, requested: "
                          "limits.cpu=1,pods=1, used: limits.cpu=2,pods=2, limited: "
                          "limits.cpu=2,pods=2") == lack));
  for (const char* const other :
       {"", "exceeded quota: few", "failed quota: few: must specify limits.cpu", "requested: a=1"})
    BOOST_TEST(!quotaLackOf(other).has_value(), other);
}

BOOST_AUTO_TEST_CASE(has_room_for_what_fits_of_everything) {
  const auto room = [](const char* used, const char* requested) {
    return roomIn(aQuota(R"({"pods": "4", "limits.cpu": "1500m"})", used), requested);
  };
  BOOST_TEST(room(R"({"pods": "2"})", "pods=1").value() == 2);
  BOOST_TEST(room(R"({"pods": "4"})", "pods=1").value() == 0);
  BOOST_TEST(room(R"({"pods": "9"})", "pods=1").value() == 0);
  BOOST_TEST(room("{}", "limits.cpu=500m,pods=1").value() == 3);
  BOOST_TEST(room(R"({"limits.cpu": "1200m"})", "limits.cpu=100m").value() == 3);
  BOOST_TEST(room("{}", "requests.storage=1Gi").value() == 1'000'000);
}

BOOST_AUTO_TEST_CASE(knows_no_room_for_what_it_cannot_read) {
  const ResourceQuota quota = aQuota(R"({"pods": "4"})", "{}");
  for (const char* const odd :
       {"", ",", "pods", "pods=", "pods=0", "pods=-1", "pods=1,", "=", "pods=1,cpu"})
    BOOST_TEST(!roomIn(quota, odd).has_value() == (std::string(odd) != "pods=1,"), odd);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::api::quota_test
