#include "engine/data/text_corpus.h"

#include <algorithm>
#include <filesystem>

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/data/files.h"
#include "tests/unit/engine/data/idx_files.h"

namespace sumac::worker::text_corpus_test {
namespace {

struct Fixture : FilesFixture {
  /// The text with this training file alone.
  Text trained(std::string_view train) const {
    write("train.txt", train);
    const auto text = loadText(folder());
    BOOST_REQUIRE(text);
    return *text;
  }
  void refuses(std::string_view train, std::initializer_list<std::string_view> words) const {
    write("train.txt", train);
    failed(loadText(folder()), ErrorCode::kInvalid, words);
  }

  /// Tokens as words, separated by spaces.
  static std::string spelled(const Text& text, const std::vector<std::int32_t>& tokens) {
    std::string words;
    for (const std::int32_t token : tokens)
      words += (words.empty() ? "" : " ") + text.vocabulary.at(static_cast<std::size_t>(token));
    return words;
  }
  static std::string listed(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words)
      all += (all.empty() ? "" : " ") + word;
    return all;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(text, Fixture)

BOOST_AUTO_TEST_CASE(numbers_words_by_frequency_then_by_their_bytes) {
  const Text text = trained(" b a b \n c b B \n");

  // b 3, <eos> 2, then one each: B, a, c, in the order of their bytes; <unk> never.
  BOOST_TEST(listed(text.vocabulary) == "b <eos> B a c <unk>");
  BOOST_TEST(text.train == (std::vector<std::int32_t>{0, 3, 0, 1, 4, 0, 2, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(counts_special_words_that_stand_in_the_file) {
  const Text text = trained("<unk> a <unk> <eos> <unk>\n");

  BOOST_TEST(listed(text.vocabulary) == "<unk> <eos> a");
  BOOST_TEST(spelled(text, text.train) == "<unk> a <unk> <eos> <unk> <eos>");
}

BOOST_AUTO_TEST_CASE(makes_other_splits_of_the_training_words) {
  write("valid.txt", "a b new\n");
  write("test.txt", "\n<unk> newer");

  const Text text = trained("a b b\n");

  BOOST_TEST(listed(text.vocabulary) == "b <eos> a <unk>");
  BOOST_TEST(spelled(text, text.valid) == "a b <unk> <eos>");
  BOOST_TEST(spelled(text, text.test) == "<eos> <unk> <unk> <eos>");
}

BOOST_AUTO_TEST_CASE(ends_a_line_at_each_line_feed_and_at_the_end) {
  const auto tokens = [this](std::string_view train) {
    const Text text = trained(train);
    return spelled(text, text.train);
  };

  BOOST_TEST(tokens("a") == "a <eos>");
  BOOST_TEST(tokens("a\n") == "a <eos>");
  BOOST_TEST(tokens("a\n\nb\n") == "a <eos> <eos> b <eos>");
  BOOST_TEST(tokens("\ta\v\fb \r\n") == "a b <eos>");
  BOOST_TEST(tokens("a\n ") == "a <eos> <eos>");
}

BOOST_AUTO_TEST_CASE(takes_words_of_any_bytes) {
  const Text text = trained("\xC3\xA4 \xFF\xFE \x01 \xC3\n");

  BOOST_TEST(listed(text.vocabulary) == "\x01 <eos> \xC3 \xC3\xA4 \xFF\xFE <unk>");
}

BOOST_AUTO_TEST_CASE(keeps_10000_words_and_counts_the_others_as_unknown) {
  // Twice each 00000 to 09997, which fit with the special words; once each two more.
  std::string words;
  for (int i = 0; i < 9998; ++i) {
    const std::string digits = std::to_string(i);
    const std::string word = std::string(5 - digits.size(), '0') + digits;
    words.append(word).append(" ").append(word).append(" ");
  }

  const Text full = trained(words + "\n");
  const Text over = trained(words + "x y\n");

  BOOST_TEST(std::ssize(full.vocabulary) == kMaxVocabulary);
  BOOST_TEST(full.vocabulary.front() == "00000");
  BOOST_TEST(full.vocabulary[9997] == "09997");
  BOOST_TEST(full.vocabulary[9998] == "<eos>");
  BOOST_TEST(full.vocabulary[9999] == "<unk>");
  BOOST_TEST(std::ssize(over.vocabulary) == kMaxVocabulary);
  // Unknown twice: among those of two, where its bytes put it.
  BOOST_TEST(over.vocabulary[9998] == "<unk>");
  BOOST_TEST(over.vocabulary[9999] == "<eos>");
  BOOST_TEST(over.train[over.train.size() - 2] == 9998);
  BOOST_TEST(over.train[over.train.size() - 3] == 9998);
}

BOOST_AUTO_TEST_CASE(drops_of_equally_rare_words_those_last_in_the_order_of_bytes) {
  std::string words = "zz zz aa ";
  for (int i = 0; i < 9998; ++i)
    words += "m" + std::to_string(10000 + i) + " ";

  const Text text = trained(words);

  const auto has = [&text](std::string_view word) {
    return std::find(text.vocabulary.begin(), text.vocabulary.end(), word) != text.vocabulary.end();
  };
  BOOST_TEST(has("zz"));
  BOOST_TEST(has("aa"));
  BOOST_TEST(has("m19995"));
  BOOST_TEST(!has("m19996"));
  BOOST_TEST(!has("m19997"));
}

BOOST_AUTO_TEST_CASE(knows_the_names_of_the_penn_treebank) {
  write("ptb.train.txt", "a\n");
  write("ptb.valid.txt", "a a\n");
  write("ptb.char.notes", "x");

  const auto text = loadText(folder());

  BOOST_REQUIRE(text);
  BOOST_TEST(text->train.size() == 2U);
  BOOST_TEST(text->valid.size() == 3U);
  BOOST_TEST(text->test.empty());
}

BOOST_AUTO_TEST_CASE(wants_one_file_for_a_split) {
  write("ptb.train.txt", "a\n");
  refuses("a\n", {"ptb.train.txt", "train.txt", "one file"});
}

BOOST_AUTO_TEST_CASE(names_what_is_missing) {
  failed(loadText(folder()), ErrorCode::kNotFound, {path("train.txt"), "ptb.train.txt"});
  failed(loadText(path("nowhere")), ErrorCode::kNotFound, {path("nowhere")});
  write("atrain.txt", "a\n");
  failed(loadText(folder()), ErrorCode::kNotFound, {path("train.txt")});
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_text) {
  refuses("", {path("train.txt"), "no words in 0 bytes"});
  refuses(" \n\t\n", {"no words in 4 bytes"});
  refuses(std::string_view("a b\0c", 5), {path("train.txt"), "NUL byte at 3"});
  refuses(gzipped("a b c"), {"gzip", "gunzip"});
  write("valid.txt", "");
  refuses("a\n", {path("valid.txt"), "no words"});
}

BOOST_AUTO_TEST_CASE(takes_a_line_of_any_length_but_no_giant_word) {
  std::string line;
  for (int i = 0; i < 100'000; ++i)
    line += "word ";
  const std::string longest(kMaxWordBytes, 'a');

  BOOST_TEST(trained(line).train.size() == 100'001U);
  BOOST_TEST(trained(longest).train.size() == 2U);
  refuses("b " + longest + "a\n", {"a word of 1025 bytes at byte 2", "at most 1024"});
}

BOOST_AUTO_TEST_CASE(reads_no_file_beyond_the_limit) {
  write("train.txt", "a");
  std::filesystem::resize_file(path("train.txt"), kMaxTextBytes + 1);  // takes no space

  failed(loadText(folder()), ErrorCode::kInvalid, {"1073741825 bytes", "at most 1073741824"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::text_corpus_test
