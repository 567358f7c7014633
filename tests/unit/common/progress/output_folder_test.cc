#include "common/progress/output_folder.h"

#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
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

BOOST_AUTO_TEST_CASE(goes_on_behind_a_line_that_was_cut_short) {
  BOOST_REQUIRE(createFile(output.metrics(), asBytes(std::string("one\n{\"ev"))));

  append(false, "two");

  BOOST_TEST(content(output.metrics()) == "one\n{\"ev\ntwo\n");
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
  output.removeResult();
  BOOST_TEST(!std::filesystem::exists(output.result()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::output_folder_test
