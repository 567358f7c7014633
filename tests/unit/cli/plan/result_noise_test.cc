#include "cli/plan/result_noise.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/unit/cli/plan/planned.h"

namespace sumac::cli {
namespace {

/// A run's result; `more` are its further fields.
std::string resultText(const std::string& more) {
  return R"({"state": "Succeeded", "job": "planned", "steps": 10, "epochs": 1,)" + more +
         R"("noiseScale": 400, "noiseScaleLow": 300, "noiseScaleHigh": 500, "noiseScaleSteps": 10})";
}

class Results : public PlanCalls {
 public:
  Results() {
    options.result = file("result.json");
    options.most_workers = 2;
  }

  /// What is said of this result.
  std::string refusal(const std::string& text) {
    write("result.json", text);
    const Planned planned = call();
    BOOST_TEST((planned.code == ExitCode::kBadConfiguration), planned.out);
    return planned.err;
  }

  /// The job.yaml beside it, with one part replaced.
  void writeJob(const std::string& part, const std::string& by) {
    std::string job(kPlannedJob);
    job.replace(job.find(part), part.size(), by);
    write("job.yaml", job);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(result_noise, Results)

BOOST_AUTO_TEST_CASE(a_noise_scale_lets_batches_be_compared) {
  write("result.json", resultText(R"("model": "lenet5",)"));
  options.format = PlanFormat::kJson;

  const Planned planned = call();

  BOOST_TEST_REQUIRE((planned.code == ExitCode::kDone), planned.err);
  BOOST_TEST(has(planned.out, "\"batchSize\": 512"));
  BOOST_TEST(has(planned.out, "gradient noise scale"));
  BOOST_TEST(has(planned.out, "tells the network's name, and no job.yaml lies beside it"));
}

BOOST_AUTO_TEST_CASE(the_result_of_another_network_is_refused) {
  BOOST_TEST(has(refusal(resultText(R"("model": "ptb-lstm-small",)")),
                 "the result is of the network ptb-lstm-small, the job has lenet5"));
  BOOST_TEST(has(refusal(resultText(R"("model": "",)")), "of the network layers"));
}

BOOST_AUTO_TEST_CASE(the_job_beside_a_result_tells_optimizer_and_network) {
  write("result.json", resultText(R"("model": "lenet5",)"));
  write("job.yaml", std::string(kPlannedJob));
  const Planned same = call();
  BOOST_TEST((same.code == ExitCode::kDone), same.err);
  BOOST_TEST(!has(same.out, "job.yaml"), same.out);

  writeJob("name: sgd", "name: adam");
  BOOST_TEST(has(refusal(resultText(R"("model": "lenet5",)")),
                 "the result is of the optimizer adam, the job has sgd"));
  writeJob("lenet5}", "cifar10-quick}");
  BOOST_TEST(has(call().out, "no job.yaml lies beside it"));  // it cannot be of this result

  writeJob("name: planned", "name: another");
  BOOST_TEST((call().code == ExitCode::kDone));
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_named_with_file_and_field) {
  const auto with = [this](const std::string& field, const std::string& value) {
    return refusal(R"({"state": "Succeeded", "steps": 10, "noiseScale": 400, ")" + field +
                   "\": " + value + "}");
  };
  const std::string file_name = "error: " + file("result.json").string() + ": ";
  for (const char* const field : {"noiseScale", "noiseScaleLow", "noiseScaleHigh"}) {
    for (const char* const value : {"-5", "0", "1e300", "1e13", "1e-400"})
      BOOST_TEST(has(with(field, value), file_name + field + ": found "), field << value);
    BOOST_TEST(
        has(with(field, "\"many\""), std::string(field) + ": found string, must be a number"));
    BOOST_TEST(has(with(field, "[1]"), std::string(field) + ": found array"));
  }
  BOOST_TEST(has(with("noiseScaleLow", "500"), "lies outside of noiseScaleLow to noiseScaleHigh"));
  BOOST_TEST(has(with("noiseScaleHigh", "300"), "lies outside of"));
}

BOOST_AUTO_TEST_CASE(what_is_no_result_is_named) {
  BOOST_TEST(has(refusal("[]"), "this is not the result of a run; give its result.json"));
  BOOST_TEST(has(refusal(toJson(profile())), "this is not the result of a run"));
  BOOST_TEST(has(refusal(R"({"state": "Failed", "steps": 1})"), "the run did not succeed"));
  BOOST_TEST(has(refusal(R"({"state": "Succeeded", "steps": 1, "epochs": 1})"),
                 "the run estimated no noise scale"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
