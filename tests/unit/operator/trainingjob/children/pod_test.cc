#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/children/children_fixture.h"
#include "tests/unit/operator/trainingjob/operator_fixture.h"

namespace sumac::trainingjob::pod_test {
namespace {

using nlohmann::json;

constexpr Slot kServer0{Role::kServer, 0};
constexpr Slot kWorker1{Role::kWorker, 1};

JsonTree treeOf(const char* text) {
  return JsonTree(nlohmann::ordered_json::parse(text));
}

json withTemplate(const char* worker_template) {
  json manifest = aManifest();
  manifest["spec"]["worker"]["template"] = json::parse(worker_template);
  return manifest;
}

BOOST_AUTO_TEST_SUITE(pod)

BOOST_AUTO_TEST_CASE(a_worker_without_a_template_is_whole_and_safe) {
  const json made = podOf(aManifest(), kWorker1);
  const json& spec = made["spec"];
  const json& main = mainOf(made);

  BOOST_TEST(made["metadata"]["name"] == "lenet5-worker-1");
  BOOST_TEST(made["metadata"]["namespace"] == "research");
  BOOST_TEST(spec["hostname"] == "lenet5-worker-1");
  BOOST_TEST(spec["subdomain"] == "lenet5");
  BOOST_TEST(spec["restartPolicy"] == "Never");
  BOOST_TEST(spec["terminationGracePeriodSeconds"] == 30);
  BOOST_TEST(spec["automountServiceAccountToken"] == false);
  BOOST_TEST(spec["enableServiceLinks"] == false);
  BOOST_TEST(spec["securityContext"]["runAsNonRoot"] == true);
  BOOST_TEST(spec["securityContext"]["fsGroup"] == spec["securityContext"]["runAsGroup"]);
  BOOST_TEST(spec["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault");
  BOOST_TEST(main["image"] == "sumac-worker:1");
  BOOST_TEST(main["command"] == json::parse(R"(["sumac-worker"])"));
  BOOST_TEST(main["securityContext"]["readOnlyRootFilesystem"] == true);
  BOOST_TEST(main["securityContext"]["allowPrivilegeEscalation"] == false);
  BOOST_TEST(main["securityContext"]["capabilities"]["drop"] == json::parse(R"(["ALL"])"));
  BOOST_TEST(main["readinessProbe"]["httpGet"]["path"] == "/readyz");
  BOOST_TEST(main["readinessProbe"]["httpGet"]["port"] == 7071);
  BOOST_TEST(!main.contains("livenessProbe"));
  BOOST_TEST(main["terminationMessagePath"] == "/dev/termination-log");
  BOOST_TEST(main["ports"].size() == 2U);
  BOOST_TEST(!itemIn(main["volumeMounts"], "mountPath", "/tmp").is_null());
  BOOST_TEST(spec["tolerations"].size() == 2U);
}

BOOST_AUTO_TEST_CASE(labels_annotations_and_the_owner_say_whose_pod_it_is) {
  const json meta = podOf(aManifest(), kWorker1)["metadata"];

  BOOST_TEST(meta["labels"] == json::parse(R"({
    "sumac.dev/job-name": "lenet5", "sumac.dev/role": "worker", "sumac.dev/replica-index": "1",
    "sumac.dev/attempt": "0", "app.kubernetes.io/name": "sumac",
    "app.kubernetes.io/instance": "lenet5", "app.kubernetes.io/component": "worker",
    "app.kubernetes.io/managed-by": "sumac-operator"})"));
  BOOST_TEST(meta["ownerReferences"] == json::parse(R"([{
    "apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJob", "name": "lenet5",
    "uid": "0123456789ab", "controller": true, "blockOwnerDeletion": true}])"));
  BOOST_TEST(meta["annotations"]["sumac.dev/template-hash"].get<std::string>().size() == 64U);
}

BOOST_AUTO_TEST_CASE(a_worker_learns_its_place_and_only_the_address_of_slot_0) {
  const json made = podOf(aManifest(), kWorker1);

  BOOST_TEST(variableOf(made, "SUMAC_JOB") == "/etc/sumac/job/job.json");
  BOOST_TEST(variableOf(made, "SUMAC_JOB_UID") == "0123456789ab");
  BOOST_TEST(variableOf(made, "SUMAC_INDEX") == "1");
  BOOST_TEST(variableOf(made, "SUMAC_ATTEMPT") == "0");
  BOOST_TEST(variableOf(made, "SUMAC_WORKERS") == "2");
  BOOST_TEST(variableOf(made, "SUMAC_COORDINATOR") ==
             "tcp://lenet5-server-0.lenet5.research.svc:7070");
  BOOST_TEST(variableOf(made, "SUMAC_LISTEN") == "tcp://$(SUMAC_POD_IP):7070");
  BOOST_TEST(variableOf(made, "SUMAC_STATUS_LISTEN") == "$(SUMAC_POD_IP):7071");
  BOOST_TEST(variableOf(made, "SUMAC_TERMINATION_FILE") == "/dev/termination-log");
  BOOST_TEST(variableOf(made, "SUMAC_KEYS") == "/etc/sumac/keys");
  BOOST_TEST(variableOf(made, "SUMAC_CHECKPOINT") == "/checkpoints");
  BOOST_TEST(variableOf(made, "SUMAC_OUTPUT").empty());
  BOOST_TEST(variableOf(made, "SUMAC_JOB_NAMESPACE").empty());
  BOOST_TEST(mainOf(made)["env"][0]["name"] == "SUMAC_POD_IP");  // before those that refer to it
}

BOOST_AUTO_TEST_CASE(a_pod_without_requests_gets_some_that_autopilot_accepts) {
  BOOST_TEST(mainOf(podOf(aManifest(), kWorker1))["resources"] == json::parse(R"({
    "requests": {"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "1Gi"}})"));
  BOOST_TEST(mainOf(podOf(aManifest(), kServer0))["resources"] == json::parse(R"({
    "requests": {"cpu": "250m", "memory": "512Mi", "ephemeral-storage": "1Gi"}})"));
}

BOOST_AUTO_TEST_CASE(requests_and_limits_of_a_template_stand) {
  const json made = podOf(withTemplate(R"({"spec": {"containers": [{"name": "sumac",
    "resources": {"requests": {"cpu": "4"}, "limits": {"memory": "256Mi"}}}]}})"),
                          kWorker1);
  // A request of memory beside the smaller limit would be invalid.
  BOOST_TEST(mainOf(made)["resources"] == json::parse(R"({
    "requests": {"cpu": "4", "ephemeral-storage": "1Gi"}, "limits": {"memory": "256Mi"}})"));
}

BOOST_AUTO_TEST_CASE(resources_of_a_template_replace_both_of_the_defaults) {
  Defaults defaults;
  defaults.worker_template = treeOf(R"({"spec": {"containers": [{"name": "sumac", "resources": {
    "requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}}]}})");
  const auto resources = [&](const char* own) {
    const auto merged = mergedTemplate(JsonTree(withTemplate(own)), defaults, Role::kWorker);
    return merged.value()["spec"]["containers"][0]["resources"];
  };
  // A request above the limit of the defaults would be invalid, and so would a limit below their
  // request.
  BOOST_TEST(resources(R"({"spec": {"containers": [{"name": "sumac",
    "resources": {"requests": {"cpu": "4"}}}]}})") == json::parse(R"({
    "requests": {"cpu": "4", "memory": "1Gi"}, "limits": {"memory": "1Gi"}})"));
  BOOST_TEST(resources(R"({"spec": {"containers": [{"name": "sumac",
    "resources": {"limits": {"memory": "512Mi"}}}]}})") == json::parse(R"({
    "requests": {"cpu": "500m"}, "limits": {"cpu": "1", "memory": "512Mi"}})"));
}

BOOST_AUTO_TEST_CASE(the_autoscaler_does_not_evict_members_unless_a_template_allows_it) {
  constexpr const char* kSafe = "cluster-autoscaler.kubernetes.io/safe-to-evict";
  const auto annotationsOf = [](const json& manifest) {
    return podOf(manifest, kWorker1)["metadata"]["annotations"];
  };
  BOOST_TEST(annotationsOf(aManifest())[kSafe] == "false");
  BOOST_TEST(annotationsOf(withTemplate(R"({"metadata": {"annotations":
    {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}}})"))[kSafe] == "true");
  BOOST_TEST(!annotationsOf(withTemplate(R"({"spec": {"nodeSelector":
    {"cloud.google.com/gke-spot": "true"}}})"))
                  .contains(kSafe));
}

BOOST_AUTO_TEST_CASE(slot_0_has_no_coordinator_and_servers_no_storage) {
  const json made = podOf(aManifest(), kServer0);

  BOOST_TEST(mainOf(made)["image"] == "sumac-server:1");
  BOOST_TEST(variableOf(made, "SUMAC_COORDINATOR").empty());
  BOOST_TEST(variableOf(made, "SUMAC_CHECKPOINT").empty());
  BOOST_TEST(itemIn(made["spec"]["volumes"], "name", "sumac-checkpoint").is_null());
}

BOOST_AUTO_TEST_CASE(a_pod_mounts_its_own_private_key_and_no_other) {
  const json made = podOf(aManifest(), kWorker1);

  const json volume = itemIn(made["spec"]["volumes"], "name", "sumac-keys");
  BOOST_TEST(volume["secret"]["secretName"] == "lenet5-keys-01234567");
  BOOST_TEST(volume["secret"]["defaultMode"] == 0440);
  BOOST_TEST(volume["secret"]["items"] == json::parse(R"([{"key": "token", "path": "token"},
    {"key": "worker-1", "path": "private"}, {"key": "public", "path": "public"}])"));
  const json mount = itemIn(mainOf(made)["volumeMounts"], "mountPath", "/etc/sumac/keys");
  BOOST_TEST(mount["readOnly"] == true);
}

BOOST_AUTO_TEST_CASE(without_encryption_there_are_no_keys_but_the_job_token) {
  json manifest = aManifest();
  manifest["spec"]["security"]["transport"] = "none";

  const json made = podOf(manifest, kWorker1);

  BOOST_TEST(variableOf(made, "SUMAC_KEYS").empty());
  BOOST_TEST(itemIn(made["spec"]["volumes"], "name", "sumac-keys")["secret"]["items"] ==
             json::parse(R"([{"key": "token", "path": "token"}])"));
  BOOST_TEST(variableOf(made, "SUMAC_JOB_TOKEN_FILE") == "/etc/sumac/keys/token");
}

BOOST_AUTO_TEST_CASE(the_job_token_is_a_file_that_no_template_replaces) {
  const json made = podOf(withTemplate(R"({"spec": {"containers": [{"name": "sumac",
    "env": [{"name": "SUMAC_JOB_TOKEN", "value": "mine"},
            {"name": "SUMAC_JOB_TOKEN_FILE", "value": "/mine"}]}]}})"),
                          kWorker1);

  BOOST_TEST(variableOf(made, "SUMAC_JOB_TOKEN_FILE") == "/etc/sumac/keys/token");
  // What prints an environment does not print the token.
  BOOST_TEST(variableOf(made, "SUMAC_JOB_TOKEN").empty());
}

BOOST_AUTO_TEST_CASE(a_job_that_an_earlier_operator_began_goes_on_without_a_token) {
  for (const bool is_encrypted : {true, false}) {
    BOOST_TEST_CONTEXT((is_encrypted ? "encrypted" : "not encrypted")) {
      json manifest = aManifest();
      manifest["spec"]["security"]["transport"] = is_encrypted ? "curve" : "none";
      const api::TrainingJob job = jobOf(manifest);
      JobRecord record = recordOf(job);
      record.has_token = false;

      const json made = *makePod(job, record, {kWorker1, 1, 2});

      BOOST_TEST(variableOf(made, "SUMAC_JOB_TOKEN_FILE").empty());
      const json volume = itemIn(made["spec"]["volumes"], "name", "sumac-keys");
      BOOST_TEST(volume.is_null() != is_encrypted);
      if (is_encrypted) BOOST_TEST(volume["secret"]["items"].size() == 2U);
    }
  }
}

BOOST_AUTO_TEST_CASE(worker_0_is_slot_0_where_there_are_no_servers) {
  for (const char* strategy : {R"({"topology": "decentralized"})",
                               R"({"exchange": "allReduce", "algorithm": "direct"})"}) {
    BOOST_TEST_CONTEXT(strategy) {
      json manifest = aManifest("lenet5", 2, 0);
      manifest["spec"]["strategy"] = json::parse(strategy);
      const json first = podOf(manifest, {Role::kWorker, 0});
      const json second = podOf(manifest, kWorker1);

      BOOST_TEST(variableOf(first, "SUMAC_COORDINATOR").empty());
      BOOST_TEST(variableOf(second, "SUMAC_COORDINATOR") ==
                 "tcp://lenet5-worker-0.lenet5.research.svc:7070");
      BOOST_TEST(variableOf(first, "SUMAC_JOB_UID") == "0123456789ab");
      for (const json& made : {first, second}) {
        BOOST_TEST(variableOf(made, "SUMAC_LISTEN") == "tcp://$(SUMAC_POD_IP):7070");
        BOOST_TEST(variableOf(made, "SUMAC_CHECKPOINT") == "/checkpoints");
        BOOST_TEST(!itemIn(mainOf(made)["ports"], "name", "sumac-data").is_null());
        BOOST_TEST(mainOf(made)["readinessProbe"]["httpGet"]["path"] == "/readyz");
        BOOST_TEST(mainOf(made)["image"] == "sumac-worker:1");
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_template_adds_and_overrides_and_sidecars_are_left_alone) {
  const json made = podOf(withTemplate(R"({
    "metadata": {"labels": {"kueue.x-k8s.io/queue-name": "gold"}, "annotations": {"a": "b"}},
    "spec": {
      "schedulerName": "volcano", "schedulingGates": [{"name": "wait"}],
      "priorityClassName": "high", "nodeSelector": {"gpu": "no"},
      "tolerations": [{"key": "spot", "operator": "Exists"}],
      "initContainers": [{"name": "fetch", "image": "i"}],
      "containers": [
        {"name": "proxy", "image": "p", "env": [{"name": "X", "value": "1"}]},
        {"name": "sumac", "image": "mine", "resources": {"requests": {"cpu": "2"}},
         "env": [{"name": "SUMAC_LOG_LEVEL", "value": "debug"}],
         "securityContext": {"runAsUser": 1000},
         "readinessProbe": {"exec": {"command": ["true"]}}}]}})"),
                          kWorker1);
  const json& spec = made["spec"];
  const json& main = mainOf(made);

  BOOST_TEST(made["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "gold");
  BOOST_TEST(made["metadata"]["annotations"]["a"] == "b");
  BOOST_TEST(spec["schedulerName"] == "volcano");
  BOOST_TEST(spec["schedulingGates"][0]["name"] == "wait");
  BOOST_TEST(spec["priorityClassName"] == "high");
  BOOST_TEST(spec["nodeSelector"]["gpu"] == "no");
  BOOST_TEST(spec["tolerations"].size() == 3U);
  BOOST_TEST(spec["initContainers"][0]["image"] == "i");
  BOOST_TEST(main["image"] == "mine");
  BOOST_TEST(main["resources"]["requests"]["cpu"] == "2");
  BOOST_TEST(main["securityContext"]["runAsUser"] == 1000);
  BOOST_TEST(main["securityContext"]["readOnlyRootFilesystem"] == true);
  BOOST_TEST(main["readinessProbe"] == json::parse(R"({"exec": {"command": ["true"]}})"));
  BOOST_TEST(variableOf(made, "SUMAC_LOG_LEVEL") == "debug");
  BOOST_TEST(
      itemIn(spec["containers"], "name", "proxy") ==
      json::parse(R"({"name": "proxy", "image": "p", "env": [{"name": "X", "value": "1"}]})"));
}

BOOST_AUTO_TEST_CASE(what_an_init_container_logged_last_says_why_it_failed) {
  const json made = podOf(withTemplate(R"({"spec": {"initContainers": [
    {"name": "fetch", "image": "i"},
    {"name": "own", "image": "i", "terminationMessagePolicy": "File"}]}})"),
                          kWorker1);

  const json& containers = made["spec"]["initContainers"];
  BOOST_TEST(containers[0]["terminationMessagePolicy"] == "FallbackToLogsOnError");
  BOOST_TEST(containers[1]["terminationMessagePolicy"] == "File");
}

BOOST_AUTO_TEST_CASE(members_log_json_unless_the_template_says_otherwise) {
  BOOST_TEST(variableOf(podOf(aManifest(), kServer0), "SUMAC_LOG_FORMAT") == "json");

  const json made = podOf(withTemplate(R"({"spec": {"containers": [{"name": "sumac",
    "env": [{"name": "SUMAC_LOG_FORMAT", "value": "text"}]}]}})"),
                          kWorker1);

  BOOST_TEST(variableOf(made, "SUMAC_LOG_FORMAT") == "text");
}

BOOST_AUTO_TEST_CASE(what_the_operator_owns_wins_over_every_template) {
  const json made = podOf(withTemplate(R"({
    "metadata": {"name": "mine", "labels": {"sumac.dev/attempt": "9"},
                 "annotations": {"sumac.dev/template-hash": "x"}},
    "spec": {
      "hostname": "mine", "subdomain": "mine", "restartPolicy": "Always",
      "volumes": [{"name": "sumac-job", "emptyDir": {}}, {"name": "other", "emptyDir": {}}],
      "containers": [{"name": "sumac", "terminationMessagePath": "/tmp/x",
        "env": [{"name": "SUMAC_INDEX", "value": "7"}, {"name": "SUMAC_OUTPUT", "value": "/x"}],
        "volumeMounts": [{"name": "other", "mountPath": "/etc/sumac/job/"},
                         {"name": "other", "mountPath": "/checkpoints"}]}]}})"),
                          kWorker1);
  const json& main = mainOf(made);

  BOOST_TEST(made["metadata"]["name"] == "lenet5-worker-1");
  BOOST_TEST(made["metadata"]["labels"]["sumac.dev/attempt"] == "0");
  BOOST_TEST(made["metadata"]["annotations"]["sumac.dev/template-hash"] != "x");
  BOOST_TEST(made["spec"]["hostname"] == "lenet5-worker-1");
  BOOST_TEST(made["spec"]["subdomain"] == "lenet5");
  BOOST_TEST(made["spec"]["restartPolicy"] == "Never");
  BOOST_TEST(main["terminationMessagePath"] == "/dev/termination-log");
  BOOST_TEST(variableOf(made, "SUMAC_INDEX") == "1");
  BOOST_TEST(variableOf(made, "SUMAC_OUTPUT").empty());
  BOOST_TEST(itemIn(main["volumeMounts"], "mountPath", "/etc/sumac/job/").is_null());
  BOOST_TEST(itemIn(main["volumeMounts"], "mountPath", "/checkpoints")["name"] ==
             "sumac-checkpoint");
  BOOST_TEST(itemIn(made["spec"]["volumes"], "name", "sumac-job").contains("configMap"));
}

BOOST_AUTO_TEST_CASE(the_default_template_lies_below_the_jobs_own) {
  Defaults defaults = someDefaults();
  defaults.image_pull_policy = "Always";
  defaults.worker_template =
      treeOf(R"({"spec": {"priorityClassName": "low", "nodeSelector": {"pool": "cpu"},
                 "containers": [{"name": "sumac", "resources": {"requests": {"cpu": "1"}}}]}})");

  const json made =
      podOf(withTemplate(R"({"spec": {"priorityClassName": "high"}})"), kWorker1, defaults);

  BOOST_TEST(made["spec"]["priorityClassName"] == "high");
  BOOST_TEST(made["spec"]["nodeSelector"]["pool"] == "cpu");
  BOOST_TEST(mainOf(made)["resources"]["requests"]["cpu"] == "1");
  BOOST_TEST(mainOf(made)["imagePullPolicy"] == "Always");
  const json server = podOf(aManifest(), kServer0, defaults);
  BOOST_TEST(!server["spec"].contains("priorityClassName"));
}

// Not of texts beside them, which somebody would have to parse for each pod.
BOOST_AUTO_TEST_CASE(a_pod_is_made_of_the_trees_of_its_job_and_its_record) {
  api::TrainingJob job = jobOf(aManifest());
  JobRecord record = recordOf(job);
  job.document = treeOf(R"({"spec": {
    "worker": {"template": {"spec": {"priorityClassName": "of-workers"}}},
    "server": {"template": {"spec": {"priorityClassName": "of-servers"}}}}})");
  record.document =
      treeOf(R"({"spec": {"output": {"path": "/o", "volume": {"nfs": {"server": "s"}}}}})");
  record.defaults.worker_template = treeOf(R"({"spec": {"schedulerName": "for-workers"}})");
  record.defaults.server_template = treeOf(R"({"spec": {"schedulerName": "for-servers"}})");

  const json worker = *makePod(job, record, {kWorker1, 0, 2});
  const json server = *makePod(job, record, {kServer0, 0, 2});

  BOOST_TEST(worker["spec"]["priorityClassName"] == "of-workers");
  BOOST_TEST(server["spec"]["priorityClassName"] == "of-servers");
  BOOST_TEST(worker["spec"]["schedulerName"] == "for-workers");
  BOOST_TEST(server["spec"]["schedulerName"] == "for-servers");
  const json& volumes = worker["spec"]["volumes"];
  BOOST_TEST(itemIn(volumes, "name", "sumac-output")["nfs"]["server"] == "s");
  BOOST_TEST(itemIn(volumes, "name", "sumac-checkpoint").is_null());
}

BOOST_AUTO_TEST_CASE(null_takes_even_built_in_fields_away) {
  const json made = podOf(
      withTemplate(R"({"spec": {"securityContext": {"runAsUser": null}, "containers": null}})"),
      kWorker1);

  BOOST_TEST(!made["spec"]["securityContext"].contains("runAsUser"));
  BOOST_TEST(mainOf(made)["image"] == "sumac-worker:1");
}

BOOST_AUTO_TEST_CASE(a_toleration_of_the_users_own_stands) {
  const json made = podOf(withTemplate(R"({"spec": {"tolerations": [
    {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
     "tolerationSeconds": 300}, {"key": "node.kubernetes.io/unreachable", "operator": "Exists",
     "effect": "NoSchedule"}]}})"),
                          kWorker1);
  BOOST_TEST(made["spec"]["tolerations"].size() == 3U);
  BOOST_TEST(made["spec"]["tolerations"][0]["tolerationSeconds"] == 300);
  const json all =
      podOf(withTemplate(R"({"spec": {"tolerations": [{"operator": "Exists"}]}})"), kWorker1);
  BOOST_TEST(all["spec"]["tolerations"].size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::pod_test
