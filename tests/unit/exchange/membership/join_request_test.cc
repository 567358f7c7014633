#include "exchange/membership/join_request.h"

#include <boost/test/unit_test.hpp>

namespace sumac::join_request_test {

BOOST_AUTO_TEST_SUITE(join_request)

BOOST_AUTO_TEST_CASE(reads_back_what_it_wrote) {
  const JoinRequest request{
      "a=1\nb=2\n", {"baseline", "avx2"}, "tcp://10.0.0.1:7070", 500, 6022, "CPU", 20'000'000'000,
      "direct"};
  const Result<JoinRequest> read = joinRequestFromJson(toJson(request));
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST((*read == request));
}

BOOST_AUTO_TEST_CASE(refuses_anything_else) {
  const std::string good = toJson(JoinRequest{});
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), std::string("{\"plan\":1}"),
        std::string(100'000, '['), good.substr(0, good.size() - 1), std::string("\xff\xfe"),
        std::string(R"({"plan":"","kernels":[1],"endpoint":"","newestCheckpoint":0,)"
                    R"("vocabulary":0,"description":"","addRate":0,"algorithm":""})"),
        std::string(R"({"plan":"","kernels":[],"endpoint":"","newestCheckpoint":-1,)"
                    R"("vocabulary":0,"description":"","addRate":0,"algorithm":""})"),
        std::string(R"({"plan":"","kernels":[],"endpoint":"","newestCheckpoint":0,)"
                    R"("vocabulary":-1,"description":"","addRate":0,"algorithm":""})"),
        std::string(R"({"plan":"","kernels":[],"endpoint":"","newestCheckpoint":0,)"
                    R"("vocabulary":1e9,"description":"","addRate":0,"algorithm":""})"),
        std::string(R"({"plan":"","kernels":[],"endpoint":"","newestCheckpoint":0,)"
                    R"("vocabulary":0,"description":"","addRate":-1,"algorithm":""})"),
        std::string(R"({"plan":"","kernels":[],"endpoint":"","newestCheckpoint":0,)"
                    R"("vocabulary":0,"description":"","addRate":1e9,"algorithm":""})"),
        std::string(R"({"plan":"","kernels":[],"endpoint":"","newestCheckpoint":0,)"
                    R"("vocabulary":0,"description":"","addRate":0,"algorithm":1})"),
        std::string(R"({"plan":"","kernels":[],"endpoint":"","newestCheckpoint":1e300,)"
                    R"("vocabulary":0,"description":"","addRate":0,"algorithm":""})")}) {
    BOOST_TEST(!joinRequestFromJson(text).has_value(), text.substr(0, 80) << " was taken");
  }
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
