#include "job/document/markdown.h"

#include "job/document/explain.h"
#include "job/document/field.h"

namespace sumac::job {

namespace {

constexpr const char* kHead =
    "# TrainingJob\n\n"
    "`sumac.dev/v1alpha1`, kind `TrainingJob`, short name `tjob`. One document, two readers: "
    "`kubectl apply -f` and `sumac run`. Unknown fields are errors. Decimals are written as "
    "strings: `\"0.1\"`. Numbers and booleans are read as kubectl reads them, by YAML 1.1: `010` "
    "is "
    "8, `0x10` is 16, `1_000` is 1000, and `yes`, `no`, `on` and `off` are booleans; put text that "
    "looks like one of these in quotes.\n\n"
    "Made from the table of fields in `job/document`; after a change there run\n\n"
    "```\nsumac explain --markdown > docs/trainingjob.md\n```\n";

/// Escapes text for a cell of a table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text)
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + cell(text) + "`";
}

std::string remarks(const Field& field) {
  std::string text = cell(descriptionOf(field));
  if (field.required) text += " Required.";
  if (field.change == Change::kNever) text += " Immutable.";
  if (field.change == Change::kWhileSuspended) text += " Changes only while suspended.";
  return text;
}

const Field& itemOf(const Field& field) {
  return field.type == Type::kList ? field.fields.front() : field;
}

void section(const Field& object, const std::string& path, std::string& text) {
  text += "\n## " + (path.empty() ? object.name : path) + "\n\n" + object.text + "\n";
  if (!object.rules.empty()) text += "\n";
  for (const Rule& rule : object.rules)
    text += "- " + rule.message + "\n";
  text += "\n| field | type | default | allowed | |\n| --- | --- | --- | --- | --- |\n";
  for (const Field& field : object.fields) {
    if (field.ignored && field.type == Type::kAny) continue;
    text += "| `" + field.name + "` | " + typeName(field) + " | " + code(defaultOf(field)) + " | " +
            cell(allowed(field)) + " | " + remarks(field) + " |\n";
  }
  for (const Field& field : object.fields) {
    const Field& item = itemOf(field);
    if (item.type != Type::kObject) continue;
    const std::string suffix = field.type == Type::kList ? "[]" : "";
    section(item, (path.empty() ? "" : path + ".") + field.name + suffix, text);
  }
}

}  // namespace

std::string markdown() {
  std::string text = kHead;
  section(rootField(), "", text);
  return text;
}

}  // namespace sumac::job
