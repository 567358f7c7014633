#include "kube/api/template_merge.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

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
    {"null takes a field away", R"({"spec": {"a": 1, "m": {"x": 1, "y": 2}}})",
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
  struct Wrong {
    const char* over;
    const char* problem;
  };
  const Wrong wrongs[] = {
      {"[]", "template: must be a map"},
      {R"({"spec": 3})", "spec: must be a map"},
      {R"({"metadata": {"labels": {"a": 1}}})", "metadata.labels: its values must be text"},
      {R"({"spec": {"containers": {}}})", "spec.containers: must be a list"},
      {R"({"spec": {"containers": [7]}})", "spec.containers: its items must be maps"},
      {R"({"spec": {"containers": [{"image": "x"}]}})",
       "spec.containers: each item needs name, a text"},
      {R"({"spec": {"containers": [{"name": "s", "ports": [{"containerPort": "80"}]}]}})",
       "spec.containers[\"s\"].ports: each item needs containerPort, a number"},
      {R"({"spec": {"containers": [{"name": "s", "env": "A=1"}]}})",
       "spec.containers[\"s\"].env: must be a list"},
      {R"({"spec": {"securityContext": true}})", "spec.securityContext: must be a map"},
      {R"({"spec": {"tolerations": ["all"]}})", "spec.tolerations: its items must be maps"},
      {R"({"metadata": {"finalizers": ["example.com/hold"]}})",
       "metadata.finalizers: templates may not have finalizers: the operator may not remove them, "
       "so a pod would keep its name and block every restart; let the controller that removes a "
       "finalizer add it to the pods"},
      {R"({"spec": {"$patch": "replace"}})",
       "spec.$patch: patch directives are not available in templates; null takes a field away"},
      {R"({"spec": {"containers": [{"name": "s", "$patch": "delete"}]}})",
       "spec.containers[\"s\"].$patch: patch directives are not available in templates; null takes "
       "a field away"},
  };
  for (const Wrong& wrong : wrongs) {
    BOOST_TEST_CONTEXT(wrong.over) {
      const auto merged = mergeTemplates(json::object(), json::parse(wrong.over));
      BOOST_TEST_REQUIRE(!merged.has_value());
      BOOST_TEST(merged.error().message == wrong.problem);
    }
  }
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
  BOOST_TEST(messageOf(R"({"spec": {"containers": {}}})", "{}") ==
             "spec.worker.template.spec.containers: must be a list");
  BOOST_TEST(messageOf("{}", R"({"spec": {"volumes": [{}]}})") ==
             "spec.server.template.spec.volumes: each item needs name, a text");
  BOOST_TEST(checkTemplates(json("text")).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::api::template_merge_test
