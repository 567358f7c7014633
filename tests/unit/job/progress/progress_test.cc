#include "job/progress/progress.h"

#include <limits>
#include <set>
#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "job/document/field.h"
#include "job/progress/job_result.h"
#include "tests/support/progress_of.h"

namespace sumac::progress_test {
namespace {

using nlohmann::json;

Progress aProgress() {
  Progress progress = progressOf(199, 300, 2, 0.25);
  progress.samples_per_second = 100;
  progress.batches_per_second = 1.5625;
  return progress;
}

Progress after(Step step, Step total_steps) {
  Progress progress;
  progress.step = step;
  progress.total_steps = total_steps;
  return progress;
}

std::set<std::string> keysOf(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items())
    keys.insert(key);
  return keys;
}

/// The fields that the schema has in this section of the status.
std::set<std::string> schemaOf(const std::string& section) {
  std::set<std::string> names;
  const job::Field status = job::internal::statusSection();
  for (const job::Field& field : status.fields) {
    if (field.name != section) continue;
    for (const job::Field& inner : field.fields)
      names.insert(inner.name);
  }
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(is_the_same_after_a_line_and_after_a_status) {
  Progress whole = aProgress();
  whole.perplexity = 1.28403;
  whole.learning_rate = 0.1;
  whole.gradient_norm = 3.5;
  whole.noise_scale = NoiseScale{.samples = 120, .low = 100, .high = 144, .steps = 512};
  whole.gradient_seconds = 8.5;
  whole.update_seconds = 1.25;
  whole.sum_wait_seconds = 2;
  whole.data_wait_seconds = 0.5;
  whole.seconds = 12.5;
  Progress kept = aProgress();
  kept.checkpoint = 150;
  kept.skipped = 180;
  kept.last_update = *parseRfc3339("2026-01-31T12:00:00Z");

  BOOST_TEST((*progressFromJson(json::parse(toLine(whole))) == whole));
  BOOST_TEST((*progressFromJson(json(toStatusJson(kept))) == kept));
}

BOOST_AUTO_TEST_CASE(what_is_no_straggler_is_left_out) {
  for (const char* const none :
       {"1", "{}", R"({"worker":-1,"slowdown":2})", R"({"worker":1})",
        R"({"worker":1,"slowdown":"fast"})", R"({"worker":1e6,"slowdown":2})",
        R"({"worker":1,"slowdown":0.5})"})
    BOOST_TEST(!progressFromJson(json{{"straggler", json::parse(none)}})->straggler, none);
}

BOOST_AUTO_TEST_CASE(says_which_event_it_is_first) {
  BOOST_TEST(toLine(Progress()).starts_with(R"({"event":"progress","step":0,)"));
  BOOST_TEST(toLine(Progress(), /*is_interim=*/true).starts_with(R"({"event":"interim")"));
}

BOOST_AUTO_TEST_CASE(has_numbers_as_numbers_and_decimals_as_text_in_a_status) {
  BOOST_TEST(toStatusJson(aProgress()).dump() ==
             R"({"step":199,"totalSteps":300,"percentage":66,"epoch":2,"loss":"0.25",)"
             R"("samplesPerSecond":"100.0","batchesPerSecond":"1.5625",)"
             R"("estimatedRemainingSeconds":65})");
}

BOOST_AUTO_TEST_CASE(leaves_out_what_is_not_known_and_what_decimals_cannot_hold) {
  Progress odd = after(1, 2);
  odd.loss = std::numeric_limits<double>::quiet_NaN();
  odd.samples_per_second = 1e300;
  odd.batches_per_second = 1e-300;

  BOOST_TEST(toStatusJson(odd).dump() ==
             R"({"step":1,"totalSteps":2,"percentage":50,"epoch":0,"batchesPerSecond":"0"})");
  BOOST_TEST(!json::parse(toLine(odd)).contains("loss"));
}

BOOST_AUTO_TEST_CASE(writes_exactly_the_fields_that_the_schema_of_the_status_has) {
  Progress progress = aProgress();
  progress.checkpoint = progress.skipped = 1;
  progress.last_update = WallTime();
  JobResult result;
  result.seconds = result.samples_per_second = result.batches_per_second = 1;
  result.loss = result.valid_accuracy = result.test_accuracy = 1;
  result.valid_perplexity = result.test_perplexity = 1;
  result.parameters_sha256 = std::string(64, 'a');
  result.model_path = "/output/model.safetensors";

  BOOST_TEST(keysOf(toStatusJson(progress)) == schemaOf("progress"),
             boost::test_tools::per_element());
  BOOST_TEST(keysOf(toStatusJson(result)) == schemaOf("result"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(knows_its_percentage_for_any_numbers) {
  BOOST_TEST(after(0, 0).percentage() == 0);
  BOOST_TEST(after(299, 300).percentage() == 99);
  BOOST_TEST(after(300, 300).percentage() == 100);
  BOOST_TEST(after(301, 300).percentage() == 100);
  const Step most = std::numeric_limits<Step>::max();
  BOOST_TEST(after(1, most).percentage() == 0);
  BOOST_TEST(after(most, most).percentage() == 100);
}

BOOST_AUTO_TEST_CASE(knows_the_time_left_only_with_a_speed) {
  Progress progress = after(100, 400);
  BOOST_TEST(!progress.remainingSeconds().has_value());
  progress.batches_per_second = 0;
  BOOST_TEST(!progress.remainingSeconds().has_value());
  progress.batches_per_second = 7;
  BOOST_TEST(progress.remainingSeconds().value() == 43);
  progress.step = 400;
  BOOST_TEST(progress.remainingSeconds().value() == 0);
}

BOOST_AUTO_TEST_CASE(takes_decimals_that_are_none_as_absent) {
  for (const char* loss : {"null", R"("nan")", R"("x")", "{}", R"("")", R"("1 ")", "true",
                           R"("0.1234567890123456789012345678901")"}) {
    BOOST_TEST_CONTEXT(loss) {
      const auto read = progressFromJson(json{{"loss", json::parse(loss)}});
      BOOST_TEST_REQUIRE(read.has_value());
      BOOST_TEST(!read->loss.has_value());
    }
  }
  BOOST_TEST(progressFromJson(json{{"loss", "1e-9"}})->loss.value() == 1e-9);
}

BOOST_AUTO_TEST_CASE(is_refused_where_steps_cannot_be_counted) {
  for (const char* step : {"-1", R"("1")", "1.5", "1e300", "[]", "18446744073709551615"}) {
    BOOST_TEST_CONTEXT(step) {
      const auto read = progressFromJson(json{{"step", json::parse(step)}});
      BOOST_TEST_REQUIRE(!read.has_value());
      BOOST_TEST(read.error().message.starts_with("step: "));
    }
  }
  BOOST_TEST(!progressFromJson(json::array()).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::progress_test
