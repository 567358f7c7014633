#include "base/log/line_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace sumac {
namespace {

using Json = nlohmann::ordered_json;

// As Cloud Logging spells them (LogSeverity); other collectors know these too.
constexpr std::array<std::pair<LogLevel, std::string_view>, 4> kSeverities{
    {{LogLevel::kDebug, "DEBUG"},
     {LogLevel::kInfo, "INFO"},
     {LogLevel::kWarn, "WARNING"},
     {LogLevel::kError, "ERROR"}}};

constexpr std::array<std::string_view, 3> kReserved{"time", "severity", "message"};

bool isPlain(char c) {
  return c > ' ' && c < '\x7f' && c != '"' && c != '\\' && c != '=';
}

void appendEscaped(std::string& line, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    line += '\\';
    line += c;
  } else if (c == '\n') {
    line += "\\n";
  } else if (c == '\t') {
    line += "\\t";
  } else if (byte < 0x20U || byte == 0x7FU) {
    line += "\\x";
    line += kDigits[byte >> 4U];
    line += kDigits[byte & 15U];
  } else {
    line += c;  // bytes above 0x7f belong to UTF-8
  }
}

void appendQuoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text)
    appendEscaped(line, c);
  line += '"';
}

void appendTextValue(std::string& line, std::string_view value) {
  if (!value.empty() && std::ranges::all_of(value, isPlain)) {
    line += value;
  } else {
    appendQuoted(line, value);
  }
}

bool isReserved(std::string_view key) {
  return std::ranges::find(kReserved, key) != kReserved.end();
}

/// A JSON string, quotes included; what is not UTF-8 becomes U+FFFD.
std::string jsonString(std::string_view text) {
  return Json(text).dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string_view severityOf(LogLevel level) {
  const auto* const found =
      std::ranges::find(kSeverities, level, [](const auto& row) { return row.first; });
  return found->second;
}

std::optional<LogLevel> levelFromSeverity(std::string_view name) {
  const auto* const found =
      std::ranges::find(kSeverities, name, [](const auto& row) { return row.second; });
  if (found == kSeverities.end()) return std::nullopt;
  return found->first;
}

/// A reserved key's text; nothing where it is missing or has another type.
std::optional<std::string> textOf(const Json& line, std::string_view key) {
  const auto found = line.find(std::string(key));
  if (found == line.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

}  // namespace

std::string lineStart(LogFormat format, LogLevel level, std::string_view message) {
  if (format == LogFormat::kJson) {
    return "\"severity\":\"" + std::string(severityOf(level)) +
           "\",\"message\":" + jsonString(message);
  }
  std::string line(toString(level));
  line += ' ';
  appendQuoted(line, message);
  return line;
}

void appendField(std::string& line, LogFormat format, const LogField& field) {
  if (format == LogFormat::kJson) {
    line += ',';
    line += jsonString(isReserved(field.key) ? std::string(field.key) + "_" : field.key);
    line += ':';
    line += field.is_literal ? field.value : jsonString(field.value);
    return;
  }
  line += ' ';
  line += field.key;
  line += '=';
  appendTextValue(line, field.value);
}

std::optional<std::string> textFromJsonLine(std::string_view line) {
  if (!line.starts_with('{')) return std::nullopt;
  const Json parsed = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return std::nullopt;
  const auto time = textOf(parsed, "time");
  const auto severity = textOf(parsed, "severity");
  const auto message = textOf(parsed, "message");
  if (!time || !severity || !message) return std::nullopt;
  const auto level = levelFromSeverity(*severity);
  if (!level || time->empty() || !std::ranges::all_of(*time, isPlain)) return std::nullopt;
  std::string text = *time + " " + lineStart(LogFormat::kText, *level, *message);
  for (const auto& [key, value] : parsed.items()) {
    if (isReserved(key)) continue;
    if (value.is_structured() || key.empty() || !std::ranges::all_of(key, isPlain)) {
      return std::nullopt;
    }
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    appendField(text, LogFormat::kText, {key, shown});
  }
  return text;
}

}  // namespace sumac
