#include "job/document/program_code.h"

#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "job/document/job.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/job/document/documents.h"

namespace sumac::job::program_code_test {
namespace {

namespace fs = std::filesystem;

// Of `sha256sum lib/net.py train.py | sha256sum`, the files as below.
constexpr const char* kHash = "7399c2ffef0ce185635c21c0a7c1ec62092b0f112a4ee725c02eba43b21fd41b";

const CodeFiles kFiles = {{"train.py", "import lib.net\n"}, {"lib/net.py", "x = 1\n"}};

CodeSpec spec() {
  return {.sha256 = codeHash(kFiles), .files = {"lib/net.py", "train.py"}};
}

struct Folder : TemporaryFolder {
  Folder() {
    for (const auto& [name, content] : kFiles)
      write(name, content);
  }
  void write(const std::string& name, const std::string& content) {
    fs::create_directories((path() / name).parent_path());
    fs::remove(path() / name);
    BOOST_REQUIRE(createFile(path() / name, asBytes(content)));
  }
};

Reading withFiles(const std::string& files) {
  return readJob(
      "apiVersion: sumac.dev/v1alpha1\n"
      "kind: TrainingJob\n"
      "metadata: {name: mine}\n"
      "spec:\n"
      "  program: {command: [python, train.py], code: {sha256: " +
          std::string(64, 'a') + ", files: " + files +
          "}}\n"
          "  training: {batchSize: 64, steps: 100, logicalWorkers: 8}\n"
          "  worker: {replicas: 2}\n",
      "job.yaml", {}, /*needs_to_run=*/true);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(program_code)

BOOST_AUTO_TEST_CASE(has_the_hash_that_sha256sum_prints_of_its_own_lines) {
  BOOST_TEST(codeHash(kFiles) == kHash);
}

BOOST_AUTO_TEST_CASE(is_part_of_the_job) {
  const Reading reading = withFiles("[train.py, lib/net.py]");
  BOOST_TEST_REQUIRE(problemList(reading.problems) == "");
  const CodeSpec& code = reading.job->program->code.value();
  BOOST_TEST(code.sha256 == std::string(64, 'a'));
  BOOST_TEST((code.files == std::vector<std::string>{"train.py", "lib/net.py"}));
}

BOOST_AUTO_TEST_CASE(has_no_paths_that_leave_its_folder) {
  for (const char* const path : {"../a", "/a", "a/../b", ".", "..", "a/..", "a//b", "a/", ".a",
                                 "a/.b", "a b", "a\tb", "a;b", "$a", "ä", "\"\""}) {
    BOOST_TEST(!isCodePath(path), path);
    BOOST_TEST(withFiles("[\"" + std::string(path == std::string("\"\"") ? "" : path) + "\"]")
                       .problems.size() == 1,
               path);
  }
  BOOST_TEST(!isCodePath(""));
  BOOST_TEST(isCodePath(std::string(253, 'a')));
  BOOST_TEST(!isCodePath(std::string(254, 'a')));
  BOOST_TEST(withFiles("[]").problems.size() == 1);
}

BOOST_AUTO_TEST_CASE(has_each_file_once_and_no_file_in_a_file) {
  BOOST_TEST(codeFilesProblem({"a", "a-b", "a.b", "ab/c"}) == "");
  BOOST_TEST(codeFilesProblem({"b", "a", "b"}).starts_with("b "));
  // Others sort between a and a/b.
  BOOST_TEST(codeFilesProblem({"a", "a-b", "a/b", "a.c"}).starts_with("a is a file"));
  BOOST_TEST(placesOf(withFiles("[a/b, a]").problems).ends_with("spec.program.code.files\n"));
}

BOOST_FIXTURE_TEST_CASE(is_checked_in_its_folder, Folder) {
  BOOST_TEST(checkCode(spec(), path()).has_value());
  write("other.py", "");
  BOOST_TEST(checkCode(spec(), path()).has_value());  // is none of the job's
  write("train.py", "import lib.net \n");
  const auto changed = checkCode(spec(), path());
  BOOST_TEST_REQUIRE(!changed.has_value());
  BOOST_TEST((changed.error().code == ErrorCode::kInvalid));
  BOOST_TEST(changed.error().message.find(spec().sha256) != std::string::npos);
  fs::remove(path() / "lib/net.py");
  const auto missing = checkCode(spec(), path());
  BOOST_TEST_REQUIRE(!missing.has_value());
  BOOST_TEST(missing.error().message.find("lib/net.py is missing") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(of_more_than_its_bound_is_refused, Folder) {
  CodeSpec code{.sha256 = {}, .files = {"large"}};
  const std::string most(kMostCodeBytes, 'x');
  write("large", most);
  code.sha256 = codeHash({{"large", most}});
  BOOST_TEST(checkCode(code, path()).has_value());
  write("large", most + "x");
  BOOST_TEST((checkCode(code, path()).error().code == ErrorCode::kInvalid));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::program_code_test
