#include "engine/data/npy_head.h"

#include <boost/test/unit_test.hpp>

namespace sumac::worker::npy_head_test {
namespace {

std::string described(const std::string& dictionary) {
  const auto head = parseNpyHead(dictionary);
  if (!head) {
    BOOST_TEST(head.error().code == ErrorCode::kInvalid);
    return head.error().message;
  }
  std::string text(toString(head->type));
  for (const auto extent : head->shape)
    text += " " + std::to_string(extent);
  return text;
}

std::string withType(const std::string& descr) {
  return described("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,), }");
}

std::string withShape(const std::string& shape) {
  return described("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }");
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

void checkHas(const std::string& text, std::string_view part) {
  BOOST_TEST(has(text, part), text << " has no " << part);
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

BOOST_AUTO_TEST_CASE(refuses_what_does_not_begin_so) {
  using namespace std::string_view_literals;
  const auto messageOf = [](std::string_view start) {
    const auto found = findNpyDictionary(start);
    return found ? "no failure" : found.error().message;
  };
  checkHas(messageOf(""), "it is no .npy file; write it with np.save");
  checkHas(messageOf("\x80\x04\x95"), "it is a pickle, which is never loaded");
  checkHas(messageOf("\x93NUMPY\1\0v"sv), "cut short");
  checkHas(messageOf("\x93NUMPY\4\0t\0\0\0"sv), "has the version 4, expected 1 to 3");
  checkHas(messageOf("\x93NUMPY\0\0t\0\0\0"sv), "has the version 0");
  checkHas(messageOf("\x93NUMPY\2\0\1\0\1\0"sv), "more than 64 KiB");
  checkHas(messageOf("\x93NUMPY\2\0\xFF\xFF\xFF\xFF"sv), "more than 64 KiB");
}

BOOST_AUTO_TEST_CASE(reads_types_and_shapes) {
  BOOST_TEST(withType("'|u1'") == "uint8 2");
  BOOST_TEST(withType("'<i4'") == "int32 2");
  BOOST_TEST(withType("\"<i8\"") == "int64 2");
  BOOST_TEST(withType("'<f4'") == "float32 2");
  BOOST_TEST(withShape("(3, 4)") == "float64 3 4");
  BOOST_TEST(withShape("(3L, 4L,)") == "float64 3 4");
  BOOST_TEST(withShape("()") == "float64");
  BOOST_TEST(described(" {'shape':(7 , ),'fortran_order' :False,\n'descr':'<f4'} \n") ==
             "float32 7");
}

BOOST_AUTO_TEST_CASE(refuses_other_values_with_what_numpy_should_write) {
  checkHas(withType("'|O'"), "it has Python objects (a pickle), which are never loaded");
  checkHas(withType("[('a', '<f4')]"), "structured type; make its fields columns: np.stack(");
  checkHas(withType("'>f4'"), "big-endian; write x.astype(x.dtype.newbyteorder('<'))");
  for (const char* type : {"'<f2'", "'<c8'", "'|b1'", "'<U3'", "'|i1'", "''", "'<u1'"})
    checkHas(withType(type), std::string("found values of the type ") + type);
  checkHas(withType("'<f2'"), "write x.astype('float32'), classes as y.astype('int64')");
  checkHas(described("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}"),
           "Fortran order; write np.ascontiguousarray(x)");
}

BOOST_AUTO_TEST_CASE(refuses_shapes_of_nothing_and_of_too_much) {
  checkHas(withShape("(0, 3)"), "it has no values");
  BOOST_TEST(withShape("(268435456,)") == "float64 268435456");
  for (const char* shape : {"(268435457,)", "(4294967296, 4294967296)", "(18446744073709551615,)"})
    checkHas(withShape(shape), "more than 2 GiB of values");
  checkHas(withShape("(18446744073709551616,)"), "not as np.save writes it");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_such_dictionary) {
  const std::string whole = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  BOOST_TEST(described(whole) == "float32 2 3");
  for (std::size_t length = 0; length < whole.size(); ++length)
    checkHas(described(whole.substr(0, length)), "not as np.save writes it");
  std::string deep = "(1";
  for (int i = 0; i < 32; ++i)
    deep += ", 1";
  for (const std::string& text :
       {whole + "x", whole + whole, std::string("[]"), std::string("{}"),
        std::string("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}"),
        std::string("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"),
        std::string("{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': [2]}"),
        std::string("{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}"),
        "{'descr': '<f4', 'fortran_order': False, 'shape': " + deep + ")}"})
    checkHas(described(text), "not as np.save writes it");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::npy_head_test
