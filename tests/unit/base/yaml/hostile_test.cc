#include <string>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "base/yaml/reader.h"
#include "tests/support/golden.h"

namespace sumac::yaml::hostile_test {

namespace {

struct Refused {
  const char* name;
  std::string text;
  Position position;
};

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i)
    result += text;
  return result;
}

const Refused kRefused[] = {
    {"a key twice", "a: 1\nb: 2\na: 3\n", {3, 1}},
    {"a key twice, once quoted", "{a: 1, \"a\": 2}", {1, 8}},
    {"an integer as a key", "1: x\n", {1, 1}},
    {"a boolean as a key", "on: x\n", {1, 1}},
    {"null as a key", "~: x\n", {1, 1}},
    {"a list as key", "? [a]\n: x\n", {1, 3}},
    {"a map as key", "? {a: b}\n: x\n", {1, 3}},
    {"an open brace", "{", {1, 1}},
    {"a tab", "a:\n\tb: 1\n", {2, 1}},
    {"no colon", "a:\n  b: 1\n  epochs 1\n  c: 2\n", {3, 3}},
    {"a merge", "a: &x {b: 1}\nc:\n  <<: *x\n", {3, 3}},
    {"infinity", "a: .inf\n", {1, 4}},
    {"minus infinity", "- -.INF\n", {1, 3}},
    {"not a number", "a: .nan\n", {1, 4}},
    {"a tag of YAML", "a: !!int \"3\"\n", {1, 4}},
    {"a tag", "a: !thing {}\n", {1, 4}},
    {"two documents", "a: 1\n---\nb: 2\n", {2, 1}},
    {"an unknown alias", "a: *nothing\n", {1, 4}},
    {"an alias in its own list", "&a [*a]\n", {1, 5}},
    {"an alias in its own map", "a: &x {b: {c: *x}}\n", {1, 15}},
    {"a byte that is no UTF-8", "a: 1\nb: \xFF\n", {2, 4}},
    {"an overlong form", "a: \xC0\xAF\n", {1, 4}},
    {"a surrogate", "a: \xED\xA0\x80\n", {1, 4}},
    {"a zero byte", std::string("a: b\0c\n", 7), {1, 5}},
    {"33 lists", repeated("[", 33) + repeated("]", 33), {1, 33}},
    {"33 maps", repeated("{a: ", 33) + repeated("}", 33), {1, 129}},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(hostile)

BOOST_AUTO_TEST_CASE(what_kubectl_would_take_otherwise_is_refused_with_its_position) {
  test::Transcript said;
  for (const auto& [name, text, position] : kRefused) {
    const Document document = parse(text);
    BOOST_TEST_REQUIRE(!document.root.has_value(), name);
    BOOST_TEST(document.position.line == position.line, name);
    BOOST_TEST(document.position.column == position.column, name);
    said.add(name, document.message);
  }
  test::checkGolden("base/yaml/hostile.txt", said.text());
}

BOOST_DATA_TEST_CASE(text_that_the_parser_never_consumes_ends_in_an_error,
                     boost::unit_test::data::make({",", "- a\n,", "{a: 1},", "\"a\",", "[a] ]",
                                                   "a: 1\n,", "]", "}", ", ,", "---\n,", "? ,",
                                                   "[a]: b: c", "!<", "&", "*", "%YAML"}),
                     text) {
  BOOST_TEST(!parse(text).root.has_value());
}

BOOST_AUTO_TEST_CASE(the_deepest_allowed_tree_is_read) {
  BOOST_TEST(parse(repeated("[", 32) + repeated("]", 32)).root.has_value());
}

BOOST_AUTO_TEST_CASE(deep_nesting_is_refused_without_work) {
  BOOST_TEST(!parse(repeated("[", 500'000)).root.has_value());
  BOOST_TEST(!parse(repeated("- ", 100'000)).root.has_value());
}

BOOST_AUTO_TEST_CASE(an_alias_bomb_is_refused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            repeated(below + ", ", 9) + below + "]\n";
  }

  const Document document = parse(text);

  BOOST_TEST(!document.root.has_value());
  BOOST_TEST(document.message.find("more than 10000") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(aliases_cannot_nest_deeper_than_text) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 40; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }

  BOOST_TEST(parse(text).message.find("deeper") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_most_values_are_read_and_one_more_is_refused) {
  const auto list = [](int items) { return "[" + repeated("1,", items) + "]"; };

  BOOST_TEST(parse(list(9'999)).root.has_value());
  BOOST_TEST(!parse(list(10'000)).root.has_value());
}

BOOST_AUTO_TEST_CASE(a_text_that_is_too_long_is_refused_unread) {
  BOOST_TEST(parse(std::string(kMaxBytes, ' ')).root.has_value());
  BOOST_TEST(parse(std::string(kMaxBytes + 1, ' ')).message.find("at most") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(keys_that_yaml_would_not_read_again_from_json_are_refused) {
  const auto key = [](const std::string& text) { return parse("? \"" + text + "\"\n: 1\n"); };
  BOOST_TEST(key(std::string(998, 'k')).root.has_value());
  BOOST_TEST(key(std::string(999, 'k')).message ==
             "a key of 1001 bytes as JSON; at most 1000 are allowed");
  BOOST_TEST(key(repeated("\\x01", 166)).root.has_value());
  BOOST_TEST(!key(repeated("\\x01", 167)).root.has_value());
  BOOST_TEST(!key(repeated("\\\\", 500)).root.has_value());
}

BOOST_AUTO_TEST_CASE(a_document_cut_anywhere_neither_hangs_nor_crashes) {
  const std::string text =
      "---\n# c\na: &x {b: [1, 'two', \"th\\u0072ee\"], c: |\n}\nd:\n- *x\n- !!str 4\n- ? k\n  : "
      "v\n"
      "e: >-\n  folded\n  text\n\xC3\xA9: {\"j\": {\"k\": null}}\n...\n";

  for (std::size_t length = 0; length <= text.size(); ++length) {
    const Document document = parse(std::string_view(text).substr(0, length));
    BOOST_TEST(document.root.has_value() == document.message.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::yaml::hostile_test
