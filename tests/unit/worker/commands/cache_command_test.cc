#include "worker/commands/cache_command.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/data/data_files.h"
#include "engine/data/generated.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/worker/commands/command_run.h"

namespace sumac::worker::cache_command_test {
namespace {

namespace fs = std::filesystem;

struct Fixture : CommandRun {
  Fixture() { ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1); }
  ~Fixture() { ::unsetenv("XDG_CACHE_HOME"); }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  /// Packs what takes more than `most` bytes, of a job on twelve pictures of 3x2x2.
  int run(const std::string& most) {
    const std::string job =
        "apiVersion: sumac.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: job}\nspec:\n"
        "  model: {input: [3, 2, 2], layers: [{type: flatten}, {type: dense, outputs: 2},"
        " {type: softmaxCrossEntropy}]}\n  data: {format: folder, path: " +
        (folder / "photos").string() +
        "}\n  training: {batchSize: 8, steps: 1, optimizer: {learningRate: \"0.1\"}}\n";
    return CommandRun::run(cacheCommand, {"cache", "--max-bytes", most}, job);
  }

  void makePictures() const {
    const auto images =
        generateImages({.train_samples = 8, .test_samples = 4, .shape = {3, 2, 2}, .classes = 2});
    BOOST_REQUIRE(createFiles(folder / "photos", pictureFiles(*images)));
  }

  TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cache_command, Fixture)

BOOST_AUTO_TEST_CASE(prints_nothing_where_data_are_loaded_as_they_are) {
  makePictures();
  BOOST_TEST(run("144") == 0, err);
  BOOST_TEST(out.empty());
  BOOST_TEST(err.empty());
}

BOOST_AUTO_TEST_CASE(prints_the_packed_file_and_tells_once_that_it_is_made) {
  makePictures();
  BOOST_TEST(run("143") == 0, err);
  BOOST_TEST(out.starts_with((folder / "cache/sumac/data/photos-").string()), out);
  BOOST_TEST(fs::is_regular_file(out.substr(0, out.size() - 1)));
  BOOST_TEST(err.starts_with("packing " + (folder / "photos").string() + " once"), err);

  const std::string first = std::exchange(out, "");
  BOOST_TEST(run("143") == 0, err);
  BOOST_TEST(out == first);
  BOOST_TEST(err.empty(), err);
}

BOOST_AUTO_TEST_CASE(says_why_there_is_none) {
  BOOST_TEST(run("143") == toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(err.starts_with("error: "), err);
  BOOST_TEST(out.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::cache_command_test
