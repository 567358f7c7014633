#include "cli/models/models.h"

#include <fstream>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/exit_code.h"
#include "job/model/network.h"
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
  return show(options, file);
}

ModelsOptions words(int vocabulary) {
  ModelsOptions options;
  options.vocabulary = vocabulary;
  return options;
}

bool contains(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(models_command)

BOOST_AUTO_TEST_CASE(lists_every_network_of_the_zoo_with_its_figures) {
  const Run run = list({});

  BOOST_TEST(run.status == toInt(ExitCode::kDone));
  for (const std::string& name : model::zooNames())
    BOOST_TEST(contains(run.out, "\n" + name + " "));
  BOOST_TEST(contains(
      run.out,
      "lenet5              1x28x28                   61,706          416,520   digits, clothes"));
  BOOST_TEST(contains(run.out, "ptb-lstm-small      20 of 10,000 words     4,651,600"));
}

BOOST_AUTO_TEST_CASE(takes_words_and_time_steps_for_networks_of_text) {
  ModelsOptions options = words(6022);
  options.unroll = 35;

  BOOST_TEST(contains(list(options).out, "35 of 6,022 words"));
  BOOST_TEST(contains(show(options, "ptb-lstm-small").out, "35x6022"));
  const Run refused = show(options, "lenet5");
  BOOST_TEST(refused.status == toInt(ExitCode::kUsage));
  BOOST_TEST(refused.err ==
             "error: --vocabulary and --unroll are for text networks, which lenet5 is not\n");
}

BOOST_AUTO_TEST_CASE(shows_a_network_layer_by_layer_with_the_sums) {
  const Run run = show({}, "lenet5-mxnet");

  BOOST_TEST(run.status == toInt(ExitCode::kDone));
  BOOST_TEST(run.out ==
             "lenet5-mxnet, input 1x28x28\n"
             "\n"
             "LAYER      TYPE                  OUTPUT     PARAMETERS        MACS\n"
             "conv1      conv2d                20x24x24          520     288,000\n"
             "tanh1      tanh                  20x24x24\n"
             "pool1      maxPool               20x12x12\n"
             "conv2      conv2d                50x8x8         25,050   1,600,000\n"
             "tanh2      tanh                  50x8x8\n"
             "pool2      maxPool               50x4x4\n"
             "flatten1   flatten               800\n"
             "dense1     dense                 500           400,500     400,000\n"
             "tanh3      tanh                  500\n"
             "dense2     dense                 10              5,010       5,000\n"
             "loss1      softmaxCrossEntropy   10\n"
             "total                                          431,080   2,293,000\n"
             "\n"
             "MACS: multiply-accumulates of one sample's forward pass, all time steps of a text; "
             "training takes about three times as many.\n");
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
  BOOST_TEST(contains(
      show(options, "ptb-lstm-small").out,
      "\nMemory of a worker: about 3.0 MiB and its data (64 samples at once, avx512 kernels).\n"));
  BOOST_TEST(asked == (std::vector<std::string>{"--model", "ptb-lstm-small", "--vocabulary", "6022",
                                                "no document"}),
             boost::test_tools::per_element());

  options.json = true;
  const auto json = nlohmann::json::parse(showDocument(options, kText).out);
  BOOST_TEST(json.at("workerMemory").at("bytes") == std::uint64_t{3} << 20U);
  BOOST_TEST(asked.back() == "document");
}

BOOST_AUTO_TEST_CASE(shows_the_network_of_a_document) {
  const Run run = showDocument(words(7), kText);

  BOOST_TEST(run.err == "");
  BOOST_TEST(run.status == toInt(ExitCode::kDone));
  BOOST_TEST(contains(run.out, "custom, input 5 of 7 words"));
  BOOST_TEST(contains(run.out, "memory"));
  BOOST_TEST(contains(run.out, "keeps 8 values of state"));
}

BOOST_AUTO_TEST_CASE(says_how_to_give_words_that_only_the_data_know) {
  const Run run = showDocument({}, kText);

  BOOST_TEST(run.status == toInt(ExitCode::kUsage));
  BOOST_TEST(contains(run.err, "layer embedding1 (embedding): the vocabulary is not known"));
  BOOST_TEST(contains(run.err, "--vocabulary"));
}

BOOST_AUTO_TEST_CASE(lists_the_problems_of_a_document) {
  const Run run = showDocument({}, "kind: Other\n");

  BOOST_TEST(run.status == toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(contains(run.err, "job.yaml:1:7 kind: found the string \"Other\""));
}

BOOST_AUTO_TEST_CASE(suggests_the_nearest_name) {
  const Run run = show({}, "resnet5");

  BOOST_TEST(run.status == toInt(ExitCode::kUsage));
  BOOST_TEST(run.out == "");
  BOOST_TEST(contains(run.err, "there is no network 'resnet5' in the zoo"));
  BOOST_TEST(contains(run.err, ", and there is no file of this name; did you mean `resnet50`?"));
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
