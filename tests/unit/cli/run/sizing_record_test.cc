#include "cli/run/sizing_record.h"

#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::sizing_record_test {
namespace {

using autoscaling::Goal;
using autoscaling::Reason;

SizingRecord record(const autoscaling::Policy& policy) {
  SizingRecord record{.policy = policy, .started = *parseRfc3339("2026-01-31T12:00:00Z")};
  record.changes = {{310, 60.5, 1, 2, Reason::kSavesTime, "saves 3.4 min until the end"},
                    {400, 99.25, 2, 4, Reason::kDeadline, "the end comes late"}};
  record.course.now = 600;
  record.course.workers = record.course.wanted = 4;
  record.course.worker_seconds = 2000;
  record.course.server_seconds = 600;
  record.course.memory.observations = {{1, 300, 0.2, 0.15, 60}, {4, 1000, 0.1, 0.0625, 590}};
  return record;
}

constexpr autoscaling::Prices kPrices{.worker_hour = 3.6, .server_hour = 1.2};

struct Folder {
  TemporaryFolder folder;
  std::filesystem::path file = folder / "result.json";

  void write(std::string_view text) { BOOST_REQUIRE(replaceFile(file, asBytes(text))); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sizing_record, Folder)

BOOST_AUTO_TEST_CASE(says_whether_a_deadline_or_a_budget_was_kept_and_by_how_much) {
  test::Transcript said;
  const auto add = [&said](const std::string& name, const autoscaling::Policy& policy,
                           bool is_complete = true) {
    said.add(name, sizingText(record(policy), is_complete));
  };
  add("throughput", {});
  add("with prices", {.prices = kPrices});
  add("a deadline that was kept", {.goal = Goal::kDeadline, .deadline_seconds = 635});
  add("to the second", {.goal = Goal::kDeadline, .deadline_seconds = 600});
  add("missed", {.goal = Goal::kDeadline, .deadline_seconds = 588, .prices = kPrices});
  add("not yet", {.goal = Goal::kDeadline, .deadline_seconds = 900}, /*is_complete=*/false);
  add("a budget that was kept", {.goal = Goal::kCost, .prices = kPrices, .budget = 5});
  add("exceeded", {.goal = Goal::kCost, .prices = kPrices, .budget = 2});
  add("not yet", {.goal = Goal::kCost, .prices = kPrices, .budget = 5}, /*is_complete=*/false);
  SizingRecord still = record({});
  still.changes.clear();
  still.course.server_seconds = 0;
  said.add("without changes and servers", sizingText(still, true));
  test::checkGolden("cli/run/sizing_text.txt", said.text());
}

BOOST_AUTO_TEST_CASE(stands_in_a_result_and_is_read_from_it) {
  write(R"({"state": "stopped", "step": 500})");
  const SizingRecord kept =
      record({.goal = Goal::kCost, .prices = kPrices, .budget = 2, .stabilization_seconds = 3});
  BOOST_REQUIRE(addToResult(file, kept, /*is_complete=*/false).has_value());
  test::checkGolden("cli/run/stopped_result.json", readTextFile(file, 10'000).value());

  const auto read = readSizing(file);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((read->started == kept.started));
  BOOST_TEST((read->course == kept.course));
  BOOST_REQUIRE_EQUAL(read->changes.size(), 2U);
  BOOST_TEST(read->changes[1].step == 400);
  BOOST_TEST(read->changes[1].seconds == 99.25);
  BOOST_TEST(read->changes[1].from == 2);
  BOOST_TEST(read->changes[1].to == 4);
  BOOST_TEST((read->changes[1].reason == Reason::kDeadline));
  BOOST_TEST(read->changes[1].text == kept.changes[1].text);
}

BOOST_AUTO_TEST_CASE(a_file_that_somebody_has_edited_leads_to_no_number_that_cannot_be) {
  BOOST_TEST(!readSizing(file));
  for (const char* const none : {"", "[]", "{}", R"({"autoscaling": 1})", R"({"autoscaling": {}})",
                                 R"({"autoscaling": {"startTime": "noon"}})"}) {
    write(none);
    BOOST_TEST(!readSizing(file), none);
  }
  write(R"({"autoscaling": {"startTime": "2026-01-31T12:00:00Z", "seconds": -5, "workers": -1,
            "workerSeconds": "many", "serverSeconds": 1e300, "changes": {"from": 1},
            "observations": [1, {}, {"workers": 2, "steps": 3, "stepSeconds": 1},
                             {"workers": 2, "steps": 9, "stepSeconds": 9},
                             {"workers": 3, "steps": 3, "stepSeconds": 1, "computeSeconds": 2}]}})");
  const auto read = readSizing(file);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->course.now == 0);
  BOOST_TEST(read->course.wanted == 1);
  BOOST_TEST(read->course.worker_seconds == 0);
  BOOST_TEST(read->course.server_seconds == 0);
  BOOST_TEST(read->changes.empty());
  BOOST_REQUIRE_EQUAL(read->course.memory.observations.size(), 1U);
  BOOST_TEST(read->course.memory.observations.front().step_seconds == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::sizing_record_test
