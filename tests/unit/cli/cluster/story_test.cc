#include "cli/cluster/story.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::story_test {

namespace {

api::TrainingJob job(const std::string& state, const nlohmann::json& held, int percentage = -1,
                     int attempt = 0) {
  nlohmann::json object = jobObject();
  object["status"] = statusObject(state, held);
  object["status"]["attempt"] = attempt;
  if (percentage >= 0) object["status"]["progress"] = progressObject(percentage);
  return jobOf(object);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

struct Fixture {
  std::string tell(const api::TrainingJob& state) {
    return joined(story.onState(state, at("12:02:30")));
  }

  Story story{true, at("12:02:00")};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(story, Fixture)

BOOST_AUTO_TEST_CASE(tells_each_state_once) {
  const auto running = job("Running", condition("Running", "Running", "2 of 2 are ready"));

  BOOST_TEST(tell(jobOf(jobObject())) == "[30s] Pending\n");
  BOOST_TEST(tell(jobOf(jobObject())) == "");
  BOOST_TEST(tell(running) == "[30s] Running: 2 of 2 are ready\n");
  BOOST_TEST(tell(running) == "");
}

BOOST_AUTO_TEST_CASE(tells_new_reasons_to_wait) {
  BOOST_TEST(tell(job("Pending", condition("Running", "Pending", "pods are made", "False"))) ==
             "[30s] Pending: pods are made\n");
  BOOST_TEST(tell(job("Pending", condition("Running", "Unschedulable", "no room", "False"))) ==
             "[30s] Pending: no room\n");
}

BOOST_AUTO_TEST_CASE(tells_progress_at_each_tenth) {
  const auto held = condition("Running", "Running");
  BOOST_TEST(tell(job("Running", held, 5)) == "[30s] Running\n");
  BOOST_TEST(contains(tell(job("Running", held, 11)), "step 66/600 (11 %)"));
  BOOST_TEST(tell(job("Running", held, 19)) == "");
  BOOST_TEST(contains(tell(job("Running", held, 35)), "(35 %)"));
}

BOOST_AUTO_TEST_CASE(leaves_the_last_tenth_to_the_result) {
  BOOST_TEST(tell(job("Succeeded", condition("Succeeded", "Completed"), 100)) ==
             "[30s] Succeeded\n");
}

BOOST_AUTO_TEST_CASE(tells_new_attempts) {
  const auto held = condition("Running", "Running");
  tell(job("Running", held, 5, 0));  // the first one

  BOOST_TEST(tell(job("Running", held, 5, 1)) == "[30s] attempt 1\n");
}

BOOST_AUTO_TEST_CASE(says_nothing_of_progress_where_nobody_wants_it) {
  Story quiet(false, at("12:02:00"));

  BOOST_TEST(joined(quiet.onState(job("Running", condition("Running", "Running"), 50),
                                  at("12:02:30"))) == "[30s] Running\n");
}

BOOST_AUTO_TEST_CASE(ends_with_the_exit_code_of_the_result) {
  const auto end = [](const std::string& type, const std::string& reason) {
    return endOf(job(type, condition(type, reason)).status);
  };

  BOOST_TEST((end("Running", "Running") == std::nullopt));
  BOOST_TEST((end("Succeeded", "Completed") == ExitCode::kDone));
  BOOST_TEST((end("Failed", "BackoffLimitExceeded") == ExitCode::kFailed));
  BOOST_TEST((end("Failed", "InvalidSpec") == ExitCode::kBadConfiguration));
}

BOOST_AUTO_TEST_CASE(puts_a_result_on_one_line) {
  JobResult result;
  result.steps = 100;
  result.loss = 0.3;
  result.test_accuracy = 0.91;
  result.model_path = "/output/model.safetensors";

  BOOST_TEST(resultText(result) ==
             "100 steps, loss 0.3, test accuracy 0.91, model /output/model.safetensors");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::story_test
