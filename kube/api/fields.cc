#include "kube/api/fields.h"

#include <nlohmann/json.hpp>

#include "job/progress/json_fields.h"

namespace sumac::api::internal {

using nlohmann::json;

std::string shown(const json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "a map";
  constexpr std::size_t kMost = 64;
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

Fields::Fields(const json* value, std::string path, std::string& problem)
    : value_(value), path_(std::move(path)), problem_(&problem) {
  if (value_ == nullptr || value_->is_object()) return;
  refuse(path_.empty() ? "the document" : path_, *value_, "a map");
  value_ = nullptr;
}

const json* Fields::find(const char* name) const {
  if (value_ == nullptr) return nullptr;
  const auto found = value_->find(name);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

std::string Fields::pathOf(const char* name) const {
  return path_.empty() ? name : path_ + "." + name;
}

void Fields::refuse(const std::string& path, const json& found, std::string_view wanted) const {
  if (!problem_->empty()) return;
  *problem_ = path + ": found " + shown(found) + ", must be " + std::string(wanted);
}

void Fields::refuse(const std::string& path, const Error& why) const {
  if (problem_->empty()) *problem_ = path + ": " + why.message;
}

std::string Fields::text(const char* name) const {
  const json* found = find(name);
  if (found == nullptr) return {};
  if (const auto* text = found->get_ptr<const std::string*>()) return *text;
  refuse(pathOf(name), *found, "text");
  return {};
}

std::string Fields::requiredText(const char* name) const {
  std::string found = text(name);
  if (found.empty() && problem_->empty()) *problem_ = pathOf(name) + ": missing";
  return found;
}

std::optional<std::int64_t> Fields::integer(const char* name, std::int64_t least,
                                            std::int64_t most) const {
  const json* found = find(name);
  if (found == nullptr) return std::nullopt;
  if (found->is_number_unsigned()) {
    const auto value = found->get<std::uint64_t>();
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      const auto whole = static_cast<std::int64_t>(value);
      if (whole >= least && whole <= most) return whole;
    }
  } else if (found->is_number_integer()) {
    const auto whole = found->get<std::int64_t>();
    if (whole >= least && whole <= most) return whole;
  }
  refuse(pathOf(name), *found,
         "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::optional<double> Fields::decimal(const char* name) const {
  return value_ == nullptr ? std::nullopt : sumac::internal::decimalIn(*value_, name);
}

int Fields::number(const char* name, int otherwise, int least) const {
  const auto value = integer(name, least, std::numeric_limits<int>::max());
  return value ? static_cast<int>(*value) : otherwise;
}

bool Fields::boolean(const char* name) const {
  const json* found = find(name);
  if (found == nullptr) return false;
  if (const auto* value = found->get_ptr<const bool*>()) return *value;
  refuse(pathOf(name), *found, "true or false");
  return false;
}

std::optional<WallTime> Fields::time(const char* name) const {
  const json* found = find(name);
  if (found == nullptr) return std::nullopt;
  if (const auto* text = found->get_ptr<const std::string*>()) {
    if (const auto time = parseRfc3339(*text)) return *time;
  }
  refuse(pathOf(name), *found, "a time such as 2026-01-31T12:00:00Z");
  return std::nullopt;
}

std::map<std::string, std::string> Fields::texts(const char* name, std::string_view prefix) const {
  std::map<std::string, std::string> result;
  const json* found = find(name);
  if (found == nullptr) return result;
  if (!found->is_object()) {
    refuse(pathOf(name), *found, "a map");
    return result;
  }
  for (const auto& [key, value] : found->items()) {
    if (!key.starts_with(prefix)) continue;
    if (const auto* text = value.get_ptr<const std::string*>()) {
      result.emplace(key, *text);
    } else {
      refuse(pathOf(name) + "[" + key + "]", value, "text");
    }
  }
  return result;
}

std::vector<std::string> Fields::textList(const char* name) const {
  std::vector<std::string> result;
  const json* found = find(name);
  if (found == nullptr) return result;
  if (!found->is_array()) {
    refuse(pathOf(name), *found, "a list");
    return result;
  }
  for (const json& item : *found) {
    if (const auto* text = item.get_ptr<const std::string*>()) {
      result.push_back(*text);
    } else {
      refuse(pathOf(name) + "[" + std::to_string(result.size()) + "]", item, "text");
    }
  }
  return result;
}

Fields Fields::object(const char* name) const {
  return {find(name), pathOf(name), *problem_};
}

std::vector<Fields> Fields::objects(const char* name) const {
  std::vector<Fields> result;
  const json* found = find(name);
  if (found == nullptr) return result;
  if (!found->is_array()) {
    refuse(pathOf(name), *found, "a list");
    return result;
  }
  result.reserve(found->size());
  for (const json& item : *found) {
    result.emplace_back(&item, pathOf(name) + "[" + std::to_string(result.size()) + "]", *problem_);
  }
  return result;
}

}  // namespace sumac::api::internal
