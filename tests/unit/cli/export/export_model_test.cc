#include "cli/export/export_model.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/model_file/model_file.h"
#include "job/model/network.h"
#include "tests/support/golden.h"
#include "tests/support/protobuf_fields.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::export_model_test {
namespace {

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

  /// Leaves a model in the folder; `description` has its network.
  std::string save(const worker::ModelDescription& description) const {
    const model::Network network = model::resolve(description.spec).value();
    const std::vector<float> weights(static_cast<std::size_t>(network.parameters), 0.5F);
    const std::vector<float> statistics(static_cast<std::size_t>(network.statistics), 1.0F);
    std::string file = at("model.safetensors");
    BOOST_REQUIRE(
        replaceFile(file, worker::encodeModelFile(description, network, weights, statistics)));
    return file;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(at(name)); }
  /// What it printed is as in this golden file.
  void isAsKept(const std::string& name, const std::string& printed) const {
    test::checkGolden("cli/export/" + name,
                      test::replaced(printed, folder.path().string(), "FOLDER"));
  }

  TemporaryFolder folder;
};

worker::ModelDescription lenet5() {
  worker::ModelDescription images;
  images.spec = model::fromZoo("lenet5").value();
  images.classes = 10;
  return images;
}

worker::ModelDescription words() {
  worker::ModelDescription text;
  text.spec = {"custom", {5}, {}, 3};
  text.task = worker::ModelTask::kText;
  text.spec.layers = {{"embedding1", model::Embedding{3}, {}},
                      {"memory", model::Lstm{.outputs = 4}, {}},
                      {"dense1", model::Dense{}, {}},
                      {"loss1", model::SoftmaxCrossEntropy{}, {}}};
  text.vocabulary = {"<eos>", "a", "b"};
  return text;
}

/// The metadata of an exported file: its text by name.
std::map<std::string, std::string> metadataOf(const std::string& file) {
  const auto bytes = readFile(file, 1U << 20U);
  BOOST_REQUIRE(bytes);
  constexpr int kMetadata = 14;  // of ModelProto
  std::map<std::string, std::string> found;
  for (const auto& entry : ProtobufFields(*bytes).of(kMetadata)) {
    const ProtobufFields pair(entry.bytes);
    found[pair.only(1).text()] = pair.only(2).text();
  }
  return found;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(export_model, Fixture)

BOOST_AUTO_TEST_CASE(writes_a_model_beside_its_file) {
  const Run done = run({.model = save(lenet5()), .output = ""});
  BOOST_TEST(done.err == "");
  BOOST_TEST(done.status == toInt(ExitCode::kDone));
  isAsKept("images.txt", done.out);
  const auto bytes = readFile(at("model.onnx"), 1U << 20U);
  BOOST_REQUIRE(bytes);
  const ProtobufFields graph(ProtobufFields(*bytes).only(7).bytes);
  BOOST_TEST(graph.only(2).text() == "lenet5");
}

BOOST_AUTO_TEST_CASE(text_keeps_its_words) {
  const Run done = run({.model = save(words()), .output = at("words.onnx")});
  BOOST_TEST(done.err == "");
  isAsKept("text.txt", done.out);
  BOOST_TEST(metadataOf(at("words.onnx"))["vocabulary"] == R"(["<eos>","a","b"])");
}

BOOST_AUTO_TEST_CASE(classes_beyond_those_of_the_data_are_numbered) {
  auto model = lenet5();
  model.classes = 2;
  model.class_names = {"cat", "dog"};
  BOOST_TEST(run({.model = save(model), .output = ""}).err == "");
  BOOST_TEST(metadataOf(at("model.onnx"))["classes"] ==
             R"(["cat","dog","2","3","4","5","6","7","8","9"])");
}

BOOST_AUTO_TEST_CASE(normalization_becomes_a_part_of_the_graph) {
  const std::string file = save(lenet5());
  BOOST_TEST(run({.model = file, .output = at("plain.onnx")}).err == "");
  auto model = lenet5();
  model.normalization = {.mean = {0.3F}, .deviation = {0.2F}};
  save(model);
  BOOST_TEST(run({.model = file, .output = at("normalized.onnx")}).err == "");
  BOOST_TEST(std::filesystem::file_size(at("normalized.onnx")) >
             std::filesystem::file_size(at("plain.onnx")));
}

BOOST_AUTO_TEST_CASE(values_of_a_table_are_taken_as_they_are) {
  worker::ModelDescription model;
  model.spec = {"custom", {4}, {}, 0};
  model.task = worker::ModelTask::kTable;
  model.classes = 3;
  model.spec.layers = {{"dense1", model::Dense{3}, {}},
                       {"loss1", model::SoftmaxCrossEntropy{}, {}}};
  const Run done = run({.model = save(model), .output = ""});
  BOOST_TEST(done.err == "");
  isAsKept("table.txt", done.out);
}

BOOST_AUTO_TEST_CASE(refuses_a_damaged_model) {
  const std::string file = save(lenet5());
  std::filesystem::resize_file(file, 5000);
  const Run cut = run({.model = file, .output = ""});
  BOOST_TEST(cut.status == toInt(ExitCode::kFailed));
  isAsKept("damaged.txt", cut.err);
  std::ofstream(file) << "not a model";
  BOOST_TEST(run({.model = file, .output = ""}).status == toInt(ExitCode::kFailed));
  BOOST_TEST(!exists("model.onnx"));
}

// Earlier versions wrote such files.
BOOST_AUTO_TEST_CASE(says_that_the_file_does_not_name_its_network) {
  const model::Network network = model::resolve(lenet5().spec).value();
  const std::vector<float> weights(static_cast<std::size_t>(network.parameters));
  const std::string file = at("model.safetensors");
  BOOST_REQUIRE(replaceFile(file, checkpoint::encodeSafetensors(network, weights, {})));
  const Run done = run({.model = file, .output = ""});
  BOOST_TEST(done.status == toInt(ExitCode::kFailed));
  isAsKept("without_network.txt", done.err);
}

BOOST_AUTO_TEST_CASE(never_overwrites_the_model_itself) {
  const std::string file = save(lenet5());
  const Run done = run({.model = file, .output = file});
  BOOST_TEST(done.status == toInt(ExitCode::kUsage));
  BOOST_TEST(run({.model = file, .output = ""}).status == toInt(ExitCode::kDone));
}

BOOST_AUTO_TEST_CASE(says_when_the_file_cannot_be_written) {
  const Run done = run({.model = save(lenet5()), .output = at("missing/model.onnx")});
  BOOST_TEST(done.status == toInt(ExitCode::kFailed));
  BOOST_TEST(done.err.find("missing/model.onnx") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::export_model_test
