#include "cli/init/init.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "engine/data/data_files.h"
#include "engine/data/generated.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::init_test {
namespace {

struct Fixture {
  std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  static worker::Images images(const model::Shape& shape) {
    return *worker::generateImages(
        {.train_samples = 30, .test_samples = 7, .shape = shape, .classes = 3});
  }
  void create(const std::string& name, const std::vector<worker::NamedFile>& files) const {
    BOOST_REQUIRE(worker::createFiles(folder / name, files));
  }
  int run(const InitOptions& options) {
    out.str("");
    err.str("");
    return init(options, out, err);
  }
  /// The manifest that is printed for this folder.
  std::string printed(const std::string& data, const std::string& label = "") {
    BOOST_REQUIRE_MESSAGE(run({.data = at(data), .label = label, .file = "-"}) == 0, err.str());
    return out.str();
  }
  std::string told(const std::string& text) const {
    return test::replaced(text, folder.path().string(), "FOLDER");
  }
  /// What it says when it ends with 78.
  std::string refusal(const std::string& data, const std::string& label = "") {
    BOOST_TEST(run({.data = at(data), .label = label, .file = at("no.yaml")}) ==
               toInt(ExitCode::kBadConfiguration));
    BOOST_TEST(!std::filesystem::exists(at("no.yaml")));
    return told(err.str());
  }

  TemporaryFolder folder;
  std::ostringstream out;
  std::ostringstream err;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(init_command, Fixture)

BOOST_AUTO_TEST_CASE(finds_data_of_each_format) {
  create("idx", worker::idxFiles(images({1, 28, 28}), worker::Compression::kGzip));
  create("pictures", worker::pictureFiles(images({3, 20, 30})));
  create("table", worker::csvFiles(images({6})));
  create("cifar", worker::cifar10Files(images({3, 32, 32})));
  create("words", worker::textFiles(*worker::generateText(
                      {.train_tokens = 900, .test_tokens = 90, .vocabulary = 40})));

  BOOST_TEST(has(printed("idx"), "name: lenet5"));
  BOOST_TEST(has(printed("pictures"), "input: [3, 20, 30]"));
  BOOST_TEST(has(printed("table"), "input: [6]"));
  BOOST_TEST(has(printed("cifar"), "format: cifar10"));
  const std::string words = printed("words");
  BOOST_TEST(has(words, "type: lstm"));
  BOOST_TEST(has(words, "900 words"));
  BOOST_TEST(has(err.str(), "900 words"));
}

BOOST_AUTO_TEST_CASE(finds_arrays) {
  std::filesystem::create_directories(folder / "arrays");
  std::filesystem::copy_file(SUMAC_SOURCE_FOLDER "/tests/data/npy/stored.npz",
                             at("arrays/stored.npz"));
  BOOST_TEST(has(printed("arrays"), "format: npy"));
}

BOOST_AUTO_TEST_CASE(writes_a_new_file_and_says_what_is_next) {
  create("table", worker::csvFiles(images({6})));
  const InitOptions options{.data = at("table/"), .label = "", .file = at("job.yaml")};

  BOOST_TEST(run(options) == 0);

  test::checkGolden("cli/init/written.txt", told(out.str()));
  const auto text = readTextFile(at("job.yaml"), 1U << 16U);
  BOOST_TEST_REQUIRE(text.has_value());
  BOOST_TEST(has(*text, "name: table "));

  BOOST_TEST(run(options) == toInt(ExitCode::kUsage));
  BOOST_TEST(*readTextFile(at("job.yaml"), 1U << 16U) == *text);
}

BOOST_AUTO_TEST_CASE(a_table_needs_no_test_file) {
  write("table/train.csv", "size,kind\n1,a\n2,b\n3,a\n4,b\n5,a\n");

  const std::string text = printed("table");

  BOOST_TEST(has(text, "label: kind"));
  BOOST_TEST(has(text, "validation: \"0.2\""));
  BOOST_TEST(has(text, "5 lines"));
}

BOOST_AUTO_TEST_CASE(a_column_of_numbers_that_do_not_repeat_has_no_classes) {
  std::string rows = "kind,price\n";
  for (int i = 0; i < 60; ++i)
    rows += std::string(i % 2 == 0 ? "a" : "b") + "," + std::to_string(100 + i) + "\n";
  write("table/train.csv", rows);

  test::checkGolden("cli/init/no_classes.txt", refusal("table"));
  BOOST_TEST(has(printed("table", "kind"), "label: kind"));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_data_and_says_why) {
  std::filesystem::create_directories(folder / "empty");
  write("loose/cat/1.jpg", "");
  write("both/train.csv", "a,b\n");
  write("both/train.txt", "word\n");
  write("bad/train/cat/1.png", "no picture");
  write("bad/train/dog/1.png", "no picture");
  create("words", {{"train.txt", Bytes(20, std::byte{'a'})}});

  test::Transcript said;
  for (const char* data : {"empty", "loose", "both", "bad", "none", "both/train.csv"})
    said.add(data, refusal(data));
  said.add("a label of words", refusal("words", "kind"));
  test::checkGolden("cli/init/no_data.txt", said.text());
}

BOOST_AUTO_TEST_CASE(says_that_a_file_cannot_be_written) {
  create("table", worker::csvFiles(images({6})));

  BOOST_TEST(run({.data = at("table"), .label = "", .file = at("none/job.yaml")}) ==
             toInt(ExitCode::kFailed));
  BOOST_TEST(has(err.str(), "none/job.yaml"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::init_test
