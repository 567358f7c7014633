#include "worker/use/file_samples.h"

#include <fstream>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "tests/support/pictures/picture_files.h"
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
  static void refuses(const std::filesystem::path& file, const ModelFile& model,
                      std::string_view part) {
    const auto samples = samplesIn(file, model);
    BOOST_REQUIRE(!samples);
    const std::string& message = samples.error().message;
    BOOST_TEST(message.find(part) != std::string::npos, message);
    BOOST_TEST(message.find(file.string()) != std::string::npos, message);
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
  refuses(picture, modelOf(ModelTask::kImages, {1, 4, 6}), "3x4x6 images, the model takes 1x4x6");
  refuses(picture, modelOf(ModelTask::kImages, {1, 4, 6}), "train with data.resize");
  refuses(picture, modelOf(ModelTask::kTable, {6}), "the model takes 6 values: name tables (.csv)");
  refuses(picture, modelOf(ModelTask::kTable, {3, 4, 6}), "trained on other values");
  refuses(add("a.csv", "a\n1\n"), modelOf(ModelTask::kImages, {1, 1, 1}), "not trained on a table");
  refuses(add("a.jpg", "none"), modelOf(ModelTask::kImages, {1, 1, 1}), "cannot use");
  refuses(add("a.npy", "none"), modelOf(ModelTask::kImages, {1, 1, 1}), "cannot use");
  refuses(add("a.gif", "GIF89a"), modelOf(ModelTask::kImages, {1, 1, 1}),
          "pictures (.png, .jpg, .jpeg), arrays of numpy (.npy), tables (.csv)");
  refuses(folder / "none.png", modelOf(ModelTask::kImages, {1, 1, 1}), "cannot");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::file_samples_test
