#include "experiment/measure/node_facts.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace sumac::experiment::node_facts_test {
namespace {

const auto kNode = nlohmann::json::parse(R"({
  "metadata": {"labels": {"node.kubernetes.io/instance-type": "n2-standard-4"}},
  "status": {"capacity": {"cpu": "4", "memory": "16Ki"},
             "nodeInfo": {"kernelVersion": "6.1.0", "architecture": "amd64"}}})");

}  // namespace

BOOST_AUTO_TEST_SUITE(node_facts)

BOOST_AUTO_TEST_CASE(a_node_says_what_it_is) {
  const NodeFacts facts = nodeFactsOf("a", kNode);
  BOOST_TEST((facts == NodeFacts{"a", "n2-standard-4", "4", 16'384, "6.1.0", "amd64"}));
  BOOST_TEST((nodeFactsFrom(toJson(facts)) == facts));
}

BOOST_AUTO_TEST_CASE(a_node_that_may_not_be_read_has_a_name) {
  const NodeFacts facts = nodeFactsOf("a", {});
  BOOST_TEST((facts == NodeFacts{"a"}));
  BOOST_TEST(toJson(facts).dump() == R"({"name":"a"})");
  BOOST_TEST((nodeFactsFrom(toJson(facts)) == facts));
  BOOST_TEST(!nodeFactsFrom("a").has_value());
  BOOST_TEST(!nodeFactsFrom({{"cpus", "4"}}).has_value());
}

BOOST_AUTO_TEST_CASE(memory_that_is_no_quantity_is_not_known) {
  for (const char* const text : {"", "Ki", "-1Ki", "1Zi", "1.5Gi", "18446744073709551615Gi"}) {
    auto node = kNode;
    node["status"]["capacity"]["memory"] = text;
    BOOST_TEST(nodeFactsOf("a", node).memory_bytes == 0U, text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::node_facts_test
