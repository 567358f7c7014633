#include "job/document/yaml_writer.h"

#include <cctype>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/yaml/scalar.h"

namespace sumac::job {

namespace {

using Json = nlohmann::ordered_json;

bool isPlainWord(std::string_view text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
  for (const char c : text) {
    const bool safe = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view("-_./").find(c) != std::string_view::npos;
    if (!safe) return false;
  }
  return yaml::plainKind(text) == yaml::Kind::kString;
}

std::string scalar(const Json& json) {
  if (json.is_object()) return "{}";
  if (json.is_array()) return "[]";
  if (json.is_string() && isPlainWord(json.get_ref<const std::string&>())) {
    return json.get<std::string>();
  }
  // A path may be no UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool isBlock(const Json& json) {
  return json.is_structured() && !json.empty();
}

/// The first line of what is inside a list is already indented by the list's dash.
void beginLine(std::size_t indent, std::string& text) {
  if (text.empty() || text.back() == '\n') text.append(indent, ' ');
}

void write(const Json& json, std::size_t indent, std::string& text);

void writeMap(const Json& json, std::size_t indent, std::string& text) {
  for (const auto& [name, value] : json.items()) {
    beginLine(indent, text);
    text += scalar(Json(name)) + ":";
    if (!isBlock(value)) {
      text += " " + scalar(value) + "\n";
      continue;
    }
    text += "\n";
    write(value, value.is_array() ? indent : indent + 2, text);
  }
}

void writeList(const Json& json, std::size_t indent, std::string& text) {
  for (const Json& item : json) {
    beginLine(indent, text);
    text += "- ";
    if (isBlock(item)) {
      write(item, indent + 2, text);
    } else {
      text += scalar(item) + "\n";
    }
  }
}

void write(const Json& json, std::size_t indent, std::string& text) {
  if (json.is_object()) {
    writeMap(json, indent, text);
  } else {
    writeList(json, indent, text);
  }
}

}  // namespace

std::string toYaml(const Json& json) {
  if (!isBlock(json)) return scalar(json) + "\n";
  std::string text;
  write(json, 0, text);
  return text;
}

}  // namespace sumac::job
