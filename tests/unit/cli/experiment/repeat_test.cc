#include "cli/experiment/repeat.h"

#include <boost/test/unit_test.hpp>

#include "base/terminal/terminal.h"
#include "tests/support/golden.h"

namespace sumac::cli::repeat_test {
namespace {

PreparedExperiment study() {
  PreparedExperiment prepared;
  prepared.experiment.name = "study";
  prepared.cells.resize(1);
  return prepared;
}

ExperimentOptions optionsOf(const std::string& file, const std::string& output) {
  ExperimentOptions options;
  options.file = file;
  options.output = output;
  return options;
}

/// The command to repeat, without the folder to change to.
std::string repeated(const ExperimentOptions& options) {
  const std::string here = std::filesystem::current_path().string();
  const std::string change = "cd " + shellWord(here) + " && ";
  const std::string command = commandToRepeat(options, study());
  BOOST_TEST(command.starts_with(change), command);
  return command.substr(change.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(repeat)

BOOST_AUTO_TEST_CASE(an_experiment_is_repeated_into_a_folder_beside_its_own) {
  const auto here = std::filesystem::current_path();
  const auto outputOf = [](const std::string& output) {
    const std::string command = repeated(optionsOf("a.yaml", output));
    const std::string before = "sumac experiment a.yaml --output-dir ";
    BOOST_TEST(command.starts_with(before), command);
    return command.substr(before.size());
  };
  BOOST_TEST(outputOf("") == "experiments/study-again");
  BOOST_TEST(outputOf("out") == "out-again");
  BOOST_TEST(outputOf("out/") == "out-again");
  BOOST_TEST(outputOf("./a/../out//") == "out-again");
  BOOST_TEST(outputOf("/tmp/out/") == "/tmp/out-again");
  BOOST_TEST(outputOf("my out") == shellWord("my out-again"));
  BOOST_TEST(outputOf(".") == shellWord(here.string() + "-again"));
  BOOST_TEST(outputOf("..") == shellWord(here.parent_path().string() + "-again"));
}

BOOST_AUTO_TEST_CASE(the_command_has_every_option_and_words_in_quotes) {
  auto options = optionsOf("my study.yaml", "");
  options.preparation.sets = {"data.path=/a b"};
  options.preparation.most_cells = 300;
  options.predictions = {{"p 1.json"}, {1, 2, 4}};
  BOOST_TEST(howToGoOn(options, study()) == ":\n  sumac experiment " + shellWord("my study.yaml") +
                                                " --set " + shellWord("data.path=/a b") +
                                                " --max-cells 300 --profile " +
                                                shellWord("p 1.json") + " --fit 1 --fit 2 --fit 4");
  options = optionsOf("a.yaml", "out");
  options.preparation.is_for_cluster = true;
  options.cluster_options = " --context staging";
  options.parallel = 2;
  BOOST_TEST(
      howToGoOn(options, study()) ==
      ":\n  sumac experiment a.yaml --cluster --context staging --parallel 2 --output-dir out");
}

BOOST_AUTO_TEST_CASE(a_document_from_standard_input_is_read_from_the_folder) {
  BOOST_TEST(repeated(optionsOf("-", "out")) ==
             "sumac experiment - --output-dir out-again < out/experiment.yaml");
}

BOOST_AUTO_TEST_CASE(root_is_asked_for_in_words) {
  auto prepared = study();
  prepared.cells[0].conditions.link_bits_per_second = 100;
  BOOST_TEST(howToGoOn(optionsOf("a.yaml", ""), prepared) ==
             ", as root:\n  sumac experiment a.yaml");
  auto in_cluster = optionsOf("a.yaml", "");
  in_cluster.preparation.is_for_cluster = true;
  BOOST_TEST(howToGoOn(in_cluster, prepared) == ":\n  sumac experiment a.yaml --cluster");
  BOOST_TEST(commandToRepeat(optionsOf("a.yaml", ""), prepared)
                 .ends_with(" && sumac experiment a.yaml --output-dir experiments/study-again"));
}

BOOST_AUTO_TEST_CASE(runs_that_are_there_and_failures_are_counted) {
  BOOST_TEST(keptText(0, 0) == "");
  test::Transcript said;
  said.add("all are used", keptText(1, 1));
  said.add("some are not", keptText(4, 6));
  said.add("none is used", keptText(0, 1));
  said.add("nothing was measured", nothingMeasuredText(0));
  said.add("and cells failed", nothingMeasuredText(2));
  said.add("a cell failed", failureText(1));
  said.add("cells failed", failureText(2));
  test::checkGolden("cli/experiment/repeat.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::repeat_test
