#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/golden.h"
#include "tests/unit/job/document/documents.h"

namespace sumac::job::manifests_test {

namespace {

std::vector<std::filesystem::path> manifestsIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  BOOST_TEST_REQUIRE(!files.empty());
  std::ranges::sort(files);
  return files;
}

std::vector<std::filesystem::path> manifests(const std::string& folder) {
  return manifestsIn(std::filesystem::path(SUMAC_SOURCE_FOLDER "/tests/data/job") / folder);
}

std::string contentOf(const std::filesystem::path& file) {
  const auto text = readTextFile(file, 1 << 20);
  BOOST_TEST_REQUIRE(text.has_value());
  return *text;
}

/// The lines "# expect: line:column path" at the beginning of a bad manifest.
std::string expectedIn(const std::string& text) {
  const std::string mark = "# expect: ";
  std::string expected;
  for (std::size_t at = 0; text.compare(at, mark.size(), mark) == 0;) {
    const std::size_t end = text.find('\n', at) + 1;
    expected += text.substr(at + mark.size(), end - at - mark.size());
    at = end;
  }
  return expected;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(manifests_on_disk)

BOOST_AUTO_TEST_CASE(good_ones_have_no_problems_and_read_back_from_their_resolved_form) {
  for (const auto& file : manifests("good")) {
    BOOST_TEST_CONTEXT(file.filename()) {
      const Reading reading = readJob(contentOf(file), "job.yaml", {}, false);
      BOOST_TEST(problemList(reading.problems) == "");
      BOOST_TEST(reading.job.has_value());

      const Reading again = readJob(reading.resolved.text(), "resolved.json", {}, false);
      BOOST_TEST(problemList(again.problems) == "");
      BOOST_TEST(again.resolved.text() == reading.resolved.text());
      const Reading of_tree = readJob(reading.document, "document.json", {}, false);
      BOOST_TEST(of_tree.resolved.text() == reading.resolved.text());
    }
  }
}

BOOST_AUTO_TEST_CASE(all_examples_can_run) {
  for (const auto& file : manifestsIn(SUMAC_SOURCE_FOLDER "/examples")) {
    BOOST_TEST_CONTEXT(file.filename()) {
      const Reading reading = readJob(contentOf(file), "job.yaml", {}, /*needs_to_run=*/true);
      BOOST_TEST(problemList(reading.problems) == "");
      BOOST_TEST(reading.warnings.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(bad_ones_have_exactly_the_problems_that_they_name) {
  test::Transcript said;
  for (const std::string folder : {"bad", "bad_meaning"}) {
    for (const auto& file : manifests(folder)) {
      BOOST_TEST_CONTEXT(file.filename()) {
        const std::string text = contentOf(file);
        const Reading reading = readJob(text, "job.yaml", {}, false);
        BOOST_TEST(!reading.job.has_value());
        BOOST_TEST(placesOf(reading.problems) == expectedIn(text));
        said.add(folder + "/" + file.filename().string(), problemList(reading.problems));
      }
    }
  }
  test::checkGolden("job/document/manifests.txt", said.text());
}

BOOST_AUTO_TEST_CASE(a_manifest_cut_anywhere_is_read_or_refused_with_a_reason) {
  const std::string text =
      contentOf(SUMAC_SOURCE_FOLDER "/tests/data/job/good/pods_and_volumes.yaml");
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Reading reading = readJob(text.substr(0, length), "job.yaml", {}, true);
    BOOST_TEST(reading.job.has_value() == reading.problems.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::manifests_test
