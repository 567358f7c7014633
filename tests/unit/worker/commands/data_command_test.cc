#include "worker/commands/data_command.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <boost/algorithm/string/replace.hpp>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::data_mode_test {
namespace {

/// Runs commands and keeps what they said.
struct Fixture {
  int run(std::vector<std::string> words) {
    words.insert(words.begin(), "data");
    std::vector<char*> arguments;
    for (std::string& word : words)
      arguments.push_back(word.data());
    std::ostringstream out_stream;
    std::ostringstream err_stream;
    const auto code =
        dataCommand(static_cast<int>(arguments.size()), arguments.data(), out_stream, err_stream);
    out = out_stream.str();
    err = err_stream.str();
    return toInt(code);
  }

  nlohmann::json infoOf(const std::string& format, const std::string& path) {
    BOOST_REQUIRE(run({"info", "--format", format, "--path", path, "-o", "json"}) == 0);
    return nlohmann::json::parse(out);
  }

  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
  std::string in(std::string_view name) const { return (folder / name).string(); }

  /// A text that is the same in every folder.
  std::string shown(const std::string& text) const {
    return boost::replace_all_copy(boost::replace_all_copy(text, folder.path().string(), "FOLDER"),
                                   SUMAC_SOURCE_FOLDER, "SOURCES");
  }

  TemporaryFolder folder;
  std::string out;
  std::string err;
};

const std::string kExample = SUMAC_SOURCE_FOLDER "/examples/lenet5-fashion-mini.yaml";
const std::string kExampleData = SUMAC_SOURCE_FOLDER "/examples/data";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(data_command, Fixture)

BOOST_AUTO_TEST_CASE(generates_images_that_it_can_describe) {
  for (const std::string format : {"idx", "cifar10"}) {
    BOOST_TEST(run({"generate", "--format", format, "--output-dir", in(format), "--samples", "20",
                    "--test-samples", "5", "--classes", "4"}) == 0);
    const auto json = infoOf(format, in(format));

    BOOST_TEST(json["source"] == format + " in " + in(format));
    BOOST_TEST(json["splits"]["train"]["samples"] == 20);
    BOOST_TEST(json["splits"]["train"]["samplesOfClass"][3] == 5);
    BOOST_TEST(json["splits"]["test"]["samples"] == 5);
    BOOST_TEST(json["shape"].dump() == (format == "idx" ? "[1,28,28]" : "[3,32,32]"));
  }
}

BOOST_AUTO_TEST_CASE(takes_shape_seed_and_compression) {
  BOOST_TEST(run({"generate", "--format", "idx", "--output-dir", in("a"), "--shape", "1x5x6",
                  "--seed", "3", "--gzip"}) == 0);
  BOOST_TEST(run({"generate", "--format", "idx", "--output-dir", in("b"), "--shape", "1x5x6"}) ==
             0);

  const auto a = infoOf("idx", in("a"));
  const auto b = infoOf("idx", in("b"));

  BOOST_TEST(std::filesystem::exists(in("a/train-images-idx3-ubyte.gz")));
  BOOST_TEST(a["shape"].dump() == "[1,5,6]");
  BOOST_TEST(a["fingerprint"] != b["fingerprint"]);
  BOOST_TEST(b["splits"]["train"]["samples"] == 1000);
  BOOST_TEST(b["splits"]["test"]["samples"] == 200);
}

BOOST_AUTO_TEST_CASE(generates_text_and_prints_the_paths) {
  BOOST_TEST(run({"generate", "--format", "text", "--output-dir", in("t"), "--tokens", "3000",
                  "--vocabulary", "50"}) == 0);
  BOOST_TEST(out == in("t/train.txt") + "\n" + in("t/valid.txt") + "\n" + in("t/test.txt") + "\n");

  const auto json = infoOf("text", in("t"));

  BOOST_TEST(json["splits"]["train"]["tokens"] == 3000);
  BOOST_TEST(json["splits"]["valid"]["tokens"] == 300);
  BOOST_TEST(json["vocabulary"] == 50);
}

BOOST_AUTO_TEST_CASE(describes_and_packs_files_without_test_samples) {
  BOOST_TEST(run({"generate", "--format", "csv", "--output-dir", in("t")}) == 0, err);
  std::filesystem::remove(in("t/test.csv"));
  BOOST_TEST(run({"info", "--format", "csv", "--path", in("t")}) == 0, err);
  BOOST_TEST(run({"pack", "--format", "csv", in("t"), in("t.sumac")}) == 0, err);
  BOOST_TEST(has(out, "validation: \"0.1\""), out);
  BOOST_TEST(run({"info", in("t.sumac")}) == 0, err);
}

BOOST_AUTO_TEST_CASE(describes_the_data_of_a_job) {
  BOOST_TEST(run({"info", kExample, "--data-dir", kExampleData}) == 0, err);

  BOOST_TEST(out.starts_with("fashion-mnist-mini, fingerprint "));
  BOOST_TEST(has(out, "train   800       1x28x28"), out);
  BOOST_TEST(has(out, "64           12"), out);
}

BOOST_AUTO_TEST_CASE(describes_the_text_of_a_job_by_its_networks_time_steps) {
  const std::string job = in("job.yaml");
  std::ofstream(job) << R"(
apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: words}
spec:
  model: {name: ptb-lstm-small}
  data: {format: generated, generated: {trainTokens: 2000, testTokens: 200, vocabulary: 50}}
  training: {batchSize: 10, epochs: 1, optimizer: {name: sgd, learningRate: "1"}}
  worker: {replicas: 1}
)";

  BOOST_TEST(run({"info", job, "-o", "json"}) == 0, err);
  const auto json = nlohmann::json::parse(out);
  BOOST_TEST(json["source"] == "generated");
  BOOST_TEST(json["vocabulary"] == 50);
  BOOST_TEST(json["job"]["unroll"] == 20);
  BOOST_TEST(json["job"]["streamLength"] == 200);
  BOOST_TEST(json["job"]["stepsPerEpoch"] == 9);

  BOOST_TEST(run({"info", job, "--set", "training.unroll=30", "-o", "json"}) == 0, err);
  BOOST_TEST(nlohmann::json::parse(out)["job"]["stepsPerEpoch"] == 6);
}

BOOST_AUTO_TEST_CASE(rejects_options_of_another_format) {
  const std::vector<std::string> kCases[] = {{"text", "--gzip"},
                                             {"cifar10", "--gzip"},
                                             {"text", "--samples", "9"},
                                             {"idx", "--tokens", "9"},
                                             {"idx", "--seed", "-1"}};
  test::Transcript said;
  for (std::vector<std::string> words : kCases) {
    const std::string name = words[0] + " " + words[1];
    words.insert(words.begin(), {"generate", "--output-dir", in("x"), "--format"});
    BOOST_TEST(run(words) == 2, name);
    BOOST_TEST(has(err, words[5]), err);
    said.add(name, shown(err));
  }
  test::checkGolden("worker/commands/data_options.txt", said.text());
  BOOST_TEST(!std::filesystem::exists(in("x")));
}

BOOST_AUTO_TEST_CASE(packs_files_that_it_can_describe_by_their_head) {
  BOOST_REQUIRE(
      run({"generate", "--format", "idx", "--output-dir", in("idx"), "--samples", "20"}) == 0);
  const std::vector<std::string> pack{"pack", in("idx"), in("a.sumac"), "--format", "idx"};
  BOOST_TEST(run(pack) == 0, err);
  test::checkGolden("worker/commands/data_pack.txt", shown(out));

  auto of_files = infoOf("idx", in("idx"));
  BOOST_TEST(run({"info", in("a.sumac"), "-o", "json"}) == 0);
  auto packed = nlohmann::json::parse(out);
  BOOST_TEST(packed["source"] == "packed file " + in("a.sumac"));
  of_files.erase("source");
  packed.erase("source");
  BOOST_TEST(packed == of_files);

  BOOST_TEST(run(pack) == 2);
  BOOST_TEST(has(err, "a.sumac is there already"), err);
  BOOST_TEST(run({"pack", in("idx"), in("a.pack")}) == 2);
  BOOST_TEST(has(err, "a.pack.sumac"), err);
  BOOST_TEST(run({"pack", in("idx"), in("b.sumac")}) == 78);
  BOOST_TEST(has(err, "train/CLASS"), err);
}

BOOST_AUTO_TEST_CASE(overwrites_nothing) {
  const std::vector<std::string> command{"generate", "--format", "text", "--output-dir", in("t")};
  BOOST_TEST(run(command) == 0);

  BOOST_TEST(run(command) == 2);
  BOOST_TEST(has(err, in("t/train.txt")), err);
}

BOOST_AUTO_TEST_CASE(tells_what_cannot_be_used_and_bad_usage_apart) {
  const std::tuple<int, std::string, std::vector<std::string>> kCases[] = {
      {78, in("nowhere"), {"info", "--format", "idx", "--path", in("nowhere")}},
      {78, in("no.yaml"), {"info", in("no.yaml")}},
      {78, in(""), {"info", in("")}},
      {78, "900", {"info", kExample, "--set", "training.batchSize=900"}},
      {78, "spec.training.batchSize", {"info", kExample, "--set", "training.batchSize=0"}},
      {2, "`genrate`", {"genrate"}}};
  test::Transcript said;
  for (const auto& [code, where, words] : kCases) {
    BOOST_TEST(run(words) == code, err);
    BOOST_TEST(has(err, where), err);
    said.add(shown(where), shown(err));
  }
  test::checkGolden("worker/commands/data_unusable.txt", said.text());
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {},
           {"info"},
           {"info", "--format", "idx"},
           {"info", "--path", "x"},
           {"info", "--format", "tar", "--path", "x"},
           {"info", kExample, "--format", "idx", "--path", "x"},
           {"info", "--format", "idx", "--path", "x", "-o", "yaml"},
           {"generate"},
           {"generate", "--format", "idx"},
           {"generate", "--format", "generated", "--output-dir", in("x")},
           {"generate", "--format", "idx", "--output-dir", in("x"), "--shape", "28x28"},
           {"generate", "--format", "idx", "--output-dir", in("x"), "--shape", "3x28x28"},
           {"generate", "--format", "idx", "--output-dir", in("x"), "--classes", "257"},
           {"generate", "--format", "cifar10", "--output-dir", in("x"), "--classes", "11"},
           {"info", "--format", "idx", "--path", "~/data"},
           {"info", "--format", "idx", "--path", "s3://bucket/data"},
           {"generate", "--format", "cifar10", "--output-dir", in("x"), "--shape", "1x32x32"},
           {"generate", "--format", "cifar10", "--output-dir", in("x"), "--samples", "0"},
           {"generate", "--format", "text", "--output-dir", in("x"), "--vocabulary", "2"},
           {"generate", "--format", "text", "--output-dir", in("x"), "--tokens", "many"}}) {
    BOOST_TEST(run(words) == 2, (words.empty() ? "" : words.back()));
    BOOST_TEST(!err.empty());
    BOOST_TEST(!std::filesystem::exists(in("x")));
  }
}

BOOST_AUTO_TEST_CASE(explains_itself) {
  BOOST_TEST(run({"--help"}) == 0);
  BOOST_TEST(has(out, "generate"), out);
  BOOST_TEST(run({"generate", "--help"}) == 0);
  BOOST_TEST(has(out, "--vocabulary"), out);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::data_mode_test
