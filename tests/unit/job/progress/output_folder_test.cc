#include "job/progress/output_folder.h"

#include <csignal>
#include <string>

#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::output_folder_test {
namespace {

struct Fixture {
  std::string content(const std::filesystem::path& path) const {
    const auto text = readTextFile(path, 1 << 20);
    return text ? *text : "(none)";
  }
  void append(bool from_the_beginning, const char* line) const {
    auto file = MetricsFile::open(output, from_the_beginning);
    BOOST_REQUIRE(file);
    BOOST_TEST(file->append(line).has_value());
  }

  TemporaryFolder folder;
  OutputFolder output{folder.path()};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(output_folder, Fixture)

BOOST_AUTO_TEST_CASE(belongs_to_the_job_that_claims_it_first) {
  BOOST_TEST(output.claim("team-a/first").has_value());
  for (const char* other : {"team-a/second", "team-b/first"}) {
    const auto claimed = output.claim(other);
    BOOST_TEST_REQUIRE(!claimed, other);
    BOOST_TEST((claimed.error().code == ErrorCode::kConflict));
    const auto names = std::string("is of job team-a/first, this is job ") + other + "; ";
    BOOST_TEST(claimed.error().message.find(names) != std::string::npos, claimed.error().message);
  }
  BOOST_TEST(output.claim("team-a/first").has_value());
}

// Of an earlier version; the first job of that name that knows its namespace has the folder.
BOOST_AUTO_TEST_CASE(of_a_name_alone_is_that_of_a_job_of_this_name) {
  BOOST_TEST(output.claim("first").has_value());

  BOOST_TEST(!output.claim("team-a/second").has_value());
  BOOST_TEST(output.claim("team-a/first").has_value());
  BOOST_TEST(!output.claim("team-b/first").has_value());
  BOOST_TEST(output.claim("first").has_value());  // an attempt of an earlier version
  BOOST_TEST(!output.claim("second").has_value());
  BOOST_TEST(!output.claim("team-b/first").has_value());
}

BOOST_AUTO_TEST_CASE(a_claim_that_was_cut_short_is_nobodys) {
  BOOST_REQUIRE(createFile(folder / ".job", asBytes("fir")).has_value());

  BOOST_TEST(output.claim("second").has_value());

  BOOST_TEST(!output.claim("first").has_value());
}

BOOST_AUTO_TEST_CASE(keeps_the_lines_of_earlier_attempts) {
  append(true, "one");
  append(false, "two");

  BOOST_TEST(content(output.metrics()) == "one\ntwo\n");
}

BOOST_AUTO_TEST_CASE(has_no_lines_of_another_job_when_it_starts_from_the_beginning) {
  append(true, "one");
  append(true, "two");

  BOOST_TEST(content(output.metrics()) == "two\n");
}

BOOST_AUTO_TEST_CASE(removes_a_line_that_was_cut_short) {
  BOOST_REQUIRE(createFile(output.metrics(), asBytes(std::string("one\n{\"ev"))));

  append(false, "two");

  BOOST_TEST(content(output.metrics()) == "one\ntwo\n");
}

BOOST_AUTO_TEST_CASE(has_no_lines_of_steps_that_are_done_again) {
  const std::string early = R"({"event":"progress","step":7,"totalSteps":9,"epoch":1,"loss":0.5}
{"event":"evaluation","epoch":1,"step":7,"testAccuracy":0.5}
{"event":"end","step":7}
not one of ours
{"event":"result","job":"lenet5"}
)";
  const std::string late = R"({"event":"progress","step":8,"totalSteps":9,"epoch":1,"loss":0.5}
{"event":"evaluation","epoch":1,"step":8,"testAccuracy":0.5}
{"event":"checkpoint","step":8}
{"event":"end","step":9}
)";
  BOOST_TEST(output.cutMetrics(7).has_value());
  BOOST_TEST(!std::filesystem::exists(output.metrics()));
  for (const std::string& text : {early + late, late + early, early, early + late + "{\"ev"}) {
    BOOST_REQUIRE(replaceFile(output.metrics(), asBytes(text)));
    BOOST_TEST(output.cutMetrics(7).has_value());
    const bool is_cut = text.ends_with("{\"ev");
    BOOST_TEST(content(output.metrics()) == early + (is_cut ? "{\"ev" : ""));
  }
  BOOST_TEST(output.cutMetrics(0).has_value());
  BOOST_TEST(content(output.metrics()).find("\"step\"") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(leaves_nothing_of_a_line_that_does_not_fit) {
  auto file = MetricsFile::open(output, true);
  BOOST_REQUIRE(file);
  BOOST_TEST(file->append("one").has_value());
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = 8;
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &low) == 0);

  const auto written = file->append("of which four bytes would fit");

  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  BOOST_REQUIRE(!written);
  BOOST_TEST(written.error().message ==
             "cannot write " + output.metrics().string() + ": File too large");
  BOOST_TEST((written.error().code == ErrorCode::kUnavailable));
  BOOST_TEST(content(output.metrics()) == "one\n");
  BOOST_TEST(file->append("two").has_value());
  BOOST_TEST(content(output.metrics()) == "one\ntwo\n");
}

BOOST_AUTO_TEST_CASE(shows_a_line_as_soon_as_it_is_appended) {
  auto file = MetricsFile::open(output, true);
  BOOST_REQUIRE(file);

  BOOST_TEST(file->append("one").has_value());

  BOOST_TEST(content(output.metrics()) == "one\n");
}

BOOST_AUTO_TEST_CASE(says_which_file_cannot_be_written) {
  const auto file = MetricsFile::open(OutputFolder(folder / "missing"), true);

  BOOST_REQUIRE(!file.has_value());
  BOOST_TEST(file.error().message.find("missing/metrics.jsonl") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(has_the_curve_and_then_the_result) {
  append(true, R"({"event":"progress","step":1,"totalSteps":2,"epoch":1,"loss":0.5})");
  JobResult result;
  result.setting.job = "lenet5";

  BOOST_TEST(output.writeResult(result).has_value());

  BOOST_TEST(content(output.curve()).find(">lenet5</text>") != std::string::npos);
  BOOST_TEST(nlohmann::json::parse(content(output.result()))["job"] == "lenet5");
  BOOST_TEST(output.readResult().has_value());
  output.removeResult();
  BOOST_TEST(!std::filesystem::exists(output.result()));
}

BOOST_AUTO_TEST_CASE(has_the_end_of_a_job_that_failed_in_each_file) {
  append(true, R"({"event":"progress","step":7,"totalSteps":9,"epoch":1,"loss":0.5})");

  BOOST_TEST(output.writeEnd({"lenet5", ExitCode::kLostPeers, 7, "worker 1 was lost"}).has_value());

  const std::string metrics = content(output.metrics());
  const auto last = nlohmann::json::parse(metrics.substr(metrics.find('\n') + 1));
  const auto result = nlohmann::json::parse(content(output.result()));
  BOOST_TEST(last["event"] == "end");
  for (const auto& end : {last, result}) {
    BOOST_TEST(end["state"] == "Failed");
    BOOST_TEST(end["step"] == 7);
    BOOST_TEST(end["exitCode"] == 75);
    BOOST_TEST(end["message"] == "worker 1 was lost");
  }
  BOOST_TEST(content(output.curve()).find(">lenet5</text>") != std::string::npos);
  BOOST_TEST(output.hasTrained());
  BOOST_TEST(!output.readResult().has_value());
}

BOOST_AUTO_TEST_CASE(tells_the_end_of_each_attempt_once) {
  append(true, "one");
  BOOST_TEST(output.writeEnd({"", ExitCode::kLostPeers, 7, "as a worker saw it"}).has_value());
  BOOST_TEST(output.writeEnd({"", ExitCode::kFailed, 7, "as it was"}).has_value());
  append(false, "two");
  BOOST_TEST(output.writeEnd({"", ExitCode::kStopped, 9, "later"}).has_value());

  const std::string metrics = content(output.metrics());
  BOOST_TEST(metrics.starts_with("one\n{\"event\":\"end\",\"schemaVersion\":1,"), metrics);
  BOOST_TEST(metrics.find("as a worker saw it") == std::string::npos);
  BOOST_TEST(metrics.find("as it was\"}\ntwo\n{\"event\":\"end\"") != std::string::npos, metrics);
  BOOST_TEST(metrics.ends_with("later\"}\n"), metrics);
  BOOST_TEST(content(output.result()).find("\"Stopped\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(writes_what_it_can_of_an_end) {
  std::filesystem::create_directory(output.metrics());

  const auto written = output.writeEnd({"", ExitCode::kFailed, 0, "disk full"});

  BOOST_REQUIRE(!written.has_value());
  BOOST_TEST(written.error().message.find("metrics.jsonl") != std::string::npos);
  BOOST_TEST(content(output.result()).find("disk full") != std::string::npos);
}

// Of a long job the first line of progress comes after many steps.
BOOST_AUTO_TEST_CASE(has_not_trained_where_it_ended_before_the_first_step) {
  BOOST_TEST(!output.hasTrained());
  BOOST_TEST(output.writeEnd({"", ExitCode::kBadConfiguration, 0, "no data"}).has_value());
  BOOST_TEST(!output.hasTrained());

  BOOST_TEST(output.writeEnd({"", ExitCode::kFailed, 1, "not finite"}).has_value());
  BOOST_TEST(output.hasTrained());
}

BOOST_AUTO_TEST_CASE(gives_older_metrics_the_first_free_name) {
  BOOST_TEST(output.setMetricsAside().value().empty());
  append(true, "one");
  BOOST_TEST(output.setMetricsAside().value() == folder / "metrics-1.jsonl");
  append(true, "two");
  BOOST_TEST(output.setMetricsAside().value() == folder / "metrics-2.jsonl");

  BOOST_TEST(content(folder / "metrics-1.jsonl") == "one\n");
  BOOST_TEST(content(folder / "metrics-2.jsonl") == "two\n");
  BOOST_TEST(!std::filesystem::exists(output.metrics()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::output_folder_test
