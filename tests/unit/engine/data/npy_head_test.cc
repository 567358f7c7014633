#include "engine/data/npy_head.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"

namespace sumac::worker::npy_head_test {
namespace {

std::string described(const std::string& dictionary) {
  const auto head = parseNpyHead(dictionary);
  BOOST_REQUIRE_MESSAGE(head, dictionary);
  std::string text(toString(head->type));
  for (const auto extent : head->shape)
    text += " " + std::to_string(extent);
  return text;
}

std::string ofType(const std::string& descr) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,), }";
}

std::string ofShape(const std::string& shape) {
  return "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(npy_head)

BOOST_AUTO_TEST_CASE(finds_the_dictionary_of_each_version) {
  using namespace std::string_view_literals;
  const auto first = findNpyDictionary("\x93NUMPY\1\0v\0{'"sv);
  BOOST_REQUIRE(first);
  BOOST_TEST(first->offset == 10U);
  BOOST_TEST(first->size == 0x76U);
  for (const std::string_view start : {"\x93NUMPY\2\0t\1\0\0"sv, "\x93NUMPY\3\0t\1\0\0"sv}) {
    const auto found = findNpyDictionary(start);
    BOOST_REQUIRE(found);
    BOOST_TEST(found->offset == 12U);
    BOOST_TEST(found->size == 0x174U);
  }
}

BOOST_AUTO_TEST_CASE(reads_types_and_shapes) {
  BOOST_TEST(described(ofType("'|u1'")) == "uint8 2");
  BOOST_TEST(described(ofType("'<i4'")) == "int32 2");
  BOOST_TEST(described(ofType("\"<i8\"")) == "int64 2");
  BOOST_TEST(described(ofType("'<f4'")) == "float32 2");
  BOOST_TEST(described(ofShape("(3, 4)")) == "float64 3 4");
  BOOST_TEST(described(ofShape("(3L, 4L,)")) == "float64 3 4");
  BOOST_TEST(described(ofShape("(268435456,)")) == "float64 268435456");
  BOOST_TEST(described(ofShape("()")) == "float64");
  BOOST_TEST(described(" {'shape':(7 , ),'fortran_order' :False,\n'descr':'<f4'} \n") ==
             "float32 7");
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_and_what_numpy_should_write) {
  using namespace std::string_view_literals;
  test::Refusals refusals;
  const std::pair<const char*, std::string_view> kStarts[] = {
      {"nothing", ""},
      {"a pickle", "\x80\x04\x95"},
      {"cut short", "\x93NUMPY\1\0v"sv},
      {"version 4", "\x93NUMPY\4\0t\0\0\0"sv},
      {"version 0", "\x93NUMPY\0\0t\0\0\0"sv},
      {"a head of 64 KiB and more", "\x93NUMPY\2\0\1\0\1\0"sv},
      {"a head of 4 GiB", "\x93NUMPY\2\0\xFF\xFF\xFF\xFF"sv}};
  for (const auto& [name, start] : kStarts)
    refusals.add(name, findNpyDictionary(start));
  for (const char* type : {"'|O'", "[('a', '<f4')]", "'>f4'", "'<f2'", "'<c8'", "'|b1'", "'<U3'",
                           "'|i1'", "''", "'<u1'"})
    refusals.add(type, parseNpyHead(ofType(type)));
  refusals.add("Fortran", parseNpyHead("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}"));
  for (const char* shape : {"(0, 3)", "(268435457,)", "(4294967296, 4294967296)",
                            "(18446744073709551615,)", "(18446744073709551616,)"})
    refusals.add(shape, parseNpyHead(ofShape(shape)));
  refusals.compareWith("engine/data/npy_head.txt");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_such_dictionary) {
  const std::string whole = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  BOOST_TEST(described(whole) == "float32 2 3");
  for (std::size_t length = 0; length < whole.size(); ++length)
    BOOST_TEST(!parseNpyHead(whole.substr(0, length)), length);
  std::string deep = "(1";
  for (int i = 0; i < 32; ++i)
    deep += ", 1";
  test::Refusals refusals;
  for (const std::string& text :
       {whole + "x", whole + whole, std::string("[]"), std::string("{}"),
        std::string("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}"),
        std::string("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"),
        std::string("{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2,)}"),
        ofShape("(-2,)"), ofShape("(2 3)"), ofShape("[2]"), ofShape(deep + ")"),
        std::string("{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}")})
    refusals.add(text, parseNpyHead(text));
  refusals.compareWith("engine/data/npy_dictionary.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::npy_head_test
