#include "engine/data/generated.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <boost/test/unit_test.hpp>

#include "engine/data/dataset.h"

namespace sumac::worker::generated_test {
namespace {

const ImageRecipe kImages{
    .train_samples = 300, .test_samples = 100, .shape = {1, 12, 14}, .classes = 10};
const TextRecipe kText{.train_tokens = 200'000, .test_tokens = 1000, .vocabulary = 200};

double distance(std::span<const std::uint8_t> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::span<const std::uint8_t> pixelsOf(const Samples& samples, std::size_t index) {
  const std::size_t size = samples.pixels.size() / samples.labels.size();
  return std::span(samples.pixels).subspan(index * size, size);
}

/// The mean image of each class.
std::vector<std::vector<double>> means(const Samples& samples, int classes) {
  const std::size_t size = samples.pixels.size() / samples.labels.size();
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(classes),
                                        std::vector<double>(size));
  std::vector<double> counts(static_cast<std::size_t>(classes));
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    const auto pixels = pixelsOf(samples, i);
    for (std::size_t at = 0; at < size; ++at)
      sums[samples.labels[i]][at] += pixels[at];
    ++counts[samples.labels[i]];
  }
  for (std::size_t label = 0; label < sums.size(); ++label) {
    for (double& value : sums[label])
      value /= counts[label];
  }
  return sums;
}

/// exp of the mean of -log p over the tokens from the second on; p from the counts of this very
/// text: of words alone, or of pairs.
double unigramPerplexity(const std::vector<std::int32_t>& tokens) {
  std::map<std::int32_t, double> counts;
  for (const std::int32_t token : tokens)
    ++counts[token];
  double sum = 0;
  for (const std::int32_t token : tokens)
    sum -= std::log(counts[token] / static_cast<double>(tokens.size()));
  return std::exp(sum / static_cast<double>(tokens.size()));
}
double bigramPerplexity(const std::vector<std::int32_t>& tokens) {
  std::map<std::int32_t, double> counts;
  std::map<std::pair<std::int32_t, std::int32_t>, double> pairs;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    ++counts[tokens[i - 1]];
    ++pairs[{tokens[i - 1], tokens[i]}];
  }
  double sum = 0;
  for (std::size_t i = 1; i < tokens.size(); ++i)
    sum -= std::log(pairs[{tokens[i - 1], tokens[i]}] / counts[tokens[i - 1]]);
  return std::exp(sum / static_cast<double>(tokens.size() - 1));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(generated)

BOOST_AUTO_TEST_CASE(makes_images_as_asked) {
  const auto images = generateImages(kImages);

  BOOST_REQUIRE(images);
  BOOST_TEST(images->train.count() == 300);
  BOOST_TEST(images->test.count() == 100);
  BOOST_TEST(images->classes == 10);
  BOOST_TEST(images->train.pixels.size() == 300U * 12U * 14U);
  BOOST_TEST(std::count(images->test.labels.begin(), images->test.labels.end(), 7) == 10);
}

BOOST_AUTO_TEST_CASE(makes_the_same_data_everywhere_and_other_data_for_another_seed) {
  auto recipe = kImages;
  recipe.seed = 2;
  auto text_recipe = kText;
  text_recipe.seed = 2;

  // Of the first run of this code: other bits would make a checkpoint's data different ones.
  BOOST_TEST(makeDataset(*generateImages(kImages)).fingerprint == 3681582477U);
  BOOST_TEST(makeDataset(*generateText(kText)).fingerprint == 2262637739U);
  BOOST_TEST(makeDataset(*generateImages(recipe)).fingerprint !=
             makeDataset(*generateImages(kImages)).fingerprint);
  BOOST_TEST(makeDataset(*generateText(text_recipe)).fingerprint !=
             makeDataset(*generateText(kText)).fingerprint);
}

BOOST_AUTO_TEST_CASE(makes_a_longer_set_begin_with_the_shorter_one) {
  auto longer = kImages;
  longer.train_samples = 301;

  const auto shorter_images = generateImages(kImages);
  const auto longer_images = generateImages(longer);

  BOOST_TEST(std::equal(shorter_images->train.pixels.begin(), shorter_images->train.pixels.end(),
                        longer_images->train.pixels.begin()));
}

BOOST_AUTO_TEST_CASE(makes_classes_that_can_be_told_apart_though_not_by_equality) {
  const auto images = generateImages(kImages);
  BOOST_REQUIRE(images);
  const auto mean = means(images->train, images->classes);

  int correct = 0;
  for (std::size_t i = 0; i < images->test.labels.size(); ++i) {
    const auto pixels = pixelsOf(images->test, i);
    const auto nearest =
        std::min_element(mean.begin(), mean.end(), [&pixels](const auto& a, const auto& b) {
          return distance(pixels, a) < distance(pixels, b);
        });
    correct += nearest - mean.begin() == images->test.labels[i] ? 1 : 0;
  }

  BOOST_TEST(correct > 80);  // of 100, where guessing has 10
  const auto first = pixelsOf(images->train, 0);
  const auto other = pixelsOf(images->train, 10);
  BOOST_TEST(!std::equal(first.begin(), first.end(), other.begin()));
}

BOOST_AUTO_TEST_CASE(takes_shapes_of_one_to_three_extents) {
  for (const model::Shape& shape :
       {model::Shape{20}, model::Shape{6, 7}, model::Shape{1, 1, 1}, model::Shape{3, 2, 5}}) {
    auto recipe = kImages;
    recipe.shape = shape;
    const auto images = generateImages(recipe);
    BOOST_REQUIRE(images);
    BOOST_TEST(images->train.pixels.size() == 300U * static_cast<std::size_t>(model::count(shape)));
  }
}

BOOST_AUTO_TEST_CASE(refuses_recipes_for_images_that_cannot_be) {
  const auto refused = [](auto change, std::string_view word) {
    auto recipe = kImages;
    change(recipe);
    const auto images = generateImages(recipe);
    BOOST_REQUIRE(!images);
    BOOST_TEST(images.error().code == ErrorCode::kInvalid);
    BOOST_TEST(images.error().message.find(word) != std::string::npos, images.error().message);
  };
  refused([](ImageRecipe& recipe) { recipe.shape = {}; }, "shape");
  refused([](ImageRecipe& recipe) { recipe.shape = {1, 2, 3, 4}; }, "1x2x3x4");
  refused([](ImageRecipe& recipe) { recipe.shape = {1, 0, 28}; }, "1x0x28");
  refused([](ImageRecipe& recipe) { recipe.shape = {65536, 65536, 65536}; }, "2 GiB");
  refused([](ImageRecipe& recipe) { recipe.classes = 1; }, "1 classes");
  refused([](ImageRecipe& recipe) { recipe.classes = 257; }, "257 classes");
  refused([](ImageRecipe& recipe) { recipe.train_samples = 0; }, "0 training");
  refused([](ImageRecipe& recipe) { recipe.test_samples = 0; }, "0 test");
  refused([](ImageRecipe& recipe) { recipe.train_samples = std::int64_t{1} << 40U; }, "2 GiB");
}

BOOST_AUTO_TEST_CASE(makes_text_as_asked) {
  const auto text = generateText(kText);

  BOOST_REQUIRE(text);
  BOOST_TEST(text->train.size() == 200'000U);
  BOOST_TEST(text->valid.size() == 1000U);
  BOOST_TEST(text->test.size() == 1000U);
  BOOST_TEST(text->vocabulary.size() == 200U);
  BOOST_TEST(text->vocabulary.front() == kEndOfLine);
  BOOST_TEST(text->vocabulary.back() == kUnknown);
  const std::set<std::string> different(text->vocabulary.begin(), text->vocabulary.end());
  BOOST_TEST(different.size() == 200U);
  const auto [least, most] = std::minmax_element(text->train.begin(), text->train.end());
  BOOST_TEST(*least == 0);
  BOOST_TEST(*most == 198);
  BOOST_TEST(text->train.back() == 0);
  BOOST_TEST((text->valid != text->test));
}

BOOST_AUTO_TEST_CASE(makes_words_as_frequent_as_zipf_says_and_no_empty_lines) {
  const auto text = generateText(kText);
  BOOST_REQUIRE(text);
  std::vector<int> counts(200);
  for (std::size_t i = 0; i < text->train.size(); ++i) {
    ++counts[static_cast<std::size_t>(text->train[i])];
    BOOST_TEST((i == 0 || text->train[i] != 0 || text->train[i - 1] != 0));
  }

  std::sort(counts.rbegin(), counts.rend());
  // 1/n: of 198 words the first stands in 17 %, the tenth in a tenth of that; about.
  BOOST_TEST(counts[0] > 20'000);
  BOOST_TEST(counts[0] < 60'000);
  BOOST_TEST(counts[20] < counts[0] / 8);
  BOOST_TEST(counts[150] > 0);
}

BOOST_AUTO_TEST_CASE(makes_text_of_which_the_word_before_tells_much) {
  const auto text = generateText(kText);
  BOOST_REQUIRE(text);

  const double words_alone = unigramPerplexity(text->train);
  const double pairs = bigramPerplexity(text->train);

  BOOST_TEST(words_alone > 30);
  BOOST_TEST(pairs < words_alone / 3, words_alone << " " << pairs);
}

BOOST_AUTO_TEST_CASE(refuses_recipes_for_text_that_cannot_be) {
  const auto refused = [](const TextRecipe& recipe, std::string_view word) {
    const auto text = generateText(recipe);
    BOOST_REQUIRE(!text);
    BOOST_TEST(text.error().message.find(word) != std::string::npos, text.error().message);
  };
  refused({.train_tokens = 10, .test_tokens = 1, .vocabulary = 2}, "vocabulary of 2");
  refused({.train_tokens = 10, .test_tokens = 1, .vocabulary = 10'000'001}, "10000001");
  refused({.train_tokens = 1, .test_tokens = 1, .vocabulary = 9}, "1 training");
  refused({.train_tokens = 10, .test_tokens = -1, .vocabulary = 9}, "-1 test");
  refused({.train_tokens = std::int64_t{1} << 40U, .test_tokens = 1, .vocabulary = 9}, "at most");
}

BOOST_AUTO_TEST_CASE(makes_the_smallest_text) {
  const auto text = generateText({.train_tokens = 2, .test_tokens = 0, .vocabulary = 3});

  BOOST_REQUIRE(text);
  BOOST_TEST(text->train == (std::vector<std::int32_t>{1, 0}), boost::test_tools::per_element());
  BOOST_TEST(text->valid.empty());
  BOOST_TEST(text->vocabulary[1] == "ba");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::generated_test
