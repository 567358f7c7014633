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

BOOST_AUTO_TEST_CASE(is_whole_and_safe_without_a_template) {
  checkObject("worker", podOf(anElasticManifest(), kWorker1));
  checkObject("server", podOf(anElasticManifest(), kServer0));
}

json withProgram(const char* container) {
  json manifest = aManifest();
  json& spec = manifest["spec"];
  spec.erase("model");
  spec.erase("data");
  spec["program"] = {{"command", {"python", "train.py", "--fast"}}, {"threads", 2}};
  spec["training"] = {{"batchSize", 64}, {"steps", 10}, {"logicalWorkers", 4}};
  spec["worker"]["template"]["spec"]["containers"] = json::array({json::parse(container)});
  return manifest;
}

BOOST_AUTO_TEST_CASE(a_program_runs_in_the_image_of_the_user) {
  const json manifest = withProgram(R"({"name": "sumac", "image": "registry.example/mine:1"})");
  const json worker = podOf(manifest, kWorker1);
  BOOST_TEST(mainOf(worker)["command"] == json::array({"python", "train.py", "--fast"}));
  BOOST_TEST(mainOf(worker)["image"] == "registry.example/mine:1");
  BOOST_TEST(!mainOf(worker).contains("workingDir"));
  BOOST_TEST(variableOf(worker, "HOME") == "/tmp");
  BOOST_TEST(variableOf(worker, "OMP_NUM_THREADS") == "2");
  const json server = podOf(manifest, kServer0);
  BOOST_TEST(mainOf(server)["command"] == json::array({"sumac-server"}));
  BOOST_TEST(mainOf(server)["image"] != "registry.example/mine:1");
  BOOST_TEST(variableOf(server, "OMP_NUM_THREADS").empty());
}

BOOST_AUTO_TEST_CASE(a_template_sets_the_home_of_a_program_but_not_its_threads) {
  const json made = podOf(withProgram(R"({"name": "sumac", "image": "a", "workingDir": "/src",
    "env": [{"name": "HOME", "value": "/src"}, {"name": "OMP_NUM_THREADS", "value": "8"}]})"),
                          kWorker1);
  BOOST_TEST(variableOf(made, "HOME") == "/src");
  BOOST_TEST(variableOf(made, "OMP_NUM_THREADS") == "2");
  BOOST_TEST(mainOf(made)["workingDir"] == "/src");
  const json ours = podOf(withTemplate(R"({"spec": {"containers": [{"name": "sumac",
    "env": [{"name": "OMP_NUM_THREADS", "value": "8"}]}]}})"),
                          kWorker1);
  BOOST_TEST(variableOf(ours, "OMP_NUM_THREADS") == "8");
  BOOST_TEST(variableOf(ours, "HOME").empty());
}

BOOST_AUTO_TEST_CASE(a_program_runs_in_the_folder_of_the_sources_that_its_job_brings_along) {
  json manifest = withProgram(R"({"name": "sumac", "image": "a", "workingDir": "/src",
    "env": [{"name": "SUMAC_CODE", "value": "/src"}]})");
  manifest["spec"]["program"]["code"] = {{"sha256", std::string(64, 'a')},
                                         {"files", {"lib/net.py", "train.py"}}};
  const json worker = podOf(manifest, kWorker1);
  BOOST_TEST(mainOf(worker)["workingDir"] == "/etc/sumac/code");
  BOOST_TEST(variableOf(worker, "SUMAC_CODE") == "/etc/sumac/code");
  BOOST_TEST(itemIn(mainOf(worker)["volumeMounts"], "name", "sumac-code") ==
             json::parse(R"({"name": "sumac-code", "mountPath": "/etc/sumac/code",
                             "readOnly": true})"));
  BOOST_TEST(itemIn(worker["spec"]["volumes"], "name", "sumac-code")["configMap"] ==
             json({{"name", "lenet5-code-" + jobOf(manifest).meta.uid.substr(0, 8)},
                   {"defaultMode", 0555},
                   {"items", json::parse(R"([{"key": "f0", "path": "lib/net.py"},
                                             {"key": "f1", "path": "train.py"}])")}}));
  const json server = podOf(manifest, kServer0);
  BOOST_TEST(itemIn(server["spec"]["volumes"], "name", "sumac-code").is_null());
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
  BOOST_TEST(annotationsOf(anElasticManifest())[kSafe] == "true");
  BOOST_TEST(podOf(anElasticManifest(), kServer0)["metadata"]["annotations"][kSafe] == "false");
  BOOST_TEST(annotationsOf(withTemplate(R"({"metadata": {"annotations":
    {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}}})"))[kSafe] == "true");
  BOOST_TEST(!annotationsOf(withTemplate(R"({"spec": {"nodeSelector":
    {"cloud.google.com/gke-spot": "true"}}})"))
                  .contains(kSafe));
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
    json manifest = aManifest("lenet5", 2, 0);
    manifest["spec"]["strategy"] = json::parse(strategy);
    checkObject("worker_0_of_workers", podOf(manifest, {Role::kWorker, 0}));
    checkObject("worker_1_of_workers", podOf(manifest, kWorker1));
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

  checkObject("worker_with_template", made);
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

  checkObject("worker_with_foreign_fields", made);
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
