#include "cli/completion/complete.h"

#include <boost/test/unit_test.hpp>

namespace sumac::cli::complete_test {
namespace {

/// A program with what completion tells apart.
struct Fixture {
  Fixture() {
    app.set_help_flag("-h,--help");
    auto* const get = app.add_subcommand("get", "");
    get->add_option("JOB", texts)->type_name("");
    get->add_option("-n,--namespace", text)->type_name("NAME");
    get->add_option("-o,--output", text)->type_name("FORM")->check(CLI::IsMember({"json", "name"}));
    get->add_option("--kubeconfig", text)->type_name("FILE");
    get->add_option("--old", text)->group("");
    get->add_flag("-w,--watch", flag);
    auto* const logs = app.add_subcommand("logs", "");
    logs->add_option("JOB", text)->type_name("");
    logs->add_option("MEMBER", text)->type_name("");
    auto* const run = app.add_subcommand("run", "");
    run->add_option("FILE", text)->type_name("");
    auto* const completion = app.add_subcommand("completion", "");
    completion->add_option("SHELL", text)->type_name("")->check(CLI::IsMember({"bash", "zsh"}));
    auto* const scale = app.add_subcommand("scale", "");
    scale->add_option("JOB|RUN", text)->type_name("");
    scale->add_option("N", text)->type_name("");
    app.add_subcommand("data", "")->prefix_command();
    auto* const models = app.add_subcommand("models", "");
    models->group("")->add_subcommand("show", "")->add_option("MODEL", text);
    app.add_subcommand("hidden", "")->group("");
  }

  std::string after(const std::vector<std::string>& words) {
    const auto list_jobs = [this](const GivenOptions& options) {
      given = options;
      return std::vector<std::string>{"lenet5", "lenet5-b", "vgg"};
    };
    std::string offered = complete(app, words, list_jobs).text();
    std::replace(offered.begin(), offered.end(), '\n', ' ');
    return offered;
  }

  CLI::App app{"", "sumac"};
  std::string text;
  std::vector<std::string> texts;
  bool flag = false;
  GivenOptions given;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(completion, Fixture)

BOOST_AUTO_TEST_CASE(offers_the_commands_that_help_shows) {
  BOOST_TEST(after({""}) == "get logs run completion scale data :4 ");
  BOOST_TEST(after({}) == "get logs run completion scale data :4 ");
  BOOST_TEST(after({"g"}) == "get :4 ");
  BOOST_TEST(after({"nothing"}) == ":4 ");
}

BOOST_AUTO_TEST_CASE(offers_the_long_options_of_the_command) {
  BOOST_TEST(after({"-"}) == "--help :4 ");
  BOOST_TEST(after({"get", "--"}) == "--help --namespace --output --kubeconfig --watch :4 ");
  BOOST_TEST(after({"get", "--na"}) == "--namespace :4 ");
}

BOOST_AUTO_TEST_CASE(offers_jobs_and_files_where_either_is_meant) {
  BOOST_TEST(after({"scale", "l"}) == "lenet5 lenet5-b :0 ");
  BOOST_TEST(after({"scale", "runs/a", ""}) == ":4 ");
}

BOOST_AUTO_TEST_CASE(offers_the_choices_of_an_options_value) {
  BOOST_TEST(after({"get", "-o", ""}) == "json name :4 ");
  BOOST_TEST(after({"get", "--output", "j"}) == "json :4 ");
  BOOST_TEST(after({"get", "--output=n"}) == "--output=name :4 ");
  BOOST_TEST(after({"get", "-n", ""}) == ":4 ");
  BOOST_TEST(after({"get", "--nonsense=x"}) == ":4 ");
}

BOOST_AUTO_TEST_CASE(the_words_of_the_users_program_may_be_files) {
  BOOST_TEST(after({"run", "--", ""}) == ":0 ");
  BOOST_TEST(after({"run", "--", "python", "tr"}) == ":0 ");
  BOOST_TEST(after({"run", "--", "python", "--"}) == ":0 ");
  BOOST_TEST(after({"run", "job.yaml", ""}) == ":4 ");
}

BOOST_AUTO_TEST_CASE(leaves_files_to_the_shell) {
  BOOST_TEST(after({"run", ""}) == ":0 ");
  BOOST_TEST(after({"get", "--kubeconfig", ""}) == ":0 ");
  BOOST_TEST(after({"data", "info", "j"}) == ":0 ");
}

BOOST_AUTO_TEST_CASE(knows_the_commands_of_data_that_another_program_parses) {
  BOOST_TEST(after({"data", ""}) == "info generate :4 ");
  BOOST_TEST(after({"data", "generate", "--t"}) == "--test-samples --tokens --test-tokens :4 ");
  BOOST_TEST(after({"data", "generate", "--format", ""}) == "idx cifar10 folder csv text :4 ");
  BOOST_TEST(after({"data", "generate", "--gzip", "--output-dir", ""}) == ":0 ");
  BOOST_TEST(after({"data", "info", "-o", "j"}) == "json :4 ");
}

BOOST_AUTO_TEST_CASE(offers_networks_and_files_for_a_model) {
  BOOST_TEST(after({"models", "show", "lenet5-"}) == "lenet5-mxnet :0 ");
}

BOOST_AUTO_TEST_CASE(offers_jobs_of_the_chosen_cluster) {
  BOOST_TEST(after({"get", "-n", "team", "-w", "--kubeconfig=k", "le"}) == "lenet5 lenet5-b :4 ");
  BOOST_TEST(given["namespace"] == "team");
  BOOST_TEST(given["kubeconfig"] == "k");
  BOOST_TEST(given.contains("watch"));
  BOOST_TEST(after({"get", "lenet5", "v"}) == "vgg :4 ");
  BOOST_TEST(after({"get", "--", ""}) == "lenet5 lenet5-b vgg :4 ");
}

BOOST_AUTO_TEST_CASE(reads_a_value_attached_to_a_short_option) {
  BOOST_TEST(after({"get", "-nteam", "le"}) == "lenet5 lenet5-b :4 ");
  BOOST_TEST(given["namespace"] == "team");
  BOOST_TEST(after({"get", "-wnteam", "v"}) == "vgg :4 ");
  BOOST_TEST(given["namespace"] == "team");
  BOOST_TEST(given.contains("watch"));
  BOOST_TEST(after({"get", "-wn", "team", "v"}) == "vgg :4 ");
  BOOST_TEST(given["namespace"] == "team");
}

BOOST_AUTO_TEST_CASE(counts_the_arguments_before_the_cursor) {
  BOOST_TEST(after({"logs", "v"}) == "vgg :4 ");
  BOOST_TEST(after({"logs", "vgg", ""}) == ":4 ");
  BOOST_TEST(after({"completion", "b"}) == "bash :4 ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::complete_test
