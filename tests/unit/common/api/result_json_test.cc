#include <boost/test/unit_test.hpp>

#include "common/api/json.h"

namespace sumac::api {
namespace {

BOOST_AUTO_TEST_SUITE(result_json)

BOOST_AUTO_TEST_CASE(the_result_of_a_member_is_read_with_decimals_as_text) {
  const std::string hash(64, 'b');
  const auto result = resultFromMessage(
      R"({"event":"result","state":"Succeeded","steps":470,"epochs":5,"samplesPerSecond":34730.5,"trainLoss":0.25,"testAccuracy":"0.91",)"
      R"("parametersSha256":")" +
      hash + R"(","modelPath":"/output/model.safetensors","seed":1})");

  BOOST_REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  BOOST_TEST(result->steps == 470);
  BOOST_TEST(result->epochs == 5);
  BOOST_TEST(result->samples_per_second == "34730.5");
  BOOST_TEST(result->loss == "0.25");
  BOOST_TEST(result->test_accuracy == "0.91");
  BOOST_TEST(result->parameters_sha256 == hash);
  BOOST_TEST(result->model_path == "/output/model.safetensors");
  BOOST_TEST(result->valid_perplexity.empty());
}

BOOST_AUTO_TEST_CASE(decimals_that_are_none_are_left_out) {
  const auto result = resultFromMessage(
      R"({"steps":1,"loss":"NaN","testPerplexity":[1],"testAccuracy":"\u001b[31m"})");
  BOOST_TEST_REQUIRE(result.has_value());
  BOOST_TEST(result->loss.empty());
  BOOST_TEST(result->test_perplexity.empty());
  BOOST_TEST(result->test_accuracy.empty());
}

BOOST_AUTO_TEST_CASE(anything_else_is_no_result) {
  const std::string long_text = R"({"steps":1,"x":")" + std::string(5000, 'x') + "\"}";
  for (const std::string& message :
       {std::string(), std::string("lost its peers"), std::string("[1]"), std::string("{"),
        std::string("{}"), std::string(R"({"steps":-1})"), std::string(R"({"steps":"1"})"),
        std::string(R"({"steps":1.5})"), std::string(R"({"steps":1,"state":"Failed"})"),
        std::string(R"({"steps":1,"parametersSha256":"abc"})"),
        std::string(R"({"steps":1,"modelPath":7})"), std::string("{\"steps\":1}\xff"), long_text}) {
    BOOST_TEST_CONTEXT(message.substr(0, 60)) {
      const auto result = resultFromMessage(message);
      BOOST_TEST_REQUIRE(!result.has_value());
      BOOST_TEST(result.error().code == ErrorCode::kInvalid);
      BOOST_TEST(result.error().message.starts_with("the termination message is no result: "));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::api
