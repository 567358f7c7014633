#include "job/profile/profile_json.h"

#include <string>
#include <utility>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

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
      with("\"summedBy\": \"servers\",\n      \"workers\": 1,\n      \"servers\": 1,", ""));

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

struct Refused {
  const char* from;
  const char* to;
  const char* message;  // what it ends with
};

std::ostream& operator<<(std::ostream& out, const Refused& refused) {
  return out << refused.from << " -> " << refused.to;
}

const Refused kRefused[] = {
    {"\"schemaVersion\": 1", "\"schemaVersion\": 2",
     "schemaVersion: must be 1; measure again with sumac profile"},
    {"\"schemaVersion\": 1,", "", "schemaVersion: is missing"},
    {"\"Profile\"", "\"Experiment\"", "kind: must be \"Profile\""},
    {"\"version\": \"0.1.0\"", "\"version\": \"\"",
     "version: must be a text of 1 to 256 bytes without control characters or marks of direction"},
    {"\"host\": \"node-1\"", "\"host\": 1",
     "machine.host: must be a text of 1 to 256 bytes without control characters or marks of "
     "direction"},
    {"\"host\": \"node-1\"", "\"host\": \"a\\u001b[2J\"",
     "machine.host: must be a text of 1 to 256 bytes without control characters or marks of "
     "direction"},
    {"\"host\": \"node-1\"", "\"host\": \"a\\nb\"",
     "machine.host: must be a text of 1 to 256 bytes without control characters or marks of "
     "direction"},
    {"\"host\": \"node-1\"", "\"host\": \"a\\u009bb\"",
     "machine.host: must be a text of 1 to 256 bytes without control characters or marks of "
     "direction"},
    {"\"host\": \"node-1\"", "\"host\": \"a\\u200fb\"",
     "machine.host: must be a text of 1 to 256 bytes without control characters or marks of "
     "direction"},
    {"\"host\": \"node-1\"", "\"host\": \"a\\u202eb\"",
     "machine.host: must be a text of 1 to 256 bytes without control characters or marks of "
     "direction"},
    {"\"kernels\": \"avx512\"", "\"kernels\": \"sse9\"",
     "kernels: must be baseline, avx2 or avx512"},
    {"\"cores\": 2", "\"cores\": 2.0", "machine.cores: must be a whole number from 1 to 1000000"},
    {"\"cores\": 2", "\"cores\": 0", "machine.cores: must be a whole number from 1 to 1000000"},
    {"\"quota\": 1.5", "\"quota\": 0",
     "machine.quota: must be above 0; without a limit leave it out"},
    {"aaaaaaaa\"", "aaaaaaaA\"", "network.sha256: must be 64 hexadecimal digits"},
    {"\"samples\": 16", "\"samples\": -16",
     "batches[0].samples: must be a whole number from 1 to 1099511627776"},
    {"\"samples\": 16", "\"samples\": 18446744073709551615",
     "batches[0].samples: must be a whole number from 1 to 1099511627776"},
    {"\"samples\": 16", "\"samples\": 1", "batches[0].parts: there are more than samples"},
    {"\"median\": 0.001", "\"median\": -0.001",
     "batches[0].forwardSeconds.median: must be a number from 0 to 1000000.0"},
    {"\"median\": 0.001", "\"median\": 0.5",
     "batches[0].forwardSeconds: its quartiles must lie around the median"},
    {"\"median\": 0.001", "\"median\": \"0.001\"",
     "batches[0].forwardSeconds.median: must be a number from 0 to 1000000.0"},
    {"\"median\": 0.001", "\"median\": NaN", "it is not JSON, or is cut short"},
    {"\"median\": 0.001", "\"median\": 1e999", "it is not JSON, or is cut short"},
    {"\"samples\": 16", "\"samples\": 16, \"samples\": 16", "its key \"samples\" comes twice"},
    {"\"samples\": 16", "\"samples\": 16, \"gpu\": 1",
     "batches[0].gpu: is not a field of a profile"},
    {"\"name\": \"dense1\"", "\"name\": \"conv1\"", "batches[0].layers: \"conv1\" comes twice"},
    {"\"values\": 150", "\"values\": 0",
     "batches[0].layers[0].tensors[1].values: must be a whole number from 1 to 1099511627776"},
    {"\"bytes\": 65536", "\"bytes\": 0",
     "links[1]: its path, bytes and members are those of another link"},
    {"\"workers\": 1", "\"workers\": 0",
     "links[0].workers: must be a whole number from 1 to 1000000"},
    {"\"summedBy\": \"servers\"", "\"summedBy\": \"nobody\"",
     "links[0].summedBy: must be servers, owners or everyone"},
    {"\"servers\": 1", "\"servers\": 0",
     "links[0].servers: must be above 0 where servers sum, and else 0"},
    {"\"bytes\": 65536", "\"bytes\": [[[[[[[[[0]]]]]]]]]", "it is nested too deep"},
    {"\"crowded\": 1.25", "\"crowded\": 0",
     "batches[0].crowded: must be a number from 1.0 to 1000.0"},
    {"\"crowded\": 1.25", "\"crowded\": 0.99",
     "batches[0].crowded: must be a number from 1.0 to 1000.0"},
    {"20000000000.0", "-1", "sumBytesPerSecond: must be a number from 0 to 1e+15"},
};

BOOST_DATA_TEST_CASE(refuses_what_is_wrong_and_says_where, kRefused, refused) {
  const auto read = profileFromJson(with(refused.from, refused.to));

  BOOST_TEST_REQUIRE(!read.has_value());
  BOOST_TEST(read.error().message.ends_with(refused.message), read.error().message);
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

BOOST_AUTO_TEST_CASE(refuses_two_batches_of_one_size) {
  JobProfile profile = aProfile();
  profile.batches.push_back(profile.batches.front());

  const auto read = profileFromJson(toJson(profile));

  BOOST_TEST_REQUIRE(!read.has_value());
  BOOST_TEST(read.error().message.ends_with(
      "batches[1]: its samples, parts and threads are those of another batch"));
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
