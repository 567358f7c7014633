#include "job/progress/job_result.h"

#include <limits>
#include <regex>
#include <set>
#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "job/progress/job_event.h"

namespace sumac::job_result_test {
namespace {

using nlohmann::json;

/// Every field is there and as long as it gets.
JobResult theLongest() {
  const double longest = -1.23456789e-300;
  JobResult result;
  result.setting = {.job = std::string(50, 'j'),
                    .model = std::string(50, 'm'),
                    .topology = "decentralized",
                    .batch_size = std::numeric_limits<int>::max(),
                    .logical_workers = std::numeric_limits<int>::max(),
                    .workers = std::numeric_limits<int>::max(),
                    .servers = std::numeric_limits<int>::max(),
                    .threads = std::numeric_limits<int>::max(),
                    .kernels = "baseline",
                    .numerics = "baseline/0.1.0",
                    .cpu = std::string(80, 'c'),
                    .seed = std::numeric_limits<std::uint64_t>::max(),
                    .version = "0.1.0"};
  result.all_reduce = {
      .algorithm = "halvingDoubling",
      .choice = {
          {.links = 8, .costs = {{"hopSeconds", longest}}, .predicted = {{"direct", longest}}}}};
  result.is_emulated = true;
  result.emulated_computing = {longest, longest, longest, longest};
  result.steps = std::int64_t{1} << 30;
  result.epochs = std::int64_t{1} << 30;
  result.loss = result.valid_accuracy = result.test_accuracy = longest;
  result.valid_perplexity = result.test_perplexity = longest;
  result.noise_scale = NoiseScale{longest, longest, longest, std::int64_t{1} << 30};
  result.parameters_sha256 = std::string(64, 'f');
  result.model_path = "/output/model.safetensors";
  result.started = result.ended = WallTime();
  result.seconds = result.samples_per_second = result.batches_per_second = longest;
  result.split = {longest, longest, longest, longest, longest};
  result.sent_bytes = result.received_bytes = std::numeric_limits<std::uint64_t>::max();
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_result)

BOOST_AUTO_TEST_CASE(fits_a_termination_message_with_the_longest_values) {
  const std::string message = toMessage(theLongest());

  BOOST_TEST(message.size() <= 1024U);
  BOOST_TEST(json::parse(message)["modelPath"] == "/output/model.safetensors");
}

BOOST_AUTO_TEST_CASE(leaves_a_path_out_of_a_message_that_it_does_not_fit_into) {
  JobResult result = theLongest();
  result.model_path = std::string(1000, 'x');

  const std::string message = toMessage(result);

  BOOST_TEST(message.size() <= 1024U);
  BOOST_TEST(!json::parse(message).contains("modelPath"));
  BOOST_TEST(json::parse(message)["steps"] == result.steps);
}

BOOST_AUTO_TEST_CASE(is_read_from_each_of_its_forms) {
  JobResult kept = theLongest();
  const JobResult::Setting all = kept.setting;
  kept.setting = {};
  kept.setting.logical_workers = all.logical_workers;
  kept.setting.workers = all.workers;
  kept.setting.servers = all.servers;
  kept.setting.numerics = all.numerics;
  kept.setting.seed = all.seed;
  kept.setting.version = all.version;
  kept.started = kept.ended = std::nullopt;
  kept.split = {};
  kept.all_reduce = {};
  kept.noise_scale = {};
  kept.sent_bytes = kept.received_bytes = 0;
  kept.emulated_computing.reset();  // of the whole result only
  for (std::optional<double>* value :
       {&kept.loss, &kept.valid_accuracy, &kept.test_accuracy, &kept.valid_perplexity,
        &kept.test_perplexity, &kept.seconds, &kept.samples_per_second, &kept.batches_per_second})
    *value = 0.25;
  JobResult in_status = kept;
  in_status.epochs = 0;
  in_status.is_emulated = false;
  in_status.setting = {};

  BOOST_TEST((*jobResultFromMessage(toMessage(kept)) == kept));
  BOOST_TEST((*jobResultFromJson(json::parse(toFile(kept))) == kept));
  BOOST_TEST((*jobResultFromJson(json(toStatusJson(kept))) == in_status));
  kept.emulated_computing = {.median = 0.25, .lower = 0.125, .upper = 0.5, .waited = 0.0625};
  BOOST_TEST((*jobResultFromJson(json::parse(toFile(kept))) == kept));
  kept.noise_scale = NoiseScale{.samples = 0.25, .steps = 3};
  BOOST_TEST((*jobResultFromJson(json::parse(toFile(kept))) == kept));
  kept.noise_scale = {};
  BOOST_TEST(std::holds_alternative<Finished>(*jobEventFromLine(toLine(kept))));
  BOOST_TEST(std::holds_alternative<Finished>(*jobEventFromLine(toMessage(kept))));
}

BOOST_AUTO_TEST_CASE(says_how_an_all_reduce_went_and_why) {
  JobResult result;
  BOOST_TEST(!json::parse(toFile(result)).contains("algorithm"));
  result.all_reduce.algorithm = "direct";
  BOOST_TEST(!json::parse(toFile(result)).contains("auto"));
  result.all_reduce.choice = {.is_resumed = true,
                              .links = 3,
                              .costs = {{"hopSeconds", 0.25}},
                              .predicted = {{"direct", 0.5}, {"scatterGather", 0.75}}};

  const json file = json::parse(toFile(result));

  BOOST_TEST(file["algorithm"] == "direct");
  BOOST_TEST(file["auto"] == json::parse(R"({"fromCheckpoint": true, "linksMeasured": 3,
      "costs": {"hopSeconds": 0.25}, "predictedSeconds": {"direct": 0.5, "scatterGather": 0.75}})"));
}

BOOST_AUTO_TEST_CASE(counts_each_workers_share_as_a_batch_only_where_it_says_so) {
  JobResult result;
  result.setting.workers = 8;
  result.batches_per_second = 10;

  const json file = json::parse(toFile(result));

  BOOST_TEST(file["batchesPerSecond"] == 10);
  BOOST_TEST(file["workerBatchesPerSecond"] == 80);
}

BOOST_AUTO_TEST_CASE(reads_decimals_of_messages_as_numbers_or_as_text) {
  const auto result = jobResultFromMessage(
      R"({"event":"result","state":"Succeeded","steps":470,"epochs":5,"samplesPerSecond":34730.5,)"
      R"("loss":0.25,"testAccuracy":"0.91","testPerplexity":"\u001b[31m","seed":1})");

  BOOST_REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  BOOST_TEST(result->steps == 470);
  BOOST_TEST(result->epochs == 5);
  BOOST_TEST(result->samples_per_second.value() == 34730.5);
  BOOST_TEST(result->loss.value() == 0.25);
  BOOST_TEST(result->test_accuracy.value() == 0.91);
  BOOST_TEST(!result->test_perplexity.has_value());
}

BOOST_AUTO_TEST_CASE(tells_why_the_last_checkpoint_is_missing_but_not_in_its_message) {
  JobResult result;
  BOOST_TEST(toFile(result).find("checkpointNotWritten") == std::string::npos);
  result.unkept = "no room";
  const auto read = jobResultFromJson(json::parse(toFile(result)));
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST(read->unkept == "no room");
  BOOST_TEST(toMessage(result).find("no room") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(is_not_what_any_other_message_says) {
  const std::string long_text = R"({"steps":1,"x":")" + std::string(5000, 'x') + "\"}";
  for (const std::string& message :
       {std::string(), std::string("lost its peers"), std::string("[1]"), std::string("{"),
        std::string("{}"), std::string(R"({"steps":-1})"), std::string(R"({"steps":"1"})"),
        std::string(R"({"steps":1.5})"), std::string(R"({"steps":1,"state":"Failed"})"),
        std::string(R"({"steps":1,"parametersSha256":"abc"})"),
        std::string(R"({"steps":1,"modelPath":7})"), std::string("{\"steps\":1}\xff"), long_text}) {
    BOOST_TEST_CONTEXT(message.substr(0, 60)) {
      const auto result = jobResultFromMessage(message);
      BOOST_TEST_REQUIRE(!result.has_value());
      BOOST_TEST(result.error().code == ErrorCode::kInvalid);
    }
  }
}

BOOST_AUTO_TEST_CASE(has_exactly_the_fields_that_its_page_explains) {
  const auto page =
      readTextFile(std::string(SUMAC_SOURCE_FOLDER) + "/docs/results.md", std::uint64_t{1} << 20U);
  BOOST_REQUIRE(page.has_value());
  const auto begin = page->find("## `result.json`");
  const std::string section = page->substr(begin, page->find("\n## ", begin + 1) - begin);
  std::set<std::string> explained;
  const std::regex row("\n\\| (`[^|]*) \\|");
  const std::regex name("`([A-Za-z0-9]+)`");
  for (std::sregex_iterator it(section.begin(), section.end(), row), end; it != end; ++it) {
    const std::string names = (*it)[1].str();
    for (std::sregex_iterator each(names.begin(), names.end(), name); each != end; ++each)
      explained.insert((*each)[1].str());
  }
  std::set<std::string> written;
  JobResult whole = theLongest();
  whole.worker_times = {WorkerTimes()};
  whole.unkept = "no room";
  const json file = json::parse(toFile(whole));
  for (const auto& [key, value] : file.items())
    written.insert(key);

  BOOST_TEST(explained == written, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job_result_test
