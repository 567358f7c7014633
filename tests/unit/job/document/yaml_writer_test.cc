#include "job/document/yaml_writer.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace sumac::job::yaml_writer_test {
namespace {

std::string written(const char* json) {
  return toYaml(nlohmann::ordered_json::parse(json));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(yaml_writer)

BOOST_AUTO_TEST_CASE(a_map_in_a_list_begins_at_the_dash) {
  BOOST_TEST(written(R"({"a":[{"b":1,"c":{"d":"x"}},2]})") == "a:\n- b: 1\n  c:\n    d: x\n- 2\n");
}

// Its first item was indented twice: with a second one, that was no YAML.
BOOST_AUTO_TEST_CASE(a_list_in_a_list_begins_at_the_dash) {
  BOOST_TEST(written("[[1,[2,3]],[4]]") == "- - 1\n  - - 2\n    - 3\n- - 4\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::yaml_writer_test
