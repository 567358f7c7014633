#include "base/yaml/reader.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::yaml::reader_test {

namespace {

Node good(std::string_view text) {
  Document document = parse(text);
  BOOST_TEST_REQUIRE(document.root.has_value(), document.message);
  return std::move(*document.root);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reader)

BOOST_AUTO_TEST_CASE(keeps_kinds_texts_and_order) {
  const Node root = good("b: 1\na: [x, 2.5, yes, ~]\n'on': \"3\"\n");

  BOOST_TEST_REQUIRE(root.fields.size() == 3U);
  BOOST_TEST(root.fields[0].key == "b");
  BOOST_TEST((root.find("b")->kind == Kind::kInteger));
  const Node& list = *root.find("a");
  BOOST_TEST_REQUIRE(list.items.size() == 4U);
  BOOST_TEST((list.items[0].kind == Kind::kString));
  BOOST_TEST((list.items[1].kind == Kind::kDecimal));
  BOOST_TEST((list.items[2].kind == Kind::kBoolean));
  BOOST_TEST((list.items[3].kind == Kind::kNull));
  BOOST_TEST((root.find("on")->kind == Kind::kString));
  BOOST_TEST(root.find("on")->text == "3");
  BOOST_TEST((root.find("c") == nullptr));
}

BOOST_AUTO_TEST_CASE(positions_count_from_one) {
  const Node root = good("# comment\nspec:\n  worker: {replicas: 2}\n");

  const Node& worker = *root.find("spec")->find("worker");
  BOOST_TEST((worker.position == Position{3, 11}));
  BOOST_TEST((worker.find("replicas")->position == Position{3, 22}));
  BOOST_TEST((worker.field_positions.at(0) == Position{3, 12}));
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_a_null_node) {
  BOOST_TEST((good("").kind == Kind::kNull));
  BOOST_TEST((good("# nothing\n").kind == Kind::kNull));
}

BOOST_AUTO_TEST_CASE(one_document_may_have_its_marks) {
  BOOST_TEST(good("---\na: 1\n...\n").fields.size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_alias_is_a_copy_at_its_own_place) {
  const Node root = good("a: &x {k: [1, 2]}\nb: *x\n");

  BOOST_TEST(root.find("b")->find("k")->items.size() == 2U);
  BOOST_TEST((root.find("b")->position == Position{2, 4}));
}

BOOST_AUTO_TEST_CASE(explicit_strings_and_block_scalars_are_strings) {
  const Node root = good("a: !!str 3\nb: |\n  1\nc: >-\n  true\n");

  BOOST_TEST((root.find("a")->kind == Kind::kString));
  BOOST_TEST((root.find("b")->kind == Kind::kString));
  BOOST_TEST((root.find("c")->kind == Kind::kString));
}

BOOST_AUTO_TEST_CASE(every_escape_is_utf8) {
  const Document document = parse("\"\\N\\_\\L\\P\\0\\xA0\xC3\x85\"");
  BOOST_TEST_REQUIRE(document.root.has_value());
  BOOST_TEST(document.root->text ==
             std::string("\xC2\x85\xC2\xA0\xE2\x80\xA8\xE2\x80\xA9\0\xC2\xA0\xC3\x85", 15));
}

BOOST_AUTO_TEST_CASE(json_is_yaml) {
  const Node root = good("{\"a\":{\"b\":[1,\"x\\u00e9\\n\",null,true]},\n \"c\" : {} }");

  BOOST_TEST(root.find("a")->find("b")->items.at(1).text == "x\u00e9\n");
  BOOST_TEST((root.find("c")->kind == Kind::kMap));
}

BOOST_AUTO_TEST_CASE(read_puts_file_and_position_before_the_message) {
  const auto result = read("a: 1\na: 2\n", "job.yaml");

  BOOST_TEST_REQUIRE(!result.has_value());
  BOOST_TEST(result.error().message == "job.yaml:2:1: duplicate key `a`, given before at 1:1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::yaml::reader_test
