#include "engine/data/summary.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"
#include "tests/unit/engine/data/datasets.h"

namespace sumac::worker::summary_test {
namespace {

Dataset someText() {
  Text text;
  text.vocabulary = {"a", "<eos>", "b", "<unk>"};
  text.train = {0, 0, 1, 0, 2, 1};
  text.test = {0, 3, 3, 1};
  return makeDataset(std::move(text));
}

Summary summaryFor(const Dataset& dataset, std::int64_t batch_size, int unroll) {
  Summary summary = summarize(dataset, "text in /data");
  summary.use = useOf(dataset, {.batch_size = batch_size, .parts = 1, .unroll = unroll});
  return summary;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(summary)

BOOST_AUTO_TEST_CASE(tells_of_images) {
  Dataset dataset = numberedImages(12, 3);
  dataset.images.class_names.assign(10, "thing");

  const Summary summary = summaryFor(dataset, 5, 1);

  BOOST_REQUIRE(summary.image_splits.size() == 2U);
  const auto& train = summary.image_splits[0];
  BOOST_TEST(train.samples == 12);
  BOOST_TEST(train.range.least == 0);
  BOOST_TEST(train.range.largest == 23);
  BOOST_TEST(train.range.mean == 11.5);
  BOOST_TEST(train.of_class == (std::vector<std::int64_t>{2, 2, 1, 1, 1, 1, 1, 1, 1, 1}),
             boost::test_tools::per_element());
  test::checkGolden("engine/data/summary_images.txt", toText(summary));
}

BOOST_AUTO_TEST_CASE(tells_of_text) {
  test::checkGolden("engine/data/summary_text.txt", toText(summaryFor(someText(), 2, 1)));
}

BOOST_AUTO_TEST_CASE(tells_the_same_as_json) {
  const auto images = nlohmann::json::parse(toJson(summarize(numberedImages(12, 3), "x")));
  const auto text = nlohmann::json::parse(toJson(summaryFor(someText(), 2, 1)));

  BOOST_TEST(images["kind"] == "images");
  BOOST_TEST(images["splits"]["train"]["samplesOfClass"][0] == 2);
  BOOST_TEST(images["classes"] == 10);
  BOOST_TEST(!images.contains("job"));
  BOOST_TEST(text["kind"] == "text");
  BOOST_TEST(text["vocabulary"] == 4);
  BOOST_TEST(text["splits"]["test"]["unknown"] == 2);
  BOOST_TEST(!text["splits"].contains("valid"));
  BOOST_TEST(text["frequentWords"][1]["word"] == "<eos>");
  BOOST_TEST(text["job"]["stepsPerEpoch"] == 2);
}

BOOST_AUTO_TEST_CASE(says_why_a_job_cannot_use_it) {
  const Summary summary = summaryFor(someText(), 3, 2);

  test::checkGolden("engine/data/summary_problem.txt", toText(summary));
  const auto json = nlohmann::json::parse(toJson(summary));
  BOOST_TEST(json["job"].contains("problem"));
  BOOST_TEST(!json["job"].contains("stepsPerEpoch"));
}

BOOST_AUTO_TEST_CASE(writes_json_of_words_in_any_encoding) {
  Dataset dataset = someText();
  dataset.text.vocabulary[0] = "\xFF\xFE";

  const auto json = nlohmann::json::parse(toJson(summarize(dataset, "x")));

  BOOST_TEST(json["frequentWords"][0]["count"] == 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::summary_test
