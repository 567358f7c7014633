#include "job/document/job_file.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::job::job_file_test {
namespace {

/// Why there is no job in a file with this text.
std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "job.yaml", asBytes(text)));
  const auto job = readJobFile((folder / "job.yaml").string());
  return job ? std::string() : job.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_file)

BOOST_AUTO_TEST_CASE(names_what_is_wrong_with_its_document) {
  const std::string text = refusal(
      "apiVersion: sumac.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: test}\n"
      "spec: {model: {name: lenet6}, data: {name: fashion-mnist-mini}}\n");
  BOOST_TEST(text.find("lenet6") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(names_a_file_that_is_not_there) {
  const auto job = readJobFile("/nonexistent/job.yaml");
  BOOST_REQUIRE(!job);
  BOOST_TEST(job.error().message.find("/nonexistent/job.yaml") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::job_file_test
