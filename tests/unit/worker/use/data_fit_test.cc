#include "worker/use/data_fit.h"

#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"

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

Result<void> fits(Dataset dataset, const ModelFile& model) {
  return fitToModel(dataset, model);
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
  BOOST_REQUIRE(fitToModel(dataset, tableModel()));
  BOOST_TEST(dataset.images.test.values == (std::vector<float>{7, 0, 0, 1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(refuses_what_the_model_does_not_know) {
  test::Refusals refusals;
  const auto addRows = [&](const char* name, const CsvColumns& columns) {
    const Dataset dataset = rows(columns, std::vector<float>(columns.features()));
    refusals.add(name, fits(dataset, tableModel()), "'b'");
  };
  addRows("a column that is missing", {"kind", {kNumber}});
  addRows("numbers for texts", {"kind", {kNumber, {"b"}}});
  addRows("another text", {"kind", {kNumber, textColumn({"w", "x"})}});

  Images images = pets();
  images.class_names[0] = "dog";
  refusals.add("another class", fits(makeDataset(images), imageModel()), "'dog'");
  images = pets();
  images.train.shape = images.test.shape = {2, 1, 1};
  refusals.add("another shape", fits(makeDataset(images), imageModel()), "1x1x2");
  images = pets();
  images.class_names.clear();
  images.classes = 4;
  refusals.add("more classes", fits(makeDataset(images), imageModel()), "4 classes");
  images = pets();
  for (Samples* const split : {&images.train, &images.test}) {
    split->pixels.clear();
    split->values = {1, 2, 3, 4};
  }
  refusals.add("a table", fits(makeDataset(images), imageModel()));
  Text text;
  text.vocabulary = {"a"};
  text.train = text.test = {0};
  refusals.add("a text", fits(makeDataset(std::move(text)), imageModel()));
  refusals.compareWith("worker/use/data_fit.txt");
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
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::data_fit_test
