#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "base/keys/key_pair.h"
#include "job/document/job.h"
#include "operator/trainingjob/state/names.h"
#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/children/children_fixture.h"
#include "tests/unit/operator/trainingjob/operator_fixture.h"

namespace sumac::trainingjob::children_test {
namespace {

using nlohmann::json;

BOOST_AUTO_TEST_SUITE(children)

BOOST_AUTO_TEST_CASE(the_service_gives_every_member_a_name_before_it_is_ready) {
  checkObject("service", makeService(jobOf(aManifest())));
}

BOOST_AUTO_TEST_CASE(members_reach_each_others_7070_and_nobody_else_anything) {
  checkObject("network_policy", makeNetworkPolicy(jobOf(aManifest())));
}

BOOST_AUTO_TEST_CASE(readers_reach_7071_by_a_policy_of_their_own) {
  const api::TrainingJob job = jobOf(aManifest());
  checkObject("readers_policy", makeReadersPolicy(job, {"sumac-system", ""}));

  const json scraped = makeReadersPolicy(job, {"sumac-system", "monitoring"});
  BOOST_TEST(scraped["spec"]["ingress"][0]["from"].size() == 2U);
  // Nobody to allow must not become everybody: that is what an empty `from` means.
  BOOST_CHECK_THROW(makeReadersPolicy(job, {}), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(the_policy_of_readers_has_another_name_for_other_namespaces) {
  const std::string name = readersName("lenet5", {"sumac-system", ""});

  BOOST_TEST(name.starts_with("lenet5-readers-"));
  BOOST_TEST(name.size() == std::string("lenet5-readers-0123456789").size());
  BOOST_TEST(name == readersName("lenet5", {"sumac-system", ""}));
  BOOST_TEST(name != readersName("lenet5", {"again", ""}));
  BOOST_TEST(name != readersName("lenet5", {"", "sumac-system"}));
  BOOST_TEST(name != readersName("lenet5", {"sumac-system", "monitoring"}));
}

BOOST_AUTO_TEST_CASE(the_secret_has_a_key_for_each_slot_that_there_may_ever_be) {
  json manifest = aManifest("lenet5", 2, 2);
  manifest["spec"]["training"]["logicalWorkers"] = 4;
  const api::TrainingJob job = jobOf(manifest);

  const auto secret = makeSecret(job, recordOf(job));

  BOOST_TEST_REQUIRE(secret.has_value());
  BOOST_TEST((*secret)["metadata"]["name"] == "lenet5-keys-01234567");
  BOOST_TEST((*secret)["immutable"] == true);
  const json& data = (*secret)["stringData"];
  BOOST_TEST(data.size() == 8U);  // 4 workers, 2 servers, all public keys, and the job token
  for (const char* slot : {"worker-0", "worker-3", "server-1"}) {
    BOOST_TEST_CONTEXT(slot) {
      const auto key = PrivateKey::fromText(data[slot].get<std::string>());
      BOOST_TEST_REQUIRE(key.has_value());
      const std::string line = std::string(slot) + " " + toText(publicKeyOf(*key));
      BOOST_TEST(data["public"].get<std::string>().find(line) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_secret_of_a_job_without_servers_has_keys_of_workers_alone) {
  json manifest = aManifest("lenet5", 2, 0);
  manifest["spec"]["training"]["logicalWorkers"] = 3;
  const api::TrainingJob job = jobOf(manifest);

  const auto secret = makeSecret(job, recordOf(job));

  BOOST_TEST_REQUIRE(secret.has_value());
  std::vector<std::string> entries;
  for (const auto& entry : (*secret)["stringData"].items())
    entries.push_back(entry.key());
  const std::vector<std::string> expected{"public", "token", "worker-0", "worker-1", "worker-2"};
  BOOST_TEST(entries == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_secret_has_a_new_job_token_encrypted_or_not) {
  json manifest = aManifest();
  manifest["spec"]["security"]["transport"] = "none";
  const api::TrainingJob job = jobOf(manifest);

  const auto secret = makeSecret(job, recordOf(job));
  const auto other = makeSecret(job, recordOf(job));

  BOOST_TEST_REQUIRE(secret.has_value());
  const json& data = (*secret)["stringData"];
  BOOST_TEST(data.size() == 1U);
  constexpr std::size_t kDigits = 64;
  BOOST_TEST(data["token"].get<std::string>().size() == kDigits);
  BOOST_TEST(data["token"] != (*other)["stringData"]["token"]);
}

BOOST_AUTO_TEST_CASE(the_record_of_an_earlier_operator_has_no_token) {
  const api::TrainingJob job = jobOf(aManifest());
  json data = makeConfigMap(job, recordOf(job))["data"];
  json ours = json::parse(data["operator.json"].get<std::string>());
  BOOST_TEST(ours["jobToken"] == true);
  ours.erase("jobToken");
  data["operator.json"] = ours.dump();

  const auto earlier = recordFromData(data);

  BOOST_TEST_REQUIRE(earlier.has_value());
  BOOST_TEST(!earlier->has_token);
  BOOST_TEST(hasSecret(*earlier));
  BOOST_TEST(!(*makeSecret(job, *earlier))["stringData"].contains("token"));
}

BOOST_AUTO_TEST_CASE(the_config_map_gives_members_the_job_and_a_later_operator_the_record) {
  json manifest = aManifest();
  manifest["spec"]["worker"]["template"] = json::parse(R"({"spec": {"nodeName": "n"}})");
  const api::TrainingJob job = jobOf(manifest);
  const JobRecord record = recordOf(job);

  const json config_map = makeConfigMap(job, record);

  BOOST_TEST(config_map["immutable"] == true);
  const std::string document = config_map["data"]["job.json"].get<std::string>();
  BOOST_TEST(document.find("nodeName") == std::string::npos);
  const auto reading = job::readJob(document, "job.json", {}, /*needs_to_run=*/true);
  BOOST_TEST_REQUIRE(reading.problems.empty(), job::problemList(reading.problems));
  BOOST_TEST(reading.job->training.logical_workers == 2);

  const auto read = recordFromData(config_map["data"]);
  BOOST_REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
  BOOST_TEST((*read == record));
}

// A ConfigMap is immutable, and a pod mounts what an earlier operator wrote.
BOOST_AUTO_TEST_CASE(the_entries_of_the_config_map_have_the_bytes_of_earlier_operators) {
  json manifest = anElasticManifest();
  manifest["spec"]["worker"]["template"] = json::parse(R"({"spec": {"nodeName": "n"}})");
  const api::TrainingJob job = jobOf(manifest);
  Defaults defaults = someDefaults();
  defaults.worker_template = JsonTree(nlohmann::ordered_json::parse(R"({"spec":{"b":1,"a":2}})"));

  const json data = makeConfigMap(job, recordOf(job, defaults))["data"];

  test::checkGolden("operator/children/job.json", data["job.json"].get<std::string>() + "\n");
  const json templates = json::parse(data["operator.json"].get<std::string>())["defaults"];
  BOOST_TEST(templates["workerTemplate"] == R"({"spec":{"b":1,"a":2}})");
  BOOST_TEST(templates["serverTemplate"] == "{}");
}

BOOST_AUTO_TEST_CASE(a_record_that_cannot_be_read_says_where) {
  struct Case {
    const char* path;
    std::string data;
  };
  constexpr std::size_t kLevels = 400'000;
  const std::string deep = R"({"job.json": ")" + std::string(kLevels, '[') +
                           std::string(kLevels, ']') + R"(", "operator.json": "{}"})";
  std::string many = R"({"operator.json": "{}", "job.json": "{\"0\": 0)";
  for (int field = 1; field < 40'000; ++field)
    many += R"(, \")" + std::to_string(field) + R"(\": 0)";
  many += R"(}"})";
  const Case cases[] = {
      {"data.job.json", many},
      {"data", "null"},
      {"data.job.json", "{}"},
      {"data", "[]"},
      {"data.operator.json", R"({"job.json": "{}"})"},
      {"data.operator.json", R"({"job.json": "{}", "operator.json": "{"})"},
      {"data.job.json", R"({"job.json": "{", "operator.json": "{}"})"},
      {"data.job.json", deep},
      {"operator.json.defaults.serverTemplate",
       R"({"job.json": "{}", "operator.json": "{\"defaults\": {\"serverTemplate\": \"{\"}}"})"},
      {"operator.json.servers", R"({"job.json": "{}", "operator.json": "{\"servers\": -1}"})"}};
  test::Transcript said;
  for (const auto& [path, data] : cases) {
    const auto record = recordFromData(json::parse(data));
    BOOST_TEST_REQUIRE(!record.has_value(), path);
    BOOST_TEST(record.error().message.starts_with(path + std::string(": ")),
               record.error().message);
    said.add(data.substr(0, 100), record.error().message);
  }
  test::checkGolden("operator/children/record.txt", said.text());
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_spec_is_said_whole_and_without_lines) {
  json manifest = aManifest();
  manifest["spec"]["model"]["name"] = "lenet6";
  manifest["spec"]["training"]["batchSize"] = 1;
  manifest["spec"]["worker"]["replicas"] = 2;
  const auto wrong = makeRecord(jobOf(manifest), someDefaults());
  BOOST_TEST_REQUIRE(wrong.problem.has_value());
  BOOST_TEST(!wrong.record.has_value());
  BOOST_TEST((wrong.problem->kind == SpecProblemKind::kInvalid));
  BOOST_TEST(wrong.problem->message.starts_with("spec."), wrong.problem->message);
  BOOST_TEST(wrong.problem->message.find("lenet5") != std::string::npos, wrong.problem->message);

  json bad_template = aManifest();
  bad_template["spec"]["server"]["template"] =
      json::parse(R"({"spec": {"containers": [{"name": "sumac", "env": [{}]}]}})");
  const auto refused = makeRecord(jobOf(bad_template), someDefaults());
  BOOST_TEST_REQUIRE(refused.problem.has_value());
  BOOST_TEST((refused.problem->kind == SpecProblemKind::kTemplate));
  BOOST_TEST(refused.problem->message ==
             R"(spec.server.template.spec.containers["sumac"].env: each item needs name, a text)");

  json large = aManifest();
  large["spec"]["worker"]["template"]["metadata"]["annotations"]["note"] =
      std::string(262'144, 'x');
  BOOST_TEST(makeRecord(jobOf(large), someDefaults()).problem->message ==
             "spec: larger than 262144 bytes");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::children_test
