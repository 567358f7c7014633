#include "job/document/job_checks.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "base/core/check.h"
#include "base/yaml/scalar.h"
#include "job/document/choose.h"
#include "job/document/edit.h"
#include "job/document/field.h"
#include "job/document/nearest.h"

namespace sumac::job {

namespace {

using yaml::Kind;
using yaml::Node;

std::string inQuotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() > kShown) return "\"" + std::string(text.substr(0, kShown)) + "...\"";
  return "\"" + std::string(text) + "\"";
}

std::string found(const Node& node) {
  switch (node.kind) {
    case Kind::kNull: return "found nothing";
    case Kind::kString: return "found the string " + inQuotes(node.text);
    case Kind::kBoolean: return "found the boolean " + node.text;
    case Kind::kInteger:
    case Kind::kDecimal: return "found the number " + node.text;
    case Kind::kList:
    case Kind::kMap: return "found " + std::string(yaml::toString(node.kind));
  }
  failCheck("kind is one of the enumerators", "found");
}

/// Characters, as the API server counts them. Requires UTF-8, which the reader checked.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

/// Whether a number is written without fraction and exponent; one that is too long is kDecimal.
bool hasOnlyDigits(const Node& node) {
  if (node.kind != Kind::kInteger && node.kind != Kind::kDecimal) return false;
  const std::string_view text = node.text;
  return text.find_first_of("0123456789") != text.npos &&
         text.find_first_not_of("+-0123456789_") == text.npos;
}

double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string inside(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

/// Whether a choice has one of its names. If not, that is reported, and not what depends on it.
bool isKnown(const Field& object, const Node& node, std::string_view choice) {
  const std::string_view value = valueOrDefault(object, node, choice);
  const auto& choices = object.find(choice)->choices;
  return std::any_of(choices.begin(), choices.end(),
                     [value](const Choice& known) { return known.name == value; });
}

/// The node at a path; where there is none, the last one on the way.
const Node* nearestAt(const Node& root, std::string_view path) {
  const Node* found = nodeAt(root, path);
  while (found == nullptr) {
    const auto dot = path.rfind('.');
    path = dot == path.npos ? std::string_view() : path.substr(0, dot);
    found = nodeAt(root, path);
  }
  return found;
}

/// Walks a document along the table of fields and collects problems.
class Checker {
 public:
  explicit Checker(std::string_view file) : file_(file) {}

  void value(const Field& field, const Node& node, const std::string& path);
  Findings take() { return std::move(findings_); }

 private:
  void report(yaml::Position position, const std::string& path, std::string message) {
    findings_.problems.push_back(
        {std::string(file_), position.line, position.column, path, std::move(message)});
  }
  void report(const Node& node, const std::string& path, std::string message) {
    report(node.position, path, std::move(message));
  }
  void reportUnknown(yaml::Position position, const std::string& path, std::string message) {
    report(position, path, std::move(message));
    findings_.problems.back().is_unknown = true;
  }
  void reportUnavailable(const Node& node, const std::string& path, std::string message) {
    findings_.unavailable.push_back(
        {std::string(file_), node.position.line, node.position.column, path, std::move(message)});
  }

  void object(const Field& field, const Node& node, const std::string& path);
  void unknownField(const Field& field, const Node& node, std::size_t index,
                    const std::string& path);
  void meaning(const Field& child, const Field& object, const Node& node, const std::string& path);
  void rules(const Field& field, const Node& node, const std::string& path);
  void list(const Field& field, const Node& node, const std::string& path);
  void text(const Field& field, const Node& node, const std::string& path);
  void integer(const Field& field, const Node& node, const std::string& path);
  void integerOrWord(const Field& field, const Node& node, const std::string& path);
  void decimal(const Field& field, const Node& node, const std::string& path);
  void choice(const Field& field, const Node& node, const std::string& path);
  void stringMap(const Node& node, const std::string& path);

  std::string_view file_;
  Findings findings_;
};

void Checker::value(const Field& field, const Node& node, const std::string& path) {
  if (field.ignored || field.type == Type::kTime) return;
  if (!field.available) reportUnavailable(node, path, "not available yet");
  switch (field.type) {
    case Type::kObject: return object(field, node, path);
    case Type::kList: return list(field, node, path);
    case Type::kString: return text(field, node, path);
    case Type::kInteger: return integer(field, node, path);
    case Type::kIntegerOrWord: return integerOrWord(field, node, path);
    case Type::kDecimal: return decimal(field, node, path);
    case Type::kChoice: return choice(field, node, path);
    case Type::kStringMap: return stringMap(node, path);
    case Type::kBoolean:
      if (node.kind != Kind::kBoolean) {
        report(node, path, found(node) + ", must be true or false");
      }
      return;
    case Type::kQuantity:
      if (node.kind != Kind::kString && node.kind != Kind::kInteger) {
        report(node, path, found(node) + ", must be a quantity such as 10Gi");
      }
      return;
    case Type::kAny:
      if (node.kind != Kind::kMap) report(node, path, found(node) + ", must be a map");
      return;
    case Type::kTime: return;
  }
}

void Checker::unknownField(const Field& field, const Node& node, std::size_t index,
                           const std::string& path) {
  std::vector<std::string> names;
  for (const Field& known : field.fields)
    names.push_back(known.name);
  const std::string& name = node.fields[index].key;
  reportUnknown(node.field_positions[index], inside(path, name),
                "unknown field" + suggestion(name, names));
}

void Checker::meaning(const Field& child, const Field& object, const Node& node,
                      const std::string& path) {
  if (hasMeaning(child, object, node) || !isKnown(object, node, child.only_with->sibling)) return;
  std::string values;
  for (const std::string& value : child.only_with->values) {
    values += (values.empty() ? "" : " or ") + value;
  }
  report(*node.find(child.name), inside(path, child.name),
         "only used with " + child.only_with->sibling + " " + values);
}

void Checker::object(const Field& field, const Node& node, const std::string& path) {
  if (node.kind != Kind::kMap) {
    report(node, path, found(node) + ", must be a map");
    return;
  }
  for (std::size_t i = 0; i < node.fields.size(); ++i) {
    const auto& [name, child_node] = node.fields[i];
    const Field* const child = field.find(name);
    if (child != nullptr) {
      value(*child, child_node, inside(path, name));
      meaning(*child, field, node, path);
    } else if (!field.open) {
      unknownField(field, node, i, path);
    }
  }
  for (const Field& child : field.fields) {
    if (child.required && node.find(child.name) == nullptr) {
      report(node, inside(path, child.name), "is required");
    }
  }
  rules(field, node, path);
}

void Checker::rules(const Field& field, const Node& node, const std::string& path) {
  for (const Rule& rule : field.rules) {
    if (rule.holds == nullptr || rule.holds(node)) continue;
    const Node* const blamed = nearestAt(node, rule.about);
    const Node* const limit = rule.limit.empty() ? nullptr : nodeAt(node, rule.limit);
    std::string message = rule.message;
    if (limit != nullptr) message += " (" + limit->text + ")";
    if (!rule.advice.empty()) message += "; " + rule.advice;
    if (limit != nullptr || blamed->kind == Kind::kInteger)
      message = found(*blamed) + "; " + message;
    report(*blamed, rule.about.empty() ? path : inside(path, rule.about), message);
  }
}

void Checker::list(const Field& field, const Node& node, const std::string& path) {
  if (node.kind != Kind::kList) {
    report(node, path, found(node) + ", must be a list");
    return;
  }
  if (node.items.size() > static_cast<std::size_t>(field.max_length)) {
    report(node, path,
           "found " + std::to_string(node.items.size()) + " items, at most " +
               std::to_string(field.max_length) + " are allowed");
  }
  if (field.minimum && static_cast<std::int64_t>(node.items.size()) < *field.minimum)
    report(node, path, "must not be empty");
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    value(field.fields.front(), node.items[i], path + "[" + std::to_string(i) + "]");
  }
}

void Checker::text(const Field& field, const Node& node, const std::string& path) {
  if (node.kind != Kind::kString) {
    const bool scalar =
        node.kind == Kind::kInteger || node.kind == Kind::kDecimal || node.kind == Kind::kBoolean;
    const bool fits = field.pattern.matches == nullptr || field.pattern.matches(node.text);
    const std::string wanted = fits ? node.text : std::string(field.pattern.example);
    report(node, path,
           found(node) + ", must be a string" +
               (scalar && !wanted.empty() ? (fits ? ": " : " such as ") + inQuotes(wanted) : ""));
    return;
  }
  if (length(node.text) > static_cast<std::size_t>(field.max_length)) {
    report(node, path,
           "found " + std::to_string(length(node.text)) + " characters, at most " +
               std::to_string(field.max_length) + " are allowed");
  } else if (node.text.empty() && mustHaveText(field)) {
    report(node, path, "must not be empty");
  } else if (field.pattern.matches != nullptr && !field.pattern.matches(node.text)) {
    const Pattern& pattern = field.pattern;
    const std::string wanted = pattern.words.empty() ? "match " + std::string(pattern.expression)
                                                     : "be " + std::string(pattern.words);
    report(node, path,
           "found " + inQuotes(node.text) + ", must " + wanted +
               (pattern.example.empty() ? "" : ", such as " + std::string(pattern.example)));
  }
}

void Checker::integer(const Field& field, const Node& node, const std::string& path) {
  if (node.kind != Kind::kInteger && !hasOnlyDigits(node)) {
    report(node, path, found(node) + ", must be an integer");
    return;
  }
  const auto value = yaml::integerOf(node);
  if (!value) {
    using Limits = std::numeric_limits<std::int64_t>;
    report(node, path,
           found(node) +
               (node.text.starts_with('-')
                    ? ", must be >= " + std::to_string(field.minimum.value_or(Limits::min()))
                    : ", must be <= " + std::to_string(field.maximum.value_or(Limits::max()))));
  } else if (field.minimum && *value < *field.minimum) {
    report(node, path, "found " + node.text + ", must be >= " + std::to_string(*field.minimum));
  } else if (field.maximum && *value > *field.maximum) {
    report(node, path, "found " + node.text + ", must be <= " + std::to_string(*field.maximum));
  }
}

void Checker::integerOrWord(const Field& field, const Node& node, const std::string& path) {
  if (node.kind == Kind::kInteger || hasOnlyDigits(node)) return integer(field, node, path);
  const auto is_node = [&node](const Choice& word) { return word.name == node.text; };
  if (node.kind == Kind::kString && std::ranges::any_of(field.choices, is_node)) return;
  const std::string message = found(node) + ", must be an integer or " + choiceList(field);
  // A later CRD may know the word.
  if (node.kind == Kind::kString) return reportUnknown(node.position, path, message);
  report(node, path, message);
}

void Checker::decimal(const Field& field, const Node& node, const std::string& path) {
  if (node.kind == Kind::kInteger || node.kind == Kind::kDecimal) {
    report(node, path, found(node) + "; decimals are written as strings: \"" + node.text + "\"");
    return;
  }
  if (node.kind != Kind::kString || node.text.size() > kDecimalMaxLength ||
      !kDecimalPattern.matches(node.text)) {
    report(node, path, found(node) + ", must be a decimal number, such as \"0.1\"");
    return;
  }
  const double value = number(node.text);
  const DecimalRange& range = field.range;
  if (range.above && !(value > number(*range.above))) {
    report(node, path, "found " + inQuotes(node.text) + ", must be > " + *range.above);
  }
  if (range.at_least && !(value >= number(*range.at_least))) {
    report(node, path, "found " + inQuotes(node.text) + ", must be >= " + *range.at_least);
  }
  if (range.below && !(value < number(*range.below))) {
    report(node, path, "found " + inQuotes(node.text) + ", must be < " + *range.below);
  }
}

void Checker::choice(const Field& field, const Node& node, const std::string& path) {
  std::vector<std::string> names;
  const Choice* chosen = nullptr;
  for (const Choice& choice : field.choices) {
    names.push_back(choice.name);
    if (node.kind == Kind::kString && choice.name == node.text) chosen = &choice;
  }
  const bool is_missing =
      node.kind == Kind::kString && std::ranges::count(field.missing_choices, node.text) > 0;
  if (is_missing) {
    report(node, path, node.text + " is not available yet, use one of " + choiceList(field));
  } else if (chosen == nullptr && node.kind == Kind::kString) {
    reportUnknown(
        node.position, path,
        found(node) + ", must be one of " + choiceList(field) + suggestion(node.text, names));
  } else if (chosen == nullptr) {
    report(node, path, found(node) + ", must be one of " + choiceList(field));
  } else if (!chosen->available) {
    reportUnavailable(node, path, chosen->name + " is not available yet");
  }
}

void Checker::stringMap(const Node& node, const std::string& path) {
  if (node.kind != Kind::kMap) {
    report(node, path, found(node) + ", must be a map of strings");
    return;
  }
  for (const auto& [name, value] : node.fields) {
    if (value.kind != Kind::kString) {
      report(value, inside(path, name), found(value) + ", must be a string");
    }
  }
}

/// The kinds of documents that Sumac reads, and what reads them.
constexpr std::pair<std::string_view, std::string_view> kReaders[] = {
    {"TrainingJob", "sumac run runs a TrainingJob"},
    {"Experiment", "sumac experiment runs an Experiment"},
    {"MachineTypes", "sumac plan --machines reads MachineTypes"},
    {"ConvolutionCosts", "sumac plan --convolutions reads ConvolutionCosts"},
    {"Profile", "sumac plan --profile reads a Profile"}};

std::string otherKind(const std::string& kind) {
  std::vector<std::string> known;
  std::string list;
  for (const auto& [name, reader] : kReaders) {
    if (kind == name) return "; " + std::string(reader);
    known.emplace_back(name);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  const std::string meant = suggestion(kind, known);
  return meant.empty() ? "; the kinds of documents are " + list : meant;
}

/// Nothing where the document is of the kind that `schema` describes, or says none.
const Node* wrongKind(const Field& schema, const Node& root) {
  const Field* const field = schema.find("kind");
  const Node* const kind = root.find("kind");
  const bool is_document = field != nullptr && field->choices.size() == 1;
  const bool is_other = is_document && kind != nullptr && kind->kind == Kind::kString &&
                        kind->text != field->choices.front().name;
  return is_other ? kind : nullptr;
}

}  // namespace

Findings check(const Node& root, std::string_view file) {
  return check(rootField(), root, file);
}

Findings check(const Field& schema, const Node& root, std::string_view file) {
  if (const Node* const kind = wrongKind(schema, root)) {
    const auto& [line, column] = kind->position;
    return {
        {{std::string(file), line, column, "kind",
          "found " + inQuotes(kind->text) + ", must be " + schema.name + otherKind(kind->text)}},
        {}};
  }
  Checker checker(file);
  checker.value(schema, root, "");
  return checker.take();
}

}  // namespace sumac::job
