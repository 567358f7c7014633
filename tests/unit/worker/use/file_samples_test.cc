#include "worker/use/file_samples.h"

#include <fstream>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "tests/support/pictures/picture_files.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::file_samples_test {
namespace {

ModelFile modelOf(ModelTask task, model::Shape input) {
  ModelFile model;
  model.task = task;
  model.network.input = std::move(input);
  return model;
}

struct Fixture {
  std::filesystem::path add(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  }
  TemporaryFolder folder;
  std::filesystem::path picture = add("cat.PNG", asText(pngOf(gradientPicture(3, {4, 6}))));
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(file_samples, Fixture)

BOOST_AUTO_TEST_CASE(treats_a_picture_as_those_of_the_training) {
  ModelFile model = modelOf(ModelTask::kImages, {1, 2, 2});
  model.pictures = {.channels = 1, .resize = PictureSize{2, 2}};
  model.normalization = {.mean = {0.5F}, .deviation = {2.0F}};
  const auto found = samplesIn(picture, model);
  BOOST_REQUIRE_MESSAGE(found, (found ? "" : found.error().message));
  BOOST_TEST(found->is_picture);
  BOOST_TEST(found->samples.count() == 1);
  BOOST_TEST((found->samples.shape == model::Shape{1, 2, 2}));
  BOOST_TEST(found->samples.normalization.deviation.at(0) == 2.0F);
}

BOOST_AUTO_TEST_CASE(refuses_what_the_model_does_not_take) {
  const ModelFile small = modelOf(ModelTask::kImages, {1, 1, 1});
  const std::pair<const char*, Result<FileSamples>> kCases[] = {
      {"cat.PNG", samplesIn(picture, modelOf(ModelTask::kImages, {1, 4, 6}))},
      {"cat.PNG", samplesIn(picture, modelOf(ModelTask::kTable, {3, 4, 6}))},
      {"a.csv", samplesIn(add("a.csv", "a\n1\n"), small)},
      {"a.jpg", samplesIn(add("a.jpg", "none"), small)},
      {"a.npy", samplesIn(add("a.npy", "none"), small)},
      {"a.gif", samplesIn(add("a.gif", "GIF89a"), small)}};
  test::Refusals refusals(folder.path());
  for (const auto& [file, samples] : kCases)
    refusals.add(file, samples, file);
  refusals.add("none.png", samplesIn(folder / "none.png", small), "none.png", ErrorCode::kNotFound);
  refusals.compareWith("worker/use/file_samples.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::file_samples_test
