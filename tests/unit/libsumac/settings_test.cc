#include "libsumac/settings.h"

#include <map>
#include <string>

#include <boost/test/unit_test.hpp>

#include "libsumac/program_setup.h"

namespace sumac::program::settings_test {
namespace {

using Variables = std::map<std::string, std::string>;

Result<Settings> read(const Variables& variables, const Options& options = {}) {
  return readSettings(options, [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(settings)

BOOST_AUTO_TEST_CASE(without_a_job_are_those_of_the_program) {
  Options options;
  options.batch_size = 10;
  options.parts = 4;
  options.steps = 7;
  options.checkpoint_steps = 3;
  const auto settings = read({{"SUMAC_INDEX", "x"}, {"SUMAC_OUTPUT", "out"}}, options);
  BOOST_REQUIRE(settings);
  BOOST_TEST(settings->is_alone);
  BOOST_TEST(settings->job.training.batch_size == 10);
  BOOST_TEST(settings->job.training.logical_workers == 4);
  BOOST_TEST(settings->job.training.steps.value_or(0) == 7);
  BOOST_TEST(settings->job.checkpoint.every_steps == 3);
  BOOST_TEST(settings->output_folder == "out");
  BOOST_TEST(!settings->job.strategy.hasServers());
}

BOOST_AUTO_TEST_CASE(of_the_program_win_over_the_environment_s_folders) {
  Options options;
  options.output = "mine";
  const auto settings = read({{"SUMAC_OUTPUT", "out"}, {"SUMAC_CHECKPOINT", "kept"}}, options);
  BOOST_REQUIRE(settings);
  BOOST_TEST(settings->output_folder == "mine");
  BOOST_TEST(settings->checkpoint_folder == "kept");
}

BOOST_AUTO_TEST_CASE(that_are_no_numbers_or_out_of_range_are_refused_by_name) {
  for (const auto& [name, value] :
       {std::pair("SUMAC_INDEX", "-1"), std::pair("SUMAC_INDEX", "1x"),
        std::pair("SUMAC_WORKERS", "0"), std::pair("SUMAC_ELASTIC", "yes"),
        std::pair("SUMAC_READY_FD", ""), std::pair("SUMAC_ORPHAN_SECONDS", "99999999999"),
        std::pair("SUMAC_LOG_LEVEL", "loud")}) {
    Variables variables{{"SUMAC_JOB", "job.yaml"}, {"SUMAC_INDEX", "0"}};
    variables[name] = value;
    const auto settings = read(variables);
    BOOST_REQUIRE(!settings);
    BOOST_TEST(settings.error().message.find(name) != std::string::npos, settings.error().message);
  }
}

BOOST_AUTO_TEST_CASE(of_a_member_need_an_index_and_a_document) {
  const auto without_index = read({{"SUMAC_JOB", "job.yaml"}});
  BOOST_REQUIRE(!without_index);
  BOOST_TEST(without_index.error().message.find("SUMAC_INDEX") != std::string::npos);
  const auto without_file = read({{"SUMAC_JOB", "/nonexistent/job.yaml"}, {"SUMAC_INDEX", "0"}});
  BOOST_REQUIRE(!without_file);
  BOOST_TEST(without_file.error().message.find("SUMAC_JOB") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(declared_lines)

BOOST_AUTO_TEST_CASE(are_keys_and_values_each_with_a_line_feed) {
  for (const char* const lines : {"", "a=\n", "torch=2.15\nthreads=1\n", "A-b_c.9=x=y\n"})
    BOOST_TEST(checkLines(lines).has_value(), lines);
  for (const char* const lines : {"a=1", "a\n", "=1\n", "\n", "a b=1\n", "a=1\n\nb=2\n"})
    BOOST_TEST(!checkLines(lines).has_value(), lines);
  BOOST_TEST(!checkLines(std::string(64UL * 1024, 'a') + "=\n").has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::program::settings_test
