#include "cli/plan/result_noise.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
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

  /// A result that is refused.
  void refuse(const std::string& name, const std::string& text) {
    write("result.json", text);
    refuse(name);
  }
  void refuse(const std::string& name) {
    const Planned planned = call();
    BOOST_TEST((planned.code == ExitCode::kBadConfiguration), name);
    const std::string path = file("result.json").string();
    const auto at = planned.err.find(path);
    BOOST_TEST_REQUIRE(at != planned.err.npos, planned.err);
    said.add(name, std::string(planned.err).replace(at, path.size(), "result.json"));
  }

  /// The job.yaml beside it, with one part replaced.
  void writeJob(const std::string& part, const std::string& by) {
    std::string job(kPlannedJob);
    job.replace(job.find(part), part.size(), by);
    write("job.yaml", job);
  }

  test::Transcript said;
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
  BOOST_TEST(has(planned.out, "job.yaml"));
}

BOOST_AUTO_TEST_CASE(the_job_beside_a_result_tells_optimizer_and_network) {
  options.format = PlanFormat::kJson;
  write("result.json", resultText(R"("model": "lenet5",)"));
  write("job.yaml", std::string(kPlannedJob));
  const Planned same = call();
  BOOST_TEST((same.code == ExitCode::kDone), same.err);
  BOOST_TEST(!has(same.out, "job.yaml"), same.out);

  writeJob("lenet5}", "cifar10-quick}");
  BOOST_TEST(has(call().out, "job.yaml"));  // it cannot be of this result

  writeJob("name: planned", "name: another");
  BOOST_TEST((call().code == ExitCode::kDone));
}

BOOST_AUTO_TEST_CASE(what_is_no_result_of_this_job_is_refused) {
  const auto with = [this](const std::string& field, const std::string& value) {
    refuse(field + " " + value, R"({"state": "Succeeded", "steps": 10, "noiseScale": 400, ")" +
                                    field + "\": " + value + "}");
  };
  for (const char* const field : {"noiseScale", "noiseScaleLow", "noiseScaleHigh"}) {
    for (const char* const value : {"-5", "0", "1e300", "1e13", "1e-400", "\"many\"", "[1]"})
      with(field, value);
  }
  with("noiseScaleLow", "500");
  with("noiseScaleHigh", "300");
  refuse("no result", "[]");
  refuse("a profile", toJson(profile()));
  refuse("a failed run", R"({"state": "Failed", "steps": 1})");
  refuse("no noise scale", R"({"state": "Succeeded", "steps": 1, "epochs": 1})");
  refuse("another network", resultText(R"("model": "ptb-lstm-small",)"));
  refuse("a network of layers", resultText(R"("model": "",)"));
  writeJob("name: sgd", "name: adam");
  refuse("another optimizer", resultText(R"("model": "lenet5",)"));
  test::checkGolden("cli/plan/results.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
