#include "cli/models/models.h"

#include <fstream>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/exit_code.h"
#include "job/model/network.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::models_test {
namespace {

constexpr const char* kText = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: small}
spec:
  model:
    input: [5]
    layers:
    - {type: embedding, outputs: 3}
    - {type: lstm, outputs: 4, name: memory}
    - {type: dense}
    - {type: softmaxCrossEntropy}
  data: {format: text, path: /data}
  training:
    batchSize: 64
    steps: 10
    optimizer: {name: sgd, learningRate: "0.1"}
)";

struct Run {
  int status = 0;
  std::string out;
  std::string err;
};

Run list(const ModelsOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = models(options, out, err);
  return {status, out.str(), err.str()};
}

Run show(ModelsOptions options, const std::string& model) {
  options.model = model;
  std::ostringstream out;
  std::ostringstream err;
  const int status = showModel(options, out, err);
  return {status, out.str(), err.str()};
}

/// `show` of a document with this text.
Run showDocument(const ModelsOptions& options, const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "job.yaml").string();
  std::ofstream(file) << text;
  Run run = show(options, file);
  run.err = test::replaced(run.err, folder.path().string(), "FOLDER");
  return run;
}

ModelsOptions words(int vocabulary) {
  ModelsOptions options;
  options.vocabulary = vocabulary;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(models_command)

BOOST_AUTO_TEST_CASE(lists_every_network_of_the_zoo_with_its_figures) {
  const Run run = list({});

  BOOST_TEST(run.status == toInt(ExitCode::kDone));
  for (const std::string& name : model::zooNames())
    BOOST_TEST(run.out.find("\n" + name + " ") != std::string::npos);
  test::checkGolden("cli/models/list.txt", run.out);
  ModelsOptions narrow;
  narrow.style.columns = 80;
  test::checkGolden("cli/models/list_80.txt", list(narrow).out);
  ModelsOptions options = words(6022);
  options.unroll = 35;
  BOOST_TEST(list(options).out.find("35 words") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(shows_networks_of_the_zoo_and_of_documents_layer_by_layer_with_the_sums) {
  test::Transcript said;
  ModelsOptions options = words(6022);
  options.unroll = 35;
  for (const auto& [name, run] : {std::pair("images", show({}, "lenet5-mxnet")),
                                  std::pair("text", show(options, "ptb-lstm-small")),
                                  std::pair("document", showDocument(words(7), kText))}) {
    BOOST_TEST(run.status == toInt(ExitCode::kDone), name);
    BOOST_TEST(run.err == "", name);
    said.add(name, run.out);
  }
  test::checkGolden("cli/models/show.txt", said.text());
}

BOOST_AUTO_TEST_CASE(shows_the_memory_of_a_worker_where_it_is_known) {
  std::vector<std::string> asked;
  ModelsOptions options = words(6022);
  options.ask_memory = [&](std::vector<std::string> arguments, const std::string& input) {
    asked = std::move(arguments);
    asked.push_back(input.empty() ? "no document" : "document");
    return Result<WorkerMemory>(
        WorkerMemory{.bytes = std::uint64_t{3} << 20U, .samples = 64, .kernels = "avx512"});
  };
  const std::string shown = show(options, "ptb-lstm-small").out;
  test::checkGolden("cli/models/memory.txt", shown.substr(shown.rfind("\n\n") + 2));
  BOOST_TEST(asked == (std::vector<std::string>{"--model", "ptb-lstm-small", "--vocabulary", "6022",
                                                "no document"}),
             boost::test_tools::per_element());

  options.json = true;
  const auto json = nlohmann::json::parse(showDocument(options, kText).out);
  BOOST_TEST(json.at("workerMemory").at("bytes") == std::uint64_t{3} << 20U);
  BOOST_TEST(asked.back() == "document");
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_model_or_its_options) {
  test::Transcript said;
  for (const auto& [name, run, code] :
       {std::tuple("words of images", show(words(6022), "lenet5"), ExitCode::kUsage),
        std::tuple("words that only the data know", showDocument({}, kText), ExitCode::kUsage),
        std::tuple("an unknown name", show({}, "resnet5"), ExitCode::kUsage),
        std::tuple("another document", showDocument({}, "kind: Other\n"),
                   ExitCode::kBadConfiguration)}) {
    BOOST_TEST(run.status == toInt(code), name);
    BOOST_TEST(run.out == "", name);
    said.add(name, run.err);
  }
  test::checkGolden("cli/models/problems.txt", said.text());
}

BOOST_AUTO_TEST_CASE(prints_json_for_programs) {
  ModelsOptions options;
  options.json = true;
  const auto all = nlohmann::json::parse(list(options).out);
  const auto one = nlohmann::json::parse(show(options, "resnet50").out);

  BOOST_TEST(all.size() == model::zooNames().size());
  BOOST_TEST(all.at(0).at("name") == "lenet5");
  BOOST_TEST(all.at(0).at("parameters") == 61706);
  BOOST_TEST(all.at(3).at("vocabulary") == 10000);
  BOOST_TEST(one.at("forwardMacs") == 4089184256);
  BOOST_TEST(one.at("runningStatistics") == 53120);
  const auto& add = one.at("layers").at(14);
  BOOST_TEST(add.at("type") == "add");
  BOOST_TEST(add.at("from").dump() == "[11,13]");
  BOOST_TEST(one.at("layers").at(0).at("tensors").at(0).at("shape").dump() == "[64,3,7,7]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::models_test
