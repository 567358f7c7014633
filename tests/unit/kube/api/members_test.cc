#include "kube/api/members.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace sumac::api::members_test {

using nlohmann::json;

BOOST_AUTO_TEST_SUITE(members)

BOOST_AUTO_TEST_CASE(are_found_by_name) {
  const json object = {{"metadata", {{"name", "lenet5"}}}};
  BOOST_TEST(textOf(memberOf(object, "metadata"), "name") == "lenet5");
}

BOOST_AUTO_TEST_CASE(are_null_or_empty_where_the_object_is_something_else) {
  for (const char* text : {"null", "[]", "3", "\"name\"", "{}", R"({"name": 3})"}) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(textOf(json::parse(text), "name").empty());
      BOOST_TEST(memberOf(json::parse(text), "metadata").is_null());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::api::members_test
