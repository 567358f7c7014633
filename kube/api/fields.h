#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "base/core/wall_time.h"

namespace sumac::api::internal {

/// Reads fields of a JSON object that came from outside. What is absent or null gives the default;
/// what has the wrong type or range gives it too, and the first such thing is written to `problem`,
/// with its path. So a whole object is read without a branch a field, and judged once at the end.
///
/// Points into the JSON and to `problem`: both outlive it.
class Fields {
 public:
  /// Of `value`, which must be an object, at `path` ("status.conditions[2]"; empty: the root).
  Fields(const nlohmann::json* value, std::string path, std::string& problem);

  /// Whether the object itself is there.
  bool isPresent() const { return value_ != nullptr; }
  bool has(const char* name) const { return find(name) != nullptr; }

  std::string text(const char* name) const;
  /// Absent or empty is wrong too.
  std::string requiredText(const char* name) const;
  std::optional<std::int64_t> integer(
      const char* name, std::int64_t least = 0,
      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// A finite number, or one as text; anything else is as if it were absent.
  std::optional<double> decimal(const char* name) const;
  int number(const char* name, int otherwise, int least = 0) const;
  bool boolean(const char* name) const;
  std::optional<WallTime> time(const char* name) const;
  /// A map of texts; of its keys only those that start with `prefix`.
  std::map<std::string, std::string> texts(const char* name, std::string_view prefix = {}) const;
  std::vector<std::string> textList(const char* name) const;
  Fields object(const char* name) const;
  std::vector<Fields> objects(const char* name) const;
  /// What `reader` makes of a field that is there.
  template <typename T>
  std::optional<T> read(const char* name, Result<T> (*reader)(const nlohmann::json&)) const {
    const nlohmann::json* found = find(name);
    if (found == nullptr) return std::nullopt;
    Result<T> value = reader(*found);
    if (value) return *std::move(value);
    refuse(pathOf(name), value.error());
    return std::nullopt;
  }

 private:
  const nlohmann::json* find(const char* name) const;
  std::string pathOf(const char* name) const;
  void refuse(const std::string& path, const nlohmann::json& found, std::string_view wanted) const;
  void refuse(const std::string& path, const Error& why) const;

  const nlohmann::json* value_;
  std::string path_;
  std::string* problem_;
};

/// A scalar as text for a message, at most 64 bytes of it; of the rest its type only.
std::string shown(const nlohmann::json& value);

}  // namespace sumac::api::internal
