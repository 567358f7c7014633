#include "worker/use/data_fit.h"

#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

namespace sumac::worker::data_fit_test {
namespace {

constexpr auto kPerElement = boost::test_tools::per_element();

ModelFile imageModel() {
  ModelFile model;
  model.network.input = {1, 1, 2};
  model.network.classes = 3;
  model.classes = 3;
  model.class_names = {"ant", "bee", "cat"};
  model.normalization = {.mean = {0.5F}, .deviation = {2.0F}};
  return model;
}

Images pets() {
  const Samples samples{.shape = {1, 1, 2}, .pixels = {1, 2, 3, 4}, .labels = {0, 1}};
  return {.train = samples, .test = samples, .classes = 2, .class_names = {"cat", "bee"}};
}

std::string messageOf(Dataset dataset, const ModelFile& model) {
  const auto fits = fitToModel(dataset, model);
  return fits ? "fits" : fits.error().message;
}

bool says(const std::string& message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

/// Of a number "a" and a text "b".
Dataset rows(const CsvColumns& columns, std::vector<float> values) {
  const Samples samples{.shape = {static_cast<std::int64_t>(columns.features())},
                        .values = std::move(values),
                        .labels = {0}};
  Dataset dataset = makeDataset(Images{.train = samples, .test = samples, .classes = 2});
  dataset.columns = columns;
  return dataset;
}

const CsvColumn kNumber{"a"};

CsvColumn textColumn(std::vector<std::string> categories) {
  return {"b", CsvKind::kCategorical, std::move(categories)};
}

ModelFile tableModel() {
  ModelFile model;
  model.task = ModelTask::kTable;
  model.columns = {"kind", {kNumber, textColumn({"x", "y", "z"})}};
  model.network.input = {4};
  model.network.classes = model.classes = 2;
  return model;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(data_fit)

BOOST_AUTO_TEST_CASE(classes_of_one_name_get_one_number) {
  Dataset dataset = makeDataset(pets());
  BOOST_REQUIRE(fitToModel(dataset, imageModel()));
  BOOST_TEST(dataset.images.test.labels == (std::vector<std::uint16_t>{2, 1}), kPerElement);
  BOOST_TEST(dataset.images.test.normalization.deviation[0] == 2.0F);
}

BOOST_AUTO_TEST_CASE(columns_of_one_name_get_one_place) {
  // b = z, an own column, a = 7
  Dataset dataset = rows({"kind", {textColumn({"x", "z"}), {"c"}, kNumber}}, {0, 1, 9, 7});
  const auto fits = fitToModel(dataset, tableModel());
  BOOST_REQUIRE_MESSAGE(fits, (fits ? "" : fits.error().message));
  BOOST_TEST(dataset.images.test.values == (std::vector<float>{7, 0, 0, 1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(refuses_columns_that_the_model_does_not_know) {
  const auto says_of = [](const CsvColumns& columns, std::string_view part) {
    const std::string message =
        messageOf(rows(columns, std::vector<float>(columns.features())), tableModel());
    BOOST_TEST(says(message, part), message);
  };
  says_of({"kind", {kNumber}}, "column 'b' is missing");
  says_of({"kind", {kNumber, {"b"}}}, "column 'b' has numbers");
  says_of({"kind", {kNumber, textColumn({"w", "x"})}}, "column 'b' has 'w'");
}

BOOST_AUTO_TEST_CASE(refuses_what_the_model_does_not_know) {
  Images images = pets();
  images.class_names[0] = "dog";
  BOOST_TEST(says(messageOf(makeDataset(images), imageModel()), "the class 'dog'"));
  BOOST_TEST(says(messageOf(makeDataset(images), imageModel()), "leave its samples"));
  images = pets();
  images.train.shape = images.test.shape = {2, 1, 1};
  BOOST_TEST(says(messageOf(makeDataset(images), imageModel()), "takes 1x1x2 samples"));
  images = pets();
  images.class_names.clear();
  images.classes = 4;
  BOOST_TEST(says(messageOf(makeDataset(images), imageModel()), "4 classes"));
  images = pets();
  for (Samples* const split : {&images.train, &images.test}) {
    split->pixels.clear();
    split->values = {1, 2, 3, 4};
  }
  BOOST_TEST(says(messageOf(makeDataset(images), imageModel()), "the data are for table"));
}

BOOST_AUTO_TEST_CASE(words_get_the_numbers_of_the_model) {
  ModelFile model;
  model.task = ModelTask::kText;
  model.vocabulary = {"<unk>", "the", "<eos>"};
  Text text;
  text.vocabulary = {"<eos>", "<unk>", "a", "the"};
  text.train = text.test = {0, 1, 2, 3};
  Dataset dataset = makeDataset(std::move(text));
  BOOST_REQUIRE(fitToModel(dataset, model));
  BOOST_TEST(dataset.text.test == (std::vector<std::int32_t>{2, 0, 0, 1}), kPerElement);
  BOOST_TEST(says(messageOf(dataset, imageModel()), "the data are for text"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::data_fit_test
