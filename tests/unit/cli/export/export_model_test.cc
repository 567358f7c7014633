#include "cli/export/export_model.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "engine/checkpoint/model_file.h"
#include "job/model/network.h"
#include "tests/support/protobuf_fields.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::export_model_test {
namespace {

constexpr const char* kJob = R"(apiVersion: sumac.dev/v1alpha1
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

Run run(const ExportOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = exportModel(options, out, err);
  return {status, out.str(), err.str()};
}

struct Fixture {
  std::string at(const std::string& name) const { return (folder.path() / name).string(); }

  /// Leaves a network's model in the folder.
  std::string save(const model::Network& network) const {
    const std::vector<float> weights(static_cast<std::size_t>(network.parameters), 0.5F);
    const std::vector<float> statistics(static_cast<std::size_t>(network.statistics), 1.0F);
    const std::string file = at("model.safetensors");
    BOOST_REQUIRE(replaceFile(file, checkpoint::encodeModel(network, weights, statistics, {})));
    return file;
  }
  std::string save(const std::string& zoo) const {
    return save(model::resolve(model::fromZoo(zoo).value()).value());
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(at(name)); }

  TemporaryFolder folder;
};

bool contains(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(export_model, Fixture)

BOOST_AUTO_TEST_CASE(writes_a_model_beside_its_file) {
  const Run done = run({.model = save("lenet5"), .network = "lenet5", .output = ""});
  BOOST_TEST(done.err == "");
  BOOST_TEST(done.status == toInt(ExitCode::kDone));
  BOOST_TEST(done.out == at("model.onnx") +
                             ": lenet5, image (N x 1x28x28, raw values 0 to 255) -> probabilities, "
                             "logits (N x 10)\n");
  const auto bytes = readFile(at("model.onnx"), 1U << 20U);
  BOOST_REQUIRE(bytes);
  const ProtobufFields graph(ProtobufFields(*bytes).only(7).bytes);
  BOOST_TEST(graph.only(2).text() == "lenet5");
}

// Neither the job nor the command says how many words it knows.
BOOST_AUTO_TEST_CASE(takes_the_job_beside_the_model_and_the_words_of_its_embedding) {
  model::NetworkSpec spec{"custom", {5}, {}, 11};
  spec.layers = {{"embedding1", model::Embedding{3}, {}},
                 {"memory", model::Lstm{.outputs = 4}, {}},
                 {"dense1", model::Dense{}, {}},
                 {"loss1", model::SoftmaxCrossEntropy{}, {}}};
  write("job.yaml", kJob);
  const Run done =
      run({.model = save(model::resolve(spec).value()), .network = "", .output = at("words.onnx")});
  BOOST_TEST(done.err == "");
  BOOST_TEST(contains(done.out,
                      "tokens (N x T numbers of words) and state -> probabilities, "
                      "logits (N x T x 11) and next state"));
  BOOST_TEST(exists("words.onnx"));
}

BOOST_AUTO_TEST_CASE(refuses_a_model_of_another_network) {
  const Run done = run({.model = save("lenet5"), .network = "lenet5-mxnet", .output = ""});
  BOOST_TEST(done.status == toInt(ExitCode::kFailed));
  BOOST_TEST(done.err == "error: " + at("model.safetensors") +
                             ": not a usable safetensors file: tensor \"conv1.weight\": its shape "
                             "is not the network's; it must be as training left it, and of network "
                             "lenet5-mxnet, else name the right one with --network\n");
  BOOST_TEST(!exists("model.onnx"));
}

BOOST_AUTO_TEST_CASE(refuses_a_damaged_model) {
  const std::string file = save("lenet5");
  std::filesystem::resize_file(file, 5000);
  const Run cut = run({.model = file, .network = "lenet5", .output = ""});
  BOOST_TEST(cut.status == toInt(ExitCode::kFailed));
  BOOST_TEST(contains(cut.err, "its data lies outside the file"));
  write("model.safetensors", "not a model");
  BOOST_TEST(run({.model = file, .network = "lenet5", .output = ""}).status ==
             toInt(ExitCode::kFailed));
  const Run text = run({.model = file, .network = "ptb-lstm-small", .output = ""});
  BOOST_TEST(text.status == toInt(ExitCode::kFailed));
  BOOST_TEST(!exists("model.onnx"));
}

BOOST_AUTO_TEST_CASE(says_which_network_is_missing) {
  const std::string file = save("lenet5");
  const Run none = run({.model = file, .network = "", .output = ""});
  BOOST_TEST(none.status == toInt(ExitCode::kUsage));
  BOOST_TEST(none.err == "error: there is no job.yaml beside " + file +
                             "; --network NAME|FILE says which network it is of\n");
  const Run unknown = run({.model = file, .network = "lenet", .output = ""});
  BOOST_TEST(unknown.status == toInt(ExitCode::kUsage));
  BOOST_TEST(contains(unknown.err, "did you mean `lenet5`?"));
  write("job.yaml", "kind: Nothing\n");
  const Run bad = run({.model = file, .network = at("job.yaml"), .output = ""});
  BOOST_TEST(bad.status == toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(contains(bad.err, at("job.yaml") + ":1"));
}

BOOST_AUTO_TEST_CASE(never_overwrites_the_model_itself) {
  const std::string file = save("lenet5");
  const Run done = run({.model = file, .network = "lenet5", .output = file});
  BOOST_TEST(done.status == toInt(ExitCode::kUsage));
  BOOST_TEST(run({.model = file, .network = "lenet5", .output = ""}).status ==
             toInt(ExitCode::kDone));
}

BOOST_AUTO_TEST_CASE(says_when_the_file_cannot_be_written) {
  const Run done =
      run({.model = save("lenet5"), .network = "lenet5", .output = at("missing/model.onnx")});
  BOOST_TEST(done.status == toInt(ExitCode::kFailed));
  BOOST_TEST(contains(done.err, "missing"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::export_model_test
