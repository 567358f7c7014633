#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/children/children_fixture.h"
#include "tests/unit/operator/trainingjob/operator_fixture.h"

namespace sumac::trainingjob::volume_mounts_test {
namespace {

using nlohmann::json;

constexpr Slot kWorker0{Role::kWorker, 0};

json withStorage(const char* checkpoint, const char* output) {
  json manifest = aManifest();
  manifest["spec"]["checkpoint"] = json::parse(checkpoint);
  manifest["spec"]["output"] = json::parse(output);
  return manifest;
}

BOOST_AUTO_TEST_SUITE(storage)

BOOST_AUTO_TEST_CASE(volumes_of_the_job_are_mounted_at_their_paths) {
  json manifest = withStorage(
      R"({"path": "/checkpoints", "volume": {"persistentVolumeClaim": {"claimName": "store"}}})",
      R"({"path": "output/", "volume": {"nfs": {"server": "s", "path": "/e"}}})");
  manifest["spec"]["data"] = json::parse(
      R"({"format": "cifar10", "path": "/data", "volume": {"hostPath": {"path": "/mnt"}}})");
  manifest["spec"]["model"]["name"] = "cifar10-quick";

  const json made = podOf(manifest, kWorker0);

  const json& volumes = made["spec"]["volumes"];
  const json& mounts = mainOf(made)["volumeMounts"];
  BOOST_TEST(itemIn(volumes, "name", "sumac-checkpoint")["persistentVolumeClaim"]["claimName"] ==
             "store");
  BOOST_TEST(itemIn(volumes, "name", "sumac-output")["nfs"]["server"] == "s");
  BOOST_TEST(itemIn(volumes, "name", "sumac-data")["hostPath"]["path"] == "/mnt");
  BOOST_TEST(itemIn(mounts, "mountPath", "/checkpoints")["name"] == "sumac-checkpoint");
  BOOST_TEST(itemIn(mounts, "mountPath", "/output")["name"] == "sumac-output");
  BOOST_TEST(itemIn(mounts, "mountPath", "/data")["name"] == "sumac-data");
  BOOST_TEST(variableOf(made, "SUMAC_OUTPUT") == "/output");
  BOOST_TEST(variableOf(made, "SUMAC_JOB_NAMESPACE") == "research");
}

BOOST_AUTO_TEST_CASE(a_folder_of_a_volume_is_mounted_alone) {
  const json made = podOf(
      withStorage(
          R"({"path": "/c", "volume": {"persistentVolumeClaim": {"claimName": "s"}, "subPath": "a/c"}})",
          R"({"path": "/o", "volume": {"persistentVolumeClaim": {"claimName": "s"}}})"),
      kWorker0);

  const json& mounts = mainOf(made)["volumeMounts"];
  BOOST_TEST(itemIn(mounts, "mountPath", "/c")["subPath"] == "a/c");
  BOOST_TEST(!itemIn(mounts, "mountPath", "/o").contains("subPath"));
  BOOST_TEST(itemIn(made["spec"]["volumes"], "name", "sumac-checkpoint") ==
             json::parse(R"({"name": "sumac-checkpoint",
                             "persistentVolumeClaim": {"claimName": "s"}})"));
}

BOOST_AUTO_TEST_CASE(a_path_without_a_volume_has_a_folder_that_ends_with_the_pod) {
  const json manifest = withStorage(R"({"path": "/checkpoints"})", R"({"path": "/output"})");

  const json made = podOf(manifest, kWorker0);
  const JobRecord record = recordOf(jobOf(manifest));

  BOOST_TEST(itemIn(made["spec"]["volumes"], "name", "sumac-checkpoint").contains("emptyDir"));
  BOOST_TEST(!record.keeps_checkpoints);
  BOOST_TEST(!record.keeps_output);
}

BOOST_AUTO_TEST_CASE(a_lasting_volume_is_known_as_one) {
  const JobRecord record =
      recordOf(jobOf(withStorage(R"({"path": "/c", "volume": {"csi": {"driver": "d"}}})",
                                 R"({"path": "/o", "volume": {"emptyDir": {}}})")));
  BOOST_TEST(record.keeps_checkpoints);
  BOOST_TEST(!record.keeps_output);
}

BOOST_AUTO_TEST_CASE(what_a_template_mounts_there_is_used_where_the_job_gives_no_volume) {
  json manifest = withStorage(R"({"path": "/store/checkpoints"})", R"({"path": "/scratch"})");
  manifest["spec"]["worker"]["template"] = json::parse(R"({"spec": {
    "volumes": [{"name": "mine", "persistentVolumeClaim": {"claimName": "c"}},
                {"name": "tmp", "emptyDir": {}}],
    "containers": [{"name": "sumac", "volumeMounts": [
      {"name": "mine", "mountPath": "/store"}, {"name": "tmp", "mountPath": "/scratch"}]}]}})");

  const json made = podOf(manifest, kWorker0);
  const JobRecord record = recordOf(jobOf(manifest));

  BOOST_TEST(itemIn(made["spec"]["volumes"], "name", "sumac-checkpoint").is_null());
  BOOST_TEST(itemIn(made["spec"]["volumes"], "name", "sumac-output").is_null());
  BOOST_TEST(record.keeps_checkpoints);
  BOOST_TEST(!record.keeps_output);
}

BOOST_AUTO_TEST_CASE(one_claim_may_serve_both_paths) {
  const char* claim = R"({"persistentVolumeClaim": {"claimName": "store"}})";
  const std::string at = R"({"path": "/c", "volume": )" + std::string(claim) + "}";
  const std::string there = R"({"path": "/o", "volume": )" + std::string(claim) + "}";
  const json two = podOf(withStorage(at.c_str(), there.c_str()), kWorker0);
  BOOST_TEST(itemIn(mainOf(two)["volumeMounts"], "mountPath", "/c")["name"] == "sumac-checkpoint");
  BOOST_TEST(itemIn(mainOf(two)["volumeMounts"], "mountPath", "/o")["name"] == "sumac-output");

  // At one path it is mounted once: the API server refuses a path that comes twice.
  const json one = podOf(withStorage(R"({"path": "/c"})", at.c_str()), kWorker0);
  int mounts = 0;
  for (const json& mount : mainOf(one)["volumeMounts"])
    mounts += mount["mountPath"] == "/c" ? 1 : 0;
  BOOST_TEST(mounts == 1);
  BOOST_TEST(!itemIn(one["spec"]["volumes"], "name", "sumac-output").is_null());
}

BOOST_AUTO_TEST_CASE(
    without_a_claim_that_another_mounts_a_worker_is_told_the_folders_all_the_same) {
  const api::TrainingJob job = jobOf(withStorage(
      R"({"path": "/c", "volume": {"persistentVolumeClaim": {"claimName": "one"}}})",
      R"({"path": "/o", "volume": {"persistentVolumeClaim": {"claimName": "shared"}}})"));
  const json made = *makePod(job, recordOf(job), {{Role::kWorker, 1}, 0, 2, {"one"}});
  BOOST_TEST(itemIn(mainOf(made)["volumeMounts"], "mountPath", "/c").is_null());
  BOOST_TEST(itemIn(made["spec"]["volumes"], "name", "sumac-checkpoint").is_null());
  BOOST_TEST(itemIn(mainOf(made)["volumeMounts"], "mountPath", "/o")["name"] == "sumac-output");
  BOOST_TEST(variableOf(made, "SUMAC_CHECKPOINT") == "/c");
  BOOST_TEST(variableOf(made, "SUMAC_OUTPUT") == "/o");
}

BOOST_AUTO_TEST_CASE(temporary_files_go_where_the_user_says) {
  json manifest = aManifest();
  manifest["spec"]["worker"]["template"] = json::parse(R"({"spec": {
    "volumes": [{"name": "fast", "emptyDir": {"medium": "Memory"}}],
    "containers": [{"name": "sumac", "volumeMounts": [{"name": "fast", "mountPath": "/tmp/"}]}]}})");

  const json made = podOf(manifest, kWorker0);

  BOOST_TEST(itemIn(made["spec"]["volumes"], "name", "sumac-tmp").is_null());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::volume_mounts_test
