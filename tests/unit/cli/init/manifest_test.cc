#include "cli/init/manifest.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "cli/init/proposal.h"
#include "job/document/job.h"
#include "tests/support/golden.h"

namespace sumac::cli::manifest_test {
namespace {

using job::DataFormat;

/// The manifest, which the job's reader takes without a word.
job::TrainingJob jobOf(const Findings& findings) {
  const std::string text = manifestOf(findings, proposalFor(findings), "job.yaml");
  const auto reading = job::readJob(text, "job.yaml", {}, /*needs_to_run=*/true);
  BOOST_REQUIRE_MESSAGE(reading.job, job::problemList(reading.problems) + text);
  BOOST_TEST(reading.warnings.empty(), (reading.warnings.empty() ? "" : reading.warnings[0]));
  BOOST_TEST(reading.unquoted == "");
  return *reading.job;
}

/// The golden files have what each kind of data gets; a real API server judges them, too.
void isAsKept(const std::string& name, const Findings& findings) {
  jobOf(findings);
  test::checkGolden("cli/init/manifests/" + name + ".yaml",
                    manifestOf(findings, proposalFor(findings), name + ".yaml"));
}

Findings photos() {
  Findings found;
  found.folder = "My Photos";
  found.path = "../My Photos";
  found.pictures = worker::PictureRange{{480, 640}, {3024, 4032}, /*has_gray=*/true, true};
  found.train = 240;
  found.test = 60;
  found.classes = 3;
  found.class_names = {"cat", "dog", "eel"};
  return found;
}

Findings images(const model::Shape& shape, std::int64_t train, int classes) {
  Findings found;
  found.format = DataFormat::kIdx;
  found.folder = "digits";
  found.path = "data/digits";
  found.shape = shape;
  found.train = train;
  found.test = train / 6;
  found.classes = classes;
  return found;
}

Findings table() {
  Findings found;
  found.format = DataFormat::kCsv;
  found.folder = found.path = "flowers";
  found.shape = {4};
  found.train = 150;
  found.classes = 3;
  found.class_names = {"setosa", "versicolor", "virginica"};
  found.label = "species";
  return found;
}

Findings text(std::int64_t words) {
  Findings found;
  found.format = DataFormat::kText;
  found.folder = found.path = "faust";
  found.train = found.words = words;
  found.vocabulary = 6'000;
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(manifest)

BOOST_AUTO_TEST_CASE(of_each_kind_of_data_is_as_kept) {
  isAsKept("photos", photos());
  isAsKept("digits", images({1, 28, 28}, 60'000, 26));
  isAsKept("flowers", table());
  isAsKept("faust", text(40'000));
  Findings bundled = images({1, 28, 28}, 800, 10);
  bundled.data_set = bundled.folder = "fashion-mnist-mini";
  isAsKept("bundled", bundled);
}

BOOST_AUTO_TEST_CASE(is_valid_for_data_of_any_size) {
  for (const model::Shape& shape :
       {model::Shape{1, 28, 28}, model::Shape{3, 32, 32}, model::Shape{1, 1, 1},
        model::Shape{3, 12, 12}, model::Shape{1, 11, 300}, model::Shape{2, 96, 13}, model::Shape{1},
        model::Shape{5'000}}) {
    for (const std::int64_t train : {16, 17, 200, 1'000'000})
      jobOf(images(shape, train, 2));
  }
  for (const std::int64_t words : {2, 30, 2'000, 1'000'000})
    jobOf(text(words));
  Findings many = images({3, 64, 64}, 100'000, 65'536);
  jobOf(many);
}

BOOST_AUTO_TEST_CASE(needs_no_more_samples_than_there_are) {
  for (const std::int64_t train : {1, 2, 15, 16, 100, 768, 50'000}) {
    Findings found = table();
    found.train = train;
    const Proposal proposal = proposalFor(found);

    const std::int64_t left = train - train * proposal.held_back / 100;
    BOOST_TEST(proposal.batch_size >= 1);
    BOOST_TEST(proposal.batch_size <= left);
    BOOST_TEST(proposal.parts <= proposal.batch_size);
  }
}

BOOST_AUTO_TEST_CASE(makes_pictures_alike_that_are_not) {
  const auto sizeFor = [](worker::PictureSize least, worker::PictureSize greatest) {
    Findings found = photos();
    found.pictures = worker::PictureRange{least, greatest, false, true};
    return proposalFor(found).resize.value_or(worker::PictureSize{0, 0}).height;
  };
  BOOST_TEST(sizeFor({96, 60}, {96, 60}) == 0);
  BOOST_TEST(sizeFor({97, 60}, {97, 60}) == 56);
  BOOST_TEST(sizeFor({224, 224}, {224, 224}) == 64);
  BOOST_TEST(sizeFor({10, 200}, {1'000, 200}) == 64);
  BOOST_TEST(sizeFor({9, 12}, {12, 14}) == 8);
  BOOST_TEST(sizeFor({1, 1}, {2, 3}) == 8);
}

BOOST_AUTO_TEST_CASE(holds_samples_back_where_nothing_else_measures) {
  BOOST_TEST(proposalFor(table()).held_back == 20);
  BOOST_TEST(proposalFor(images({8}, 199, 2)).held_back == 0);
  BOOST_TEST(proposalFor(images({8}, 200, 2)).held_back == 10);
}

BOOST_AUTO_TEST_CASE(quotes_what_yaml_would_take_for_something_else) {
  for (const std::string path :
       {"yes", "123", "a: b", "#x", "~x", "null", ".", "1e5", "-", "über"}) {
    Findings found = table();
    found.path = "./" + path;
    found.label = path;
    const job::TrainingJob job = jobOf(found);
    BOOST_TEST(job.data.path == "./" + path);
    BOOST_TEST(job.data.label == path);
  }
}

BOOST_AUTO_TEST_CASE(a_name_cannot_end_a_comment) {
  Findings found = table();
  found.class_names = {"a\nspec: b", std::string(500, 'x')};
  found.path = "new\nline";
  BOOST_TEST(jobOf(found).data.path == "new\nline");
}

BOOST_AUTO_TEST_CASE(names_jobs_after_folders) {
  BOOST_TEST(jobNameOf("My Photos (2)") == "my-photos-2");
  BOOST_TEST(jobNameOf("2024") == "job-2024");
  BOOST_TEST(jobNameOf("..") == "my-job");
  BOOST_TEST(jobNameOf("") == "my-job");
  BOOST_TEST(jobNameOf("Ä_b") == "b");
  BOOST_TEST(jobNameOf(std::string(39, 'a') + "-bc") == std::string(39, 'a'));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::manifest_test
