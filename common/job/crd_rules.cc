#include "common/job/crd_rules.h"

#include <algorithm>

namespace sumac::job {

namespace {

/// A bound as a double of CEL, where "1" is an integer.
std::string literal(const std::string& bound) {
  return bound.find_first_of(".e") == bound.npos ? bound + ".0" : bound;
}

void addRange(const DecimalRange& range, std::vector<CrdRule>& rules) {
  const auto add = [&rules](const std::optional<std::string>& bound, const std::string& relation) {
    if (!bound) return;
    rules.push_back(
        {"double(self) " + relation + " " + literal(*bound), "must be " + relation + " " + *bound});
  };
  add(range.above, ">");
  add(range.at_least, ">=");
  add(range.below, "<");
}

/// If the sibling is absent, its default decides.
CrdRule onlyWith(const Field& child, const Field& object) {
  const OnlyWith& with = *child.only_with;
  const Field* const sibling = object.find(with.sibling);
  const std::string& otherwise =
      sibling->schema_default.empty() ? sibling->resolver_default : sibling->schema_default;
  const bool by_default =
      std::find(with.values.begin(), with.values.end(), otherwise) != with.values.end();
  std::string list;
  std::string words;
  for (const std::string& value : with.values) {
    list += (list.empty() ? "'" : ", '") + value + "'";
    words += (words.empty() ? "" : " or ") + value;
  }
  const std::string given = "has(self." + with.sibling + ")";
  const std::string one_of = "self." + with.sibling + " in [" + list + "]";
  return {"!has(self." + child.name + ") || " +
              (by_default ? "!" + given + " || " + one_of : "(" + given + " && " + one_of + ")"),
          child.name + " is only used with " + with.sibling + " " + words};
}

/// "has(self.server) && has(self.server.replicas)": CEL fails on a field of an absent object.
std::string given(const std::string& object, const std::string& path) {
  std::string text;
  for (std::size_t dot = path.find('.');; dot = path.find('.', dot + 1)) {
    text += (text.empty() ? "" : " && ") + ("has(" + object + "." + path.substr(0, dot) + ")");
    if (dot == path.npos) return text;
  }
}

std::string unchanged(const std::string& path) {
  const std::string now = "(" + given("self", path) + ")";
  const std::string before = "(" + given("oldSelf", path) + ")";
  return now + " == " + before + " && (!" + now + " || self." + path + " == oldSelf." + path + ")";
}

void addChanges(const Field& object, const std::string& prefix, std::vector<CrdRule>& rules) {
  for (const Field& field : object.fields) {
    const std::string path = prefix + field.name;
    if (field.change == Change::kNever) {
      rules.push_back({unchanged(path), path + " is immutable"});
    } else if (field.change == Change::kWhileSuspended) {
      rules.push_back({"self.suspend || oldSelf.suspend || (" + unchanged(path) + ")",
                       path + " changes only while suspended"});
    } else if (field.type == Type::kObject) {
      addChanges(field, path + ".", rules);
    }
  }
}

}  // namespace

std::vector<CrdRule> crdRules(const Field& field) {
  std::vector<CrdRule> rules;
  if (field.type == Type::kDecimal) addRange(field.range, rules);
  for (const Rule& rule : field.rules)
    rules.push_back({rule.cel, rule.message});
  for (const Field& child : field.fields) {
    if (child.only_with) rules.push_back(onlyWith(child, field));
  }
  if (field.name == "spec" && field.type == Type::kObject) addChanges(field, "", rules);
  return rules;
}

}  // namespace sumac::job
