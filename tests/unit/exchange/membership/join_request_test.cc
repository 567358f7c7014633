#include "exchange/membership/join_request.h"

#include <ostream>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace sumac::join_request_test {
namespace {

using nlohmann::json;

JoinRequest some() {
  JoinRequest request;
  request.plan_text = "a=1\nb=2\n";
  request.kernels = {"baseline", "avx2"};
  request.endpoint = "tcp://10.0.0.1:7070";
  request.steps = 1000;
  request.newest_checkpoint = 500;
  request.size = 6022;
  request.description = "CPU";
  request.add_rate = 20'000'000'000;
  request.algorithm = "direct";
  request.followed = Followed{.order = {2, 7},
                              .members = {{{Role::kServer, 0}, 1}, {{Role::kWorker, 3}, 1234}},
                              .kernels = "avx2",
                              .evaluated = 400,
                              .has_halted = true,
                              .done = 512};
  request.volume = RosterOrder{3, 7};
  request.lacks_checkpoints = true;
  request.memory_limit = 1000;
  request.memory_needs = {{1, 3000}, {3, 2000}};
  return request;
}

const std::string kTexts[] = {"",
                              "[]",
                              "{}",
                              R"({"plan":1})",
                              "\xff\xfe",
                              std::string(100'000, '['),
                              toJson(some()).substr(0, toJson(some()).size() - 1)};

struct Other {
  const char* where;
  const char* value;
};
std::ostream& operator<<(std::ostream& out, const Other& other) {
  return out << other.where << ' ' << other.value;
}
constexpr Other kOthers[] = {
    {"/plan", "1"},
    {"/kernels", "[1]"},
    {"/newestCheckpoint", "-1"},
    {"/newestCheckpoint", "1e300"},
    {"/steps", "-1"},
    {"/steps", "9007199254740993"},
    {"/steps", "1.5"},
    {"/size", "-1"},
    {"/size", "1e9"},
    {"/addRate", "-1"},
    {"/addRate", "1e9"},
    {"/algorithm", "1"},
    {"/followed", "null"},
    {"/followed", "[]"},
    {"/followed", "{}"},
    {"/followed/order", "[1]"},
    {"/followed/order", "{}"},
    {"/followed/order/0", "2147483649"},
    {"/followed/order/0", "-1"},
    {"/followed/order/0", "\"1\""},
    {"/followed/order/1", "2147483649"},
    {"/followed/order/1", "1e300"},
    {"/followed/members", "7"},
    {"/followed/members/0", "\"w\""},
    {"/followed/members/0", "[\"w\", 0]"},
    {"/followed/members/0", "[\"w\", 0, 1, 1]"},
    {"/followed/members/0/0", "\"x\""},
    {"/followed/members/0/0", "0"},
    {"/followed/members/0/1", "-1"},
    {"/followed/members/0/1", "1000000"},
    {"/followed/members/0/1", "1.5"},
    {"/followed/members/0/2", "0"},
    {"/followed/members/0/2", "-1"},
    {"/followed/kernels", "1"},
    {"/followed/evaluated", "-1"},
    {"/followed/evaluated", "9007199254740993"},
    {"/followed/halted", "1"},
    {"/followed/done", "-1"},
    {"/followed/done", "9007199254740993"},
    {"/followed/done", "null"},
    {"/volume", "null"},
    {"/volume", "7"},
    {"/volume", "[7]"},
    {"/volume", "[1, 2, 3]"},
    {"/volume/0", "2147483649"},
    {"/volume/0", "-1"},
    {"/volume/1", "1.5"},
    {"/lacksCheckpoints", "1"},
    {"/memoryLimit", "-1"},
    {"/memoryLimit", "null"},
    {"/memoryLimit", "\"1\""},
    {"/memoryNeeds", "7"},
    {"/memoryNeeds", "{}"},
    {"/memoryNeeds/0", "[1]"},
    {"/memoryNeeds/0", "[1, 2, 3]"},
    {"/memoryNeeds/0/0", "0"},
    {"/memoryNeeds/0/0", "-1"},
    {"/memoryNeeds/0/0", "1000001"},
    {"/memoryNeeds/0/1", "-1"},
    {"/memoryNeeds/0/1", "1.5"},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(join_request)

BOOST_AUTO_TEST_CASE(reads_back_what_it_wrote) {
  JoinRequest request = some();
  for (const bool has_done : {true, false}) {
    if (!has_done) request.followed->done.reset();
    const Result<JoinRequest> read = joinRequestFromJson(toJson(request));
    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST((*read == request));
  }
  request.followed.reset();
  BOOST_TEST((joinRequestFromJson(toJson(request)).value() == request));
}

BOOST_DATA_TEST_CASE(refuses_other_texts, kTexts) {
  BOOST_TEST(!joinRequestFromJson(sample).has_value());
}

BOOST_DATA_TEST_CASE(refuses_other_values, kOthers) {
  json document = json::parse(toJson(some()));
  json& field = document[json::json_pointer(sample.where)];
  BOOST_TEST_REQUIRE(!field.is_null());
  field = json::parse(sample.value);
  BOOST_TEST(!joinRequestFromJson(document.dump()).has_value());
}

BOOST_AUTO_TEST_CASE(refuses_what_lacks_a_field) {
  const json whole = json::parse(toJson(some()));
  for (const auto& [key, value] : whole.items()) {
    json document = whole;
    document.erase(key);
    const bool is_needed =
        key != "followed" && key != "volume" && key != "lacksCheckpoints" && key != "memoryLimit";
    BOOST_TEST(joinRequestFromJson(document.dump()).has_value() != is_needed, key);
  }
  for (const auto& [key, value] : whole["followed"].items()) {
    json document = whole;
    document["followed"].erase(key);
    const bool is_needed = key != "done";
    BOOST_TEST(joinRequestFromJson(document.dump()).has_value() != is_needed, key);
  }
}

BOOST_AUTO_TEST_CASE(the_highest_order_and_step_are_read) {
  JoinRequest request = some();
  request.followed->order = {std::uint32_t{1} << 31U, std::uint32_t{1} << 31U};
  request.followed->done = request.steps = Step{1} << 53U;
  BOOST_TEST((joinRequestFromJson(toJson(request)).value() == request));
}

BOOST_AUTO_TEST_CASE(an_endpoint_is_no_longer_than_a_host_name_makes_it) {
  JoinRequest request;
  request.endpoint.assign(300, 'h');  // rosters repeat it and have 64 KiB
  BOOST_TEST(joinRequestFromJson(toJson(request)).has_value());
  request.endpoint += 'h';
  BOOST_TEST(!joinRequestFromJson(toJson(request)).has_value());
}

BOOST_AUTO_TEST_CASE(the_plan_hash_is_the_first_eight_bytes_of_sha_256) {
  BOOST_TEST(planHash("abc") == 0xEACF018FBF1678BAULL);  // ba7816bf 8f01cfea
}

BOOST_AUTO_TEST_CASE(names_the_lines_that_differ) {
  BOOST_TEST(planDifference("batchSize=128\nseed=1\n", "batchSize=64\nseed=1\n", "worker 1",
                            true) == "batchSize: worker 1 has 64, the job has 128");
  BOOST_TEST(planDifference("a=1", "b=2", "worker 1", true) ==
             "a: worker 1 has none, the job has 1; b: worker 1 has 2, the job has none");
}

BOOST_AUTO_TEST_CASE(lines_of_one_side_only_count_when_asked_to) {
  BOOST_TEST(planDifference("a=1", "a=1\nb=2", "worker 1", false).empty());
  BOOST_TEST(!planDifference("a=1", "a=1\nb=2", "worker 1", true).empty());
  BOOST_TEST(planDifference("", "", "worker 1", true).empty());
}

BOOST_AUTO_TEST_CASE(names_the_other_side_of_a_difference_as_asked) {
  BOOST_TEST(planDifference("seed=1", "seed=7", "this job", true, "the run") ==
             "seed: this job has 7, the run has 1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::join_request_test
