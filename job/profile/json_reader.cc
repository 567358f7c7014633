#include "job/profile/json_reader.h"

#include <cmath>
#include <utility>
#include <vector>

#include "base/core/rounded.h"
#include "base/core/text.h"

namespace sumac::internal {
namespace {

using nlohmann::json;

const json& nothing() {
  static const json kNull;
  return kNull;
}

const json& emptyList() {
  static const json kEmpty = json::array();
  return kEmpty;
}

Error invalidJson(const std::string& what) {
  return {ErrorCode::kInvalid, what};
}

}  // namespace

Result<json> parseStrictly(std::string_view text, std::size_t most_bytes, int most_levels) {
  if (text.size() > most_bytes)
    return invalidJson("it has more than " + std::to_string(most_bytes) + " bytes");
  std::string twice;
  bool is_deep = false;
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    is_deep = is_deep || depth > most_levels;
    if (is_deep) return false;
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      const auto key = parsed.get<std::string>();
      if (!keys.back().insert(key).second && twice.empty()) twice = key;
    }
    return true;
  };
  json document = json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
  if (is_deep) return invalidJson("it is nested too deep");
  if (!twice.empty()) return invalidJson("its key \"" + twice.substr(0, 64) + "\" comes twice");
  if (document.is_discarded()) return invalidJson("it is not JSON, or is cut short");
  return document;
}

ObjectReader::ObjectReader(const json& object, std::string path, std::string& problem)
    : object_(object), path_(std::move(path)), problem_(problem) {
  if (!object_.is_object() && problem_.empty())
    problem_ = (path_.empty() ? "it" : path_) + " must be an object";
}

std::string ObjectReader::pathOf(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void ObjectReader::complain(std::string_view name, const std::string& what) {
  if (problem_.empty()) problem_ = pathOf(name) + ": " + what;
}

bool ObjectReader::has(const char* name) const {
  return object_.is_object() && object_.contains(name);
}

const json& ObjectReader::value(const char* name) {
  asked_.insert(name);
  const auto found = object_.is_object() ? object_.find(name) : object_.end();
  if (found != object_.end()) return *found;
  if (object_.is_object()) complain(name, "is missing");
  return nothing();
}

double ObjectReader::number(const char* name, double most, double least) {
  const json& found = value(name);
  const double read = found.is_number() ? found.get<double>() : -1;
  if (std::isfinite(read) && read >= least && read <= most) return read;
  const std::string from = least == 0 ? "0" : json(rounded(least)).dump();
  complain(name, "must be a number from " + from + " to " + json(rounded(most)).dump());
  return least;
}

std::int64_t ObjectReader::whole(const char* name, std::int64_t least, std::int64_t most) {
  const json& found = value(name);
  const auto* const read = found.get_ptr<const json::number_unsigned_t*>();
  if (read != nullptr && std::in_range<std::int64_t>(*read)) {
    const auto number = static_cast<std::int64_t>(*read);
    if (number >= least && number <= most) return number;
  }
  complain(name,
           "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return least;
}

std::string ObjectReader::text(const char* name, std::size_t most_bytes) {
  const json& found = value(name);
  const auto* const read = found.get_ptr<const std::string*>();
  if (read != nullptr && !read->empty() && read->size() <= most_bytes && printable(*read) == *read)
    return *read;
  complain(name, "must be a text of 1 to " + std::to_string(most_bytes) +
                     " bytes without control characters or marks of direction");
  return {};
}

const json& ObjectReader::list(const char* name, std::size_t most_items) {
  const json& found = value(name);
  if (found.is_array() && found.size() <= most_items) return found;
  complain(name, "must be a list of at most " + std::to_string(most_items));
  return emptyList();
}

void ObjectReader::refuseOthers() {
  if (!object_.is_object()) return;
  for (const auto& [key, unused] : object_.items()) {
    if (!asked_.contains(key)) complain(key.substr(0, 64), "is not a field of a profile");
  }
}

}  // namespace sumac::internal
