#include "kube/api/template_merge.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"

namespace sumac::api::template_merge_test {
namespace {

using nlohmann::json;

struct Case {
  const char* name;
  const char* base;
  const char* over;
  const char* merged;
};

const Case kCases[] = {
    {"maps merge field by field", R"({"spec": {"a": 1, "m": {"x": 1}}})",
     R"({"spec": {"b": 2, "m": {"y": 2}}})",
     R"({"spec": {"a": 1, "b": 2, "m": {"x": 1, "y": 2}}})"},
    {"null removes a field", R"({"spec": {"a": 1, "m": {"x": 1, "y": 2}}})",
     R"({"spec": {"a": null, "m": {"x": null}}})", R"({"spec": {"m": {"y": 2}}})"},
    {"nulls of what is new vanish", R"({})", R"({"spec": {"m": {"x": null, "y": [{"z": null}]}}})",
     R"({"spec": {"m": {"y": [{}]}}})"},
    {"containers merge by name and keep their order",
     R"({"spec": {"containers": [{"name": "sumac", "a": 1}, {"name": "side", "b": 1}]}})",
     R"({"spec": {"containers": [{"name": "log"}, {"name": "sumac", "c": 2}]}})",
     R"({"spec": {"containers": [{"name": "sumac", "a": 1, "c": 2}, {"name": "side", "b": 1},
         {"name": "log"}]}})"},
    {"env by name, each whole",
     R"({"spec": {"containers": [{"name": "s", "env": [{"name": "A", "value": "1"},
         {"name": "B", "value": "1"}]}]}})",
     R"({"spec": {"containers": [{"name": "s", "env": [{"name": "B", "valueFrom": {"f": {}}},
         {"name": "C", "value": "2"}]}]}})",
     R"({"spec": {"containers": [{"name": "s", "env": [{"name": "A", "value": "1"},
         {"name": "B", "valueFrom": {"f": {}}}, {"name": "C", "value": "2"}]}]}})"},
    {"volumes by name, each whole", R"({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}})",
     R"({"spec": {"volumes": [{"name": "v", "hostPath": {"path": "/x"}}, {"name": "w"}]}})",
     R"({"spec": {"volumes": [{"name": "v", "hostPath": {"path": "/x"}}, {"name": "w"}]}})"},
    {"mounts by their path",
     R"({"spec": {"containers": [{"name": "s", "volumeMounts": [{"mountPath": "/a", "name": "v",
         "subPath": "x"}]}]}})",
     R"({"spec": {"containers": [{"name": "s", "volumeMounts": [{"mountPath": "/a", "name": "w"},
         {"mountPath": "/b", "name": "v"}]}]}})",
     R"({"spec": {"containers": [{"name": "s", "volumeMounts": [{"mountPath": "/a", "name": "w"},
         {"mountPath": "/b", "name": "v"}]}]}})"},
    {"ports by number and protocol",
     R"({"spec": {"containers": [{"name": "s", "ports": [{"containerPort": 1, "name": "a"},
         {"containerPort": 2, "protocol": "TCP"}]}]}})",
     R"({"spec": {"containers": [{"name": "s", "ports": [{"containerPort": 1, "protocol": "TCP"},
         {"containerPort": 2, "protocol": "UDP"}]}]}})",
     R"({"spec": {"containers": [{"name": "s", "ports": [{"containerPort": 1, "protocol": "TCP"},
         {"containerPort": 2, "protocol": "TCP"}, {"containerPort": 2, "protocol": "UDP"}]}]}})"},
    {"gates and pull secrets by name",
     R"({"spec": {"schedulingGates": [{"name": "a"}], "imagePullSecrets": [{"name": "x"}]}})",
     R"({"spec": {"schedulingGates": [{"name": "b"}], "imagePullSecrets": [{"name": "x"}]}})",
     R"({"spec": {"schedulingGates": [{"name": "a"}, {"name": "b"}],
         "imagePullSecrets": [{"name": "x"}]}})"},
    {"other lists are replaced", R"({"spec": {"tolerations": [{"key": "a"}], "x": [1, 2]}})",
     R"({"spec": {"tolerations": [{"key": "b"}], "x": [3]}})",
     R"({"spec": {"tolerations": [{"key": "b"}], "x": [3]}})"},
    {"a probe is replaced whole",
     R"({"spec": {"containers": [{"name": "s", "readinessProbe": {"httpGet": {"path": "/"}}}]}})",
     R"({"spec": {"containers": [{"name": "s", "readinessProbe": {"exec": {}}}]}})",
     R"({"spec": {"containers": [{"name": "s", "readinessProbe": {"exec": {}}}]}})"},
    {"labels merge", R"({"metadata": {"labels": {"a": "1", "b": "1"}}})",
     R"({"metadata": {"labels": {"a": null, "b": "2"}}})",
     R"({"metadata": {"labels": {"b": "2"}}})"},
    {"what is not in the table passes through",
     R"({"spec": {"affinity": {"nodeAffinity": {"a": 1}}}})",
     R"({"spec": {"affinity": {"podAffinity": {"b": [{"c": 1}]}}, "schedulerName": "volcano"}})",
     R"({"spec": {"affinity": {"nodeAffinity": {"a": 1}, "podAffinity": {"b": [{"c": 1}]}},
         "schedulerName": "volcano"}})"},
};

BOOST_AUTO_TEST_SUITE(template_merge)

BOOST_AUTO_TEST_CASE(templates_merge_as_kubernetes_merges_them) {
  for (const Case& merge : kCases) {
    BOOST_TEST_CONTEXT(merge.name) {
      const auto merged = mergeTemplates(json::parse(merge.base), json::parse(merge.over));
      BOOST_REQUIRE_MESSAGE(merged.has_value(), (merged ? "" : merged.error().message));
      BOOST_TEST(*merged == json::parse(merge.merged));
    }
  }
}

BOOST_AUTO_TEST_CASE(merging_nothing_changes_nothing) {
  const json base = json::parse(R"({"spec": {"containers": [{"name": "s"}]}})");
  for (const json& nothing : {json(), json::object()}) {
    const auto merged = mergeTemplates(base, nothing);
    BOOST_TEST_REQUIRE(merged.has_value());
    BOOST_TEST(*merged == base);
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_merged_is_refused_by_the_name_of_the_field) {
  const std::pair<const char*, const char*> wrongs[] = {
      {"[]", "template: "},
      {R"({"spec": 3})", "spec: "},
      {R"({"metadata": {"labels": {"a": 1}}})", "metadata.labels: "},
      {R"({"spec": {"containers": {}}})", "spec.containers: "},
      {R"({"spec": {"containers": [7]}})", "spec.containers: "},
      {R"({"spec": {"containers": [{"image": "x"}]}})", "spec.containers: "},
      {R"({"spec": {"containers": [{"name": "s", "ports": [{"containerPort": "80"}]}]}})",
       "spec.containers[\"s\"].ports: "},
      {R"({"spec": {"containers": [{"name": "s", "env": "A=1"}]}})",
       "spec.containers[\"s\"].env: "},
      {R"({"spec": {"securityContext": true}})", "spec.securityContext: "},
      {R"({"spec": {"tolerations": ["all"]}})", "spec.tolerations: "},
      {R"({"metadata": {"finalizers": ["example.com/hold"]}})", "metadata.finalizers: "},
      {R"({"spec": {"$patch": "replace"}})", "spec.$patch: "},
      {R"({"spec": {"containers": [{"name": "s", "$patch": "delete"}]}})",
       "spec.containers[\"s\"].$patch: "},
  };
  test::Transcript said;
  for (const auto& [over, path] : wrongs) {
    const auto merged = mergeTemplates(json::object(), json::parse(over));
    BOOST_TEST_REQUIRE(!merged.has_value(), over);
    BOOST_TEST(merged.error().message.starts_with(path), merged.error().message);
    said.add(over, merged.error().message);
  }
  test::checkGolden("kube/api/template_merge.txt", said.text());
}

BOOST_AUTO_TEST_CASE(names_what_is_wrong_with_the_templates_of_a_job) {
  const auto messageOf = [](const char* worker, const char* server) {
    const json document = {{"spec",
                            {{"worker", {{"template", json::parse(worker)}}},
                             {"server", {{"template", json::parse(server)}}}}}};
    const auto checked = checkTemplates(document);
    return checked ? std::string() : checked.error().message;
  };
  BOOST_TEST(messageOf("null", "{}") == "");
  BOOST_TEST(messageOf(R"({"spec": {"containers": [{"name": "sumac"}]}})", "{}") == "");
  BOOST_TEST(messageOf(R"({"spec": {"containers": {}}})", "{}")
                 .starts_with("spec.worker.template.spec.containers: "));
  BOOST_TEST(messageOf("{}", R"({"spec": {"volumes": [{}]}})")
                 .starts_with("spec.server.template.spec.volumes: "));
  BOOST_TEST(checkTemplates(json("text")).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::api::template_merge_test
