#include "job/document/explain.h"

#include <cctype>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "job/document/nearest.h"

namespace sumac::job {

namespace {

constexpr std::size_t kWidth = 80;

/// `text` in lines of at most kWidth characters, each indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) result += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const auto space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (!line.empty() && indent + line.size() + 1 + word.size() > kWidth) flush();
    line += (line.empty() ? "" : " ") + std::string(word);
    text = space == text.npos ? std::string_view() : text.substr(space + 1);
  }
  flush();
  return result;
}

std::string withoutRoot(const Field& schema, std::string_view path) {
  std::string lower = schema.name;
  for (char& letter : lower)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  std::vector<std::string> roots = {schema.name, lower, lower + "s"};
  if (&schema == &rootField()) roots.emplace_back("tjob");
  for (const std::string& root : roots) {
    if (path == root) return "";
    if (path.starts_with(root) && path[root.size()] == '.') {
      return std::string(path.substr(root.size() + 1));
    }
  }
  return std::string(path);
}

/// The fields that can be named below `field`: of an object, or of a list's items.
const std::vector<Field>& below(const Field& field) {
  return field.type == Type::kList ? field.fields.front().fields : field.fields;
}

Error unknown(const Field& schema, std::string_view path) {
  std::string known;
  const Field* at = &schema;
  std::string_view rest = path;
  while (true) {
    const auto dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    const std::string next = known + (known.empty() ? "" : ".") + std::string(name);
    const Field* const child = fieldAt(schema, next);
    if (child == nullptr) {
      std::vector<std::string> names;
      for (const Field& field : below(*at))
        names.push_back(field.name);
      return {ErrorCode::kNotFound, (known.empty() ? schema.name : known) + " has no field `" +
                                        std::string(name) + "`" + suggestion(name, names)};
    }
    SUMAC_CHECK(dot != rest.npos);
    known = next;
    at = child;
    rest = rest.substr(dot + 1);
  }
}

std::string shape(const Field& field) {
  if (field.type == Type::kList) return "<[]" + typeName(field.fields.front()) + ">";
  return "<" + typeName(field) + ">";
}

std::string line(const std::string& label, const std::string& value) {
  return value.empty() ? "" : wrapped(label + ": " + value, 4);
}

std::string details(const Field& field) {
  std::string text = line("Allowed", allowed(field)) + line("Default", defaultOf(field));
  if (field.change == Change::kNever) text += wrapped("Immutable.", 4);
  if (field.change == Change::kWhileSuspended) text += wrapped("Changes while suspended.", 4);
  for (const Rule& rule : field.rules)
    text += wrapped("Rule: " + rule.message + ".", 4);
  return text;
}

std::string children(const Field& field) {
  std::string text;
  for (const Field& child : below(field)) {
    if (child.ignored && child.type == Type::kAny) continue;
    text += "  " + child.name + "\t" + shape(child) + (child.required ? " -required-" : "") + "\n" +
            wrapped(descriptionOf(child), 4) + "\n";
  }
  return text.empty() ? "" : "\nFIELDS:\n" + text;
}

}  // namespace

std::string descriptionOf(const Field& field) {
  return field.text + (field.available ? "" : " Not available yet.");
}

std::string typeName(const Field& field) {
  switch (field.type) {
    case Type::kObject: return "Object";
    case Type::kList: return "list of " + typeName(field.fields.front());
    case Type::kString:
    case Type::kChoice: return "string";
    case Type::kInteger: return "integer";
    case Type::kIntegerOrWord: return "integer or string";
    case Type::kBoolean: return "boolean";
    case Type::kDecimal: return "decimal string";
    case Type::kTime: return "time";
    case Type::kQuantity: return "quantity";
    case Type::kStringMap: return "map of strings";
    case Type::kAny: return "any";
  }
  failCheck("type is one of the enumerators", field.name);
}

std::string allowed(const Field& field) {
  std::vector<std::string> bounds;
  if (!field.choices.empty()) {
    std::string choices;
    for (const Choice& choice : field.choices) {
      choices += (choices.empty() ? "" : ", ") + choice.name;
      if (!choice.available) choices += " (not available yet)";
    }
    bounds.push_back(choices);
  }
  const std::string items = field.type == Type::kList ? " item" : "";
  if (field.minimum) bounds.push_back(">= " + std::to_string(*field.minimum) + items);
  if (field.maximum) bounds.push_back("<= " + std::to_string(*field.maximum));
  if (field.range.above) bounds.push_back("> " + *field.range.above);
  if (field.range.at_least) bounds.push_back(">= " + *field.range.at_least);
  if (field.range.below) bounds.push_back("< " + *field.range.below);

  if (!field.pattern.expression.empty()) {
    bounds.push_back("pattern " + std::string(field.pattern.expression));
    bounds.push_back("at most " + std::to_string(field.max_length) + " characters");
  }
  if (field.only_with) {
    std::string values;
    for (const std::string& value : field.only_with->values) {
      values += (values.empty() ? "" : " or ") + value;
    }
    bounds.push_back("only with " + field.only_with->sibling + " " + values);
  }
  std::string text;
  for (const std::string& bound : bounds)
    text += (text.empty() ? "" : ", ") + bound;
  return text;
}

std::string defaultOf(const Field& field) {
  const std::string& text =
      field.schema_default.empty() ? field.resolver_default : field.schema_default;
  return text == "{}" ? "" : text;
}

Result<std::string> explain(std::string_view given) {
  return explain(rootField(), given);
}

Result<std::string> explain(const Field& schema, std::string_view given) {
  if (given.ends_with('.')) given.remove_suffix(1);
  std::string path = withoutRoot(schema, given);
  const Field* field = fieldAt(schema, path);
  if (field == nullptr && fieldAt(schema, "spec." + path) != nullptr) {
    path = "spec." + path;
    field = fieldAt(schema, path);
  }
  if (field == nullptr) return unknown(schema, path);
  std::string text =
      "GROUP:      sumac.dev\nKIND:       " + schema.name + "\nVERSION:    v1alpha1\n\n";
  if (!path.empty()) text += "FIELD: " + path + " " + shape(*field) + "\n\n";
  return text + "DESCRIPTION:\n" + wrapped(descriptionOf(*field), 4) + details(*field) +
         children(*field);
}

}  // namespace sumac::job
