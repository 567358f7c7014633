#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "base/yaml/reader.h"
#include "job/document/crd.h"
#include "job/document/edit.h"
#include "job/document/explain.h"
#include "job/document/markdown.h"
#include "tests/support/golden.h"

namespace sumac::job::generated_test {

namespace {

bool contains(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

/// `text` in one line.
std::string unwrapped(const std::string& text) {
  static const std::regex kSpace(R"(\s+)");
  return std::regex_replace(text, kSpace, " ");
}

/// All expressions of the definition, one a line.
std::string celRules() {
  std::istringstream lines(crd());
  std::string rules;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("rule: ");
    if (at != line.npos) rules += line.substr(at) + "\n";
  }
  return rules;
}

/// What is called in them: the word before each "(".
std::set<std::string> calledIn(const std::string& rules) {
  static const std::regex kCall(R"(([A-Za-z_][A-Za-z_0-9]*)\()");
  std::set<std::string> names;
  for (std::sregex_iterator call(rules.begin(), rules.end(), kCall), end; call != end; ++call)
    names.insert((*call)[1]);
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(generated)

BOOST_AUTO_TEST_CASE(the_document_about_fields_is_that_of_the_table) {
  const auto document = readTextFile(SUMAC_SOURCE_FOLDER "/docs/trainingjob.md", 1 << 20);

  BOOST_TEST_REQUIRE(document.has_value());
  BOOST_TEST((*document == markdown()),
             "rewrite it: sumac explain --markdown > docs/trainingjob.md");
}

BOOST_AUTO_TEST_CASE(the_definition_that_is_deployed_is_that_of_the_table) {
  const auto definition =
      readTextFile(SUMAC_SOURCE_FOLDER "/deploy/crd/trainingjobs.yaml", 1 << 20);

  BOOST_TEST_REQUIRE(definition.has_value());
  BOOST_TEST((*definition == crd()), "rewrite it: sumac crd > deploy/crd/trainingjobs.yaml");
}

BOOST_AUTO_TEST_CASE(explains_every_field) {
  test::Transcript said;
  const auto add = [&said](const auto& self, const Field& object, const std::string& path) -> void {
    const auto text = explain(path);
    BOOST_TEST_REQUIRE(text.has_value(), path);
    said.add("sumac explain " + path, *text);
    const bool is_list = object.type == Type::kList;
    for (const Field& field : is_list ? object.fields.front().fields : object.fields)
      self(self, field, path.empty() ? field.name : path + "." + field.name);
  };
  add(add, rootField(), "");
  test::checkGolden("job/document/explain.txt", said.text());
}

BOOST_AUTO_TEST_CASE(takes_kubectl_s_way_of_writing_paths) {
  for (const char* const path : {"worker", "tjob.spec.worker", "trainingjob.spec.worker"}) {
    const auto text = explain(path);
    BOOST_TEST_REQUIRE(text.has_value(), path);
    BOOST_TEST(*text == *explain("spec.worker"), path);
  }
}

BOOST_AUTO_TEST_CASE(marks_what_is_not_available_yet_wherever_it_is_described) {
  const auto strategy = explain("spec.strategy");
  BOOST_TEST_REQUIRE(strategy.has_value());
  int unavailable = 0;
  for (const Field& field : fieldAt("spec.strategy")->fields) {
    if (field.available) continue;
    ++unavailable;
    const auto text = explain("spec.strategy." + field.name);
    BOOST_TEST_REQUIRE(text.has_value());
    BOOST_TEST(contains(unwrapped(*text), "Not available yet."), field.name);
    // In the list of the section's fields: before the next field, whose line is indented less.
    const std::size_t begin = strategy->find("  " + field.name + "\t");
    BOOST_TEST_REQUIRE(begin != strategy->npos);
    const std::string entry = strategy->substr(begin, strategy->find("\n\n", begin) - begin);
    BOOST_TEST(contains(unwrapped(entry), "Not available yet."), field.name);
    BOOST_TEST(contains(crd(), field.text + " Not available yet."), field.name);
  }
  BOOST_TEST(unavailable == 5);  // staleness, maxAdvance, window, movingRate, period
}

BOOST_AUTO_TEST_CASE(a_field_that_only_unavailable_values_use_is_not_available_either) {
  int seen = 0;
  const auto check = [&](const auto& self, const Field& object) -> void {
    for (const Field& field : object.fields) {
      self(self, field);
      if (!field.only_with) continue;
      const Field* const sibling = object.find(field.only_with->sibling);
      BOOST_TEST_REQUIRE(sibling != nullptr, field.name);
      const auto is_available = [&](const std::string& value) {
        return std::ranges::any_of(sibling->choices, [&](const Choice& choice) {
          return choice.name == value && choice.available;
        });
      };
      if (sibling->choices.empty()) continue;
      ++seen;
      const bool is_used = std::ranges::any_of(field.only_with->values, is_available);
      BOOST_TEST(field.available == is_used, object.name << "." << field.name);
    }
  };
  check(check, rootField());
  BOOST_TEST(seen > 8);
}

BOOST_AUTO_TEST_CASE(names_the_nearest_field_where_there_is_none) {
  const auto text = explain("spec.training.bathSize");

  BOOST_TEST_REQUIRE(!text.has_value());
  BOOST_TEST(text.error().code == ErrorCode::kNotFound);
  BOOST_TEST(contains(text.error().message, "`batchSize`"));
  BOOST_TEST(!explain("spec.training.batchSize.x").has_value());
  BOOST_TEST(!explain("spec..training").has_value());
}

BOOST_AUTO_TEST_CASE(the_definition_is_yaml_with_bounds_patterns_rules_and_subresources) {
  const yaml::Document document = yaml::parse(crd());

  BOOST_TEST(document.message == "");
  BOOST_TEST_REQUIRE(document.root.has_value());
  const yaml::Node* const version = &nodeAt(*document.root, "spec.versions")->items.at(0);
  const std::string schema = "schema.openAPIV3Schema.properties.spec.properties.";
  BOOST_TEST(nodeAt(*version, schema + "training.properties.batchSize.minimum")->text == "1");
  BOOST_TEST(nodeAt(*version, schema + "suspend.default")->text == "false");
  BOOST_TEST(nodeAt(*version, schema + "worker.properties.replicas.default")->text == "1");
  const yaml::Node* const rate =
      nodeAt(*version, schema + "training.properties.optimizer.properties.learningRate");
  BOOST_TEST(rate->find("pattern")->text ==
             R"(^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?$)");
  BOOST_TEST(rate->find("x-kubernetes-validations")->items.at(0).find("rule")->text ==
             "double(self) > 0.0");
  BOOST_TEST(nodeAt(*version, "subresources.scale.specReplicasPath")->text ==
             ".spec.worker.replicas");
}

// The oldest Kubernetes that is promised; it refuses a definition with a function that it lacks.
BOOST_AUTO_TEST_CASE(the_rules_use_only_what_kubernetes_1_29_has) {
  const std::set<std::string> known = {"all",    "double",     "dyn",   "exists", "exists_one",
                                       "filter", "has",        "int",   "map",    "matches",
                                       "size",   "startsWith", "string"};
  const std::string rules = celRules();
  BOOST_TEST_REQUIRE(contains(rules, "has("));
  for (const std::string& name : calledIn(rules))
    BOOST_TEST(known.count(name) == 1U, name);

  BOOST_TEST(!contains(rules, ".?"));
  BOOST_TEST(!contains(crd(), "optionalOldSelf"));
}

BOOST_AUTO_TEST_CASE(the_definition_forbids_changes_with_has_on_both_sides) {
  const std::string text = crd();

  BOOST_TEST(contains(text,
                      "(has(self.output)) == (has(oldSelf.output)) && (!(has(self.output)) || "
                      "self.output == oldSelf.output)"));
  BOOST_TEST(contains(text,
                      "(has(self.server) && has(self.server.replicas)) == (has(oldSelf.server) "
                      "&& has(oldSelf.server.replicas))"));
  BOOST_TEST(contains(text,
                      "self.suspend || oldSelf.suspend || ((has(self.worker) && "
                      "has(self.worker.template))"));
  BOOST_TEST(!contains(text, "oldSelf.runPolicy"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::generated_test
