#include "kube/api/storage.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace sumac::api::storage_test {

using nlohmann::json;

namespace {

bool isKept(const char* output, const char* pod_template = "null") {
  const json document = {{"spec", {{"output", json::parse(output)}}}};
  return outlivesPod(document, "output", json::parse(pod_template));
}

constexpr const char* kMounts = R"({"spec": {
  "volumes": [{"name": "mine", "persistentVolumeClaim": {"claimName": "c"}},
              {"name": "fast", "emptyDir": {}}],
  "containers": [{"name": "sidecar", "volumeMounts": [{"name": "mine", "mountPath": "/side"}]},
                 {"name": "sumac", "volumeMounts": [{"name": "mine", "mountPath": "/store/"},
                                                    {"name": "fast", "mountPath": "/fast"}]}]}})";

}  // namespace

BOOST_AUTO_TEST_SUITE(storage)

BOOST_AUTO_TEST_CASE(a_volume_is_kept_unless_it_is_an_empty_dir) {
  BOOST_TEST(isKept(R"({"path": "/o", "volume": {"persistentVolumeClaim": {"claimName": "c"}}})"));
  BOOST_TEST(isKept(R"({"path": "/o", "volume": {"hostPath": {"path": "/h"}, "subPath": "a"}})"));
  BOOST_TEST(!isKept(R"({"path": "/o", "volume": {"emptyDir": {}}})"));
  BOOST_TEST(!isKept(R"({"path": "/o"})"));
}

BOOST_AUTO_TEST_CASE(what_the_template_mounts_for_the_main_container_counts) {
  BOOST_TEST(isKept(R"({"path": "/store/models"})", kMounts));
  BOOST_TEST(isKept(R"({"path": "store"})", kMounts));
  BOOST_TEST(!isKept(R"({"path": "/storehouse"})", kMounts));
  BOOST_TEST(!isKept(R"({"path": "/fast/models"})", kMounts));
  BOOST_TEST(!isKept(R"({"path": "/side"})", kMounts));
}

BOOST_AUTO_TEST_CASE(checkpoints_have_a_folder_that_need_not_be_said) {
  const auto isKept = [](const char* spec) {
    return outlivesPod({{"spec", json::parse(spec)}}, "checkpoint", json());
  };
  BOOST_TEST(
      isKept(R"({"checkpoint": {"volume": {"persistentVolumeClaim": {"claimName": "c"}}}})"));
  BOOST_TEST(!isKept(R"({"checkpoint": {"volume": {"emptyDir": {}}}})"));
  BOOST_TEST(!isKept(R"({"checkpoint": {}})"));
  BOOST_TEST(!isKept("{}"));
}

BOOST_AUTO_TEST_CASE(what_is_absent_or_malformed_is_not_kept) {
  for (const char* document : {"null", "{}", R"({"spec": 3})", R"({"spec": {"output": []}})"}) {
    BOOST_TEST(!outlivesPod(json::parse(document), "output", json()), document);
  }
  BOOST_TEST(!isKept(R"({"path": 3, "volume": "x"})", R"({"spec": {"containers": {}}})"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::api::storage_test
