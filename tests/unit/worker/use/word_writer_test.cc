#include "worker/use/word_writer.h"

#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::worker::word_writer_test {
namespace {

constexpr auto kPerElement = boost::test_tools::per_element();

/// After each word comes the next of the vocabulary, all but surely.
ModelFile counting() {
  ModelFile model;
  model.task = ModelTask::kText;
  model.vocabulary = {"<eos>", "<unk>", "one", "two"};
  model.spec = {.name = "custom",
                .input = {5},
                .layers = {{"words", model::Embedding{4}, {}},
                           {"fc", model::Dense{.outputs = 0, .bias = false}, {}},
                           {"loss", model::SoftmaxCrossEntropy{}, {}}},
                .vocabulary = 4};
  model.network = *model::resolve(model.spec);
  model.weights = std::vector<float>(32);
  for (std::size_t word = 0; word < 4; ++word) {
    model.weights[word * 4 + word] = 1;
    model.weights[16 + (word + 1) % 4 * 4 + word] = 100;
  }
  return model;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(word_writer)

BOOST_AUTO_TEST_CASE(goes_on_from_the_prompt) {
  const ModelFile model = counting();
  const auto prompt = readPrompt(model, " one\n");
  BOOST_REQUIRE(prompt);
  const auto words = writeWords(model, prompt->words, 2, 1, {});
  BOOST_REQUIRE_MESSAGE(words, (words ? "" : words.error().message));
  BOOST_TEST(*words == (std::vector<std::int32_t>{3, 0}), kPerElement);
  BOOST_TEST(asText(model, *words) == "two\n");
}

BOOST_AUTO_TEST_CASE(never_writes_the_unknown_word) {
  const ModelFile model = counting();
  const auto words = writeWords(model, std::vector<std::int32_t>{0}, 20, 7, {});
  BOOST_REQUIRE(words);
  for (const std::int32_t word : *words)
    BOOST_TEST(word != 1);
  BOOST_TEST(*words == *writeWords(model, std::vector<std::int32_t>{0}, 20, 7, {}), kPerElement);
}

BOOST_AUTO_TEST_CASE(tells_the_words_it_does_not_know) {
  ModelFile model = counting();
  BOOST_TEST(readPrompt(model, "one three")->unknown == std::vector<std::string>{"three"},
             kPerElement);
  BOOST_TEST(readPrompt(model, "")->words == std::vector<std::int32_t>{0}, kPerElement);
  model.vocabulary.clear();
  BOOST_TEST(!readPrompt(model, "one"));
  model = counting();
  model.task = ModelTask::kImages;
  BOOST_TEST(!readPrompt(model, "one"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::word_writer_test
