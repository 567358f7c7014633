#include "operator/program/defaults.h"

#include <fstream>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "operator/program/first_end.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::program::defaults_test {
namespace {

OperatorFlags withTemplate(const TemporaryFolder& folder, const std::string& text) {
  OperatorFlags flags;
  flags.worker_image = "w:1";
  flags.server_image = "s:1";
  flags.metrics_namespace = "monitoring";
  flags.worker_template_file = folder.path() / "worker.json";
  std::ofstream(flags.worker_template_file) << text;
  return flags;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(operator_defaults)

BOOST_AUTO_TEST_CASE(come_from_flags_and_from_the_files_that_they_name) {
  const TemporaryFolder folder;
  const std::string text = R"({"spec": {"priorityClassName": "low"}})";

  const auto defaults = readDefaults(withTemplate(folder, text), "sumac");

  BOOST_REQUIRE(defaults.has_value());
  BOOST_TEST(defaults->worker_template->dump() == R"({"spec":{"priorityClassName":"low"}})");
  BOOST_TEST(defaults->server_template->dump() == "{}");
  BOOST_TEST(defaults->worker_image == "w:1");
  BOOST_TEST(defaults->server_image == "s:1");
  BOOST_TEST(defaults->metrics_namespace == "monitoring");
  BOOST_TEST(defaults->operator_namespace == "sumac");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_template_is_refused_by_flag_and_name) {
  const TemporaryFolder folder;
  test::Transcript said;
  for (const char* const text : {"", "{", "[]", R"({"containers": []})", R"({"spec": []})"}) {
    const auto defaults = readDefaults(withTemplate(folder, text), "sumac");
    BOOST_TEST_REQUIRE(!defaults.has_value(), text);
    said.add(text, test::replaced(defaults.error().message, folder.path().string(), "FOLDER"));
  }
  test::checkGolden("operator/program/defaults.txt", said.text());
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_named) {
  OperatorFlags flags;
  flags.server_template_file = "/nowhere/server.json";

  const auto defaults = readDefaults(flags, "sumac");

  BOOST_REQUIRE(!defaults.has_value());
  BOOST_TEST(defaults.error().message.find("--server-template") == 0U);
  BOOST_TEST(defaults.error().message.find("/nowhere/server.json") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(operator_end)

BOOST_AUTO_TEST_CASE(the_first_reason_counts) {
  FirstEnd end;

  BOOST_TEST(end.set(ExitCode::kStopped, "first"));
  BOOST_TEST(!end.set(ExitCode::kFailed, "second"));

  BOOST_TEST(end.wait().reason == "first");
  BOOST_TEST((end.wait().code == ExitCode::kStopped));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::program::defaults_test
