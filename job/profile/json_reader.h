#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/core/result.h"

namespace sumac::internal {

/// A JSON document of at most `most_bytes`, without duplicate keys, and not nested deeper than
/// `most_levels`. Fails with kInvalid; the message says which.
Result<nlohmann::json> parseStrictly(std::string_view text, std::size_t most_bytes,
                                     int most_levels);

/// Reads the fields of one object of a document, each of which has to be there, of its type and in
/// its range. The first thing that is wrong goes to `problem`, with the path of its field; values
/// are 0 or empty from then on.
class ObjectReader {
 public:
  /// `object` and `problem` outlive us; anything but an object is a problem.
  ObjectReader(const nlohmann::json& object, std::string path, std::string& problem);

  double number(const char* name, double most, double least = 0);
  std::int64_t whole(const char* name, std::int64_t least, std::int64_t most);
  std::string text(const char* name, std::size_t most_bytes);  // not empty
  /// An array, or an empty one.
  const nlohmann::json& list(const char* name, std::size_t most_items);
  /// Anything, or null. The reader of an inner object says what is wrong with it.
  const nlohmann::json& value(const char* name);
  bool has(const char* name) const;

  /// The path of a field, for messages: "batches[2].forwardSeconds".
  std::string pathOf(std::string_view name) const;
  /// Fields that nobody asked for are a problem. Called last.
  void refuseOthers();

  /// Notes a problem, unless there is one already.
  void complain(std::string_view name, const std::string& what);

 private:
  const nlohmann::json& object_;
  std::string path_;
  std::string& problem_;
  std::set<std::string> asked_;
};

}  // namespace sumac::internal
