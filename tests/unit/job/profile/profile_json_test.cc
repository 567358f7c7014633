#include "job/profile/profile_json.h"

#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::profile_json_test {

JobProfile aProfile() {
  LayerProfile conv{.name = "conv1",
                    .tensors = {{"conv1.bias", 6, 1e-6}, {"conv1.weight", 150, 2e-6}},
                    .forward_seconds = 3e-6,
                    .input_gradient_seconds = 0,
                    .update_seconds = 1e-7,
                    .value_bytes = 4704};
  LayerProfile dense{.name = "dense1",
                     .tensors = {{"dense1.weight", 480, 4e-6}},
                     .forward_seconds = 5e-6,
                     .input_gradient_seconds = 6e-6,
                     .update_seconds = 2e-7,
                     .value_bytes = 640};
  JobProfile profile;
  profile.version = "0.1.0";
  profile.machine = {"node-1", "AMD EPYC", "avx512", 2, 1.5};
  profile.subject = {"lenet5", std::string(64, 'a'), "sgd", 4};
  profile.batches = {{.samples = 16,
                      .parts = 2,
                      .threads = 1,
                      .forward = {1e-3, 0.9e-3, 1.2e-3},
                      .backward = {2e-3, 1.9e-3, 2.2e-3},
                      .update = {1e-5, 1e-5, 1e-5},
                      .crowded = 1.25,
                      .workspace_bytes = 123'456,
                      .layers = {conv, dense}}};
  profile.links = {{"tcp", 0, {50e-6, 40e-6, 70e-6}},
                   {"tcp", 65'536, {90e-6, 80e-6, 95e-6}},
                   {"tcp", 65'536, {190e-6, 180e-6, 195e-6}, ExchangeMethod::kDecentralized, 2, 0}};
  profile.sum_bytes_per_second = 2e10;
  return profile;
}

/// The profile's document with `from`, which has to be in it, replaced by `to` where it comes
/// first.
std::string with(const std::string& from, const std::string& to) {
  std::string text = toJson(aProfile());
  const auto at = text.find(from);
  BOOST_TEST_REQUIRE(at != std::string::npos, from << " is not in the document");
  return text.replace(at, from.size(), to);
}

BOOST_AUTO_TEST_SUITE(profile_json)

BOOST_AUTO_TEST_CASE(reads_back_what_it_wrote) {
  const auto read = profileFromJson(toJson(aProfile()));

  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST((*read == aProfile()));
}

BOOST_AUTO_TEST_CASE(links_that_do_not_say_who_took_part_are_of_one_worker_and_one_server) {
  const auto read = profileFromJson(
      with("\"summedBy\": \"centralized\",\n      \"workers\": 1,\n      \"servers\": 1,", ""));

  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST((*read == aProfile()));
}

BOOST_AUTO_TEST_CASE(a_machine_without_limit_and_a_profile_without_measurements_are_profiles) {
  JobProfile profile = aProfile();
  profile.machine.quota.reset();
  profile.batches.clear();
  profile.links.clear();
  profile.sum_bytes_per_second = 0;

  const auto read = profileFromJson(toJson(profile));

  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST((*read == profile));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_wrong_and_says_where) {
  struct Case {
    std::string path;
    const char* from;
    const char* to;
  };
  const Case cases[] = {
      {"schemaVersion", "\"schemaVersion\": 1", "\"schemaVersion\": 2"},
      {"schemaVersion", "\"schemaVersion\": 1,", ""},
      {"kind", "\"Profile\"", "\"Experiment\""},
      {"version", "\"version\": \"0.1.0\"", "\"version\": \"\""},
      {"machine.host", "\"host\": \"node-1\"", "\"host\": 1"},
      {"machine.host", "\"host\": \"node-1\"", "\"host\": \"a\\u001b[2J\""},
      {"machine.host", "\"host\": \"node-1\"", "\"host\": \"a\\nb\""},
      {"machine.host", "\"host\": \"node-1\"", "\"host\": \"a\\u009bb\""},
      {"machine.host", "\"host\": \"node-1\"", "\"host\": \"a\\u200fb\""},
      {"machine.host", "\"host\": \"node-1\"", "\"host\": \"a\\u202eb\""},
      {"machine.kernels", "\"kernels\": \"avx512\"", "\"kernels\": \"sse9\""},
      {"machine.cores", "\"cores\": 2", "\"cores\": 2.0"},
      {"machine.cores", "\"cores\": 2", "\"cores\": 0"},
      {"machine.quota", "\"quota\": 1.5", "\"quota\": 0"},
      {"network.sha256", "aaaaaaaa\"", "aaaaaaaA\""},
      {"batches[0].samples", "\"samples\": 16", "\"samples\": -16"},
      {"batches[0].samples", "\"samples\": 16", "\"samples\": 18446744073709551615"},
      {"batches[0].parts", "\"samples\": 16", "\"samples\": 1"},
      {"batches[0].forwardSeconds.median", "\"median\": 0.001", "\"median\": -0.001"},
      {"batches[0].forwardSeconds", "\"median\": 0.001", "\"median\": 0.5"},
      {"batches[0].forwardSeconds.median", "\"median\": 0.001", "\"median\": \"0.001\""},
      {"", "\"median\": 0.001", "\"median\": NaN"},
      {"", "\"median\": 0.001", "\"median\": 1e999"},
      {"", "\"samples\": 16", "\"samples\": 16, \"samples\": 16"},
      {"batches[0].gpu", "\"samples\": 16", "\"samples\": 16, \"gpu\": 1"},
      {"batches[0].layers", "\"name\": \"dense1\"", "\"name\": \"conv1\""},
      {"batches[0].layers[0].tensors[1].values", "\"values\": 150", "\"values\": 0"},
      {"links[1]", "\"bytes\": 65536", "\"bytes\": 0"},
      {"links[0].workers", "\"workers\": 1", "\"workers\": 0"},
      {"links[0].summedBy", "\"summedBy\": \"centralized\"", "\"summedBy\": \"nobody\""},
      {"links[0].servers", "\"servers\": 1", "\"servers\": 0"},
      {"", "\"bytes\": 65536", "\"bytes\": [[[[[[[[[0]]]]]]]]]"},
      {"batches[0].crowded", "\"crowded\": 1.25", "\"crowded\": 0"},
      {"batches[0].crowded", "\"crowded\": 1.25", "\"crowded\": 0.99"},
      {"sumBytesPerSecond", "20000000000.0", "-1"}};
  test::Transcript said;
  const auto refuse = [&said](const std::string& text, const std::string& path, const auto& name) {
    const auto read = profileFromJson(text);
    BOOST_TEST_REQUIRE(!read.has_value(), name);
    const std::string& message = read.error().message;
    BOOST_TEST(message.find(path.empty() ? "" : path + ": ") != message.npos, message);
    said.add(name, message);
  };
  for (const auto& [path, from, to] : cases)
    refuse(with(from, to), path, std::string(to) + " for " + from);
  JobProfile twice = aProfile();
  twice.batches.push_back(twice.batches.front());
  refuse(toJson(twice), "batches[1]", "two batches of one size");
  test::checkGolden("job/profile/profile_json.txt", said.text());
}

BOOST_AUTO_TEST_CASE(writes_no_crowded_cores_that_it_would_refuse) {
  for (const auto& [measured, written] : {std::pair{0.98, 1.0}, {1e6, 1000.0}}) {
    JobProfile profile = aProfile();
    profile.batches.front().crowded = measured;

    const auto read = profileFromJson(toJson(profile));

    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST(read->batches.front().crowded == written);
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_is_cut_short_at_any_length) {
  std::string text = toJson(aProfile());
  text.pop_back();  // the line's end

  while (!text.empty()) {
    text.pop_back();
    BOOST_TEST(!profileFromJson(text).has_value(), text.size() << " bytes were taken");
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_is_too_large_or_not_an_object) {
  BOOST_TEST(!profileFromJson(std::string(kMaxProfileBytes + 1, ' ')).has_value());
  BOOST_TEST(!profileFromJson("[]").has_value());
  BOOST_TEST(!profileFromJson("null").has_value());
  BOOST_TEST(!profileFromJson(std::string(100'000, '[')).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::profile_json_test
