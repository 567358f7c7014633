#include <algorithm>
#include <set>
#include <string>

#include <boost/test/unit_test.hpp>

#include "job/document/field.h"
#include "job/model/layer_types.h"

namespace sumac::job::layer_fields_test {

namespace {

using model::internal::Form;
using model::internal::Key;

Type typeOf(Form form) {
  switch (form) {
    case Form::kDecimal: return Type::kDecimal;
    case Form::kBoolean: return Type::kBoolean;
    case Form::kInteger: break;
  }
  return Type::kInteger;
}

/// "conv2d.kernel" for every key of every type, as the model's reader has them.
std::set<std::string> keysOfModel() {
  std::set<std::string> keys;
  for (const auto& type : model::internal::layerTypes()) {
    for (const Key& key : type.keys)
      keys.insert(std::string(kindName(type.kind)) + "." + std::string(key.name));
  }
  return keys;
}

/// The same as the table of fields has them; without lists, which the model reads apart.
std::set<std::string> keysOfTable(const Field& layer) {
  std::set<std::string> keys;
  for (const Field& field : layer.fields) {
    if (!field.only_with || field.type == Type::kList) continue;
    for (const std::string& type : field.only_with->values)
      keys.insert(type + "." + field.name);
  }
  return keys;
}

std::set<std::string> typesOf(const Field& layer) {
  std::set<std::string> names;
  for (const Choice& choice : layer.find("type")->choices)
    names.insert(choice.name);
  return names;
}

const Field& layerField() {
  return fieldAt("spec.model.layers")->fields.front();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layer_fields)

BOOST_AUTO_TEST_CASE(the_table_has_the_types_and_keys_that_the_model_reads) {
  std::set<std::string> types;
  for (const auto& type : model::internal::layerTypes())
    types.emplace(kindName(type.kind));

  BOOST_TEST(typesOf(layerField()) == types, boost::test_tools::per_element());
  BOOST_TEST(keysOfTable(layerField()) == keysOfModel(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_table_has_the_forms_and_bounds_that_the_model_reads) {
  for (const auto& type : model::internal::layerTypes()) {
    for (const Key& key : type.keys) {
      const Field* const field = layerField().find(key.name);
      BOOST_TEST((field != nullptr), key.name);
      if (field == nullptr) continue;
      BOOST_TEST((field->type == typeOf(key.form)), key.name);
      if (key.form != Form::kInteger) continue;
      BOOST_TEST(field->minimum.value() == key.lowest, key.name);
      BOOST_TEST(field->maximum.value() == key.highest, key.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_residual_has_all_but_what_stands_outside_alone) {
  for (const char* list : {"spec.model.layers.layers", "spec.model.layers.shortcut"}) {
    const Field& inner = fieldAt(list)->fields.front();
    std::set<std::string> types = typesOf(inner);
    types.insert({"residual", "embedding", "softmaxCrossEntropy"});
    std::set<std::string> keys = keysOfTable(inner);
    keys.insert("embedding.outputs");

    BOOST_TEST(types == typesOf(layerField()), boost::test_tools::per_element());
    BOOST_TEST(keys == keysOfTable(layerField()), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::layer_fields_test
