#pragma once

#include <string_view>

namespace sumac::job {

/// A pattern in two forms: the regular expression of the CRD, and the same test in C++ (std::regex
/// is slow and recursive).
struct Pattern {
  std::string_view expression;
  bool (*matches)(std::string_view text) = nullptr;
  // For messages, where the expression says little.
  std::string_view example = {};
  std::string_view words = {};  // what it is: "a time in s, m or h"
};

/// How decimals are written: "0.1", "-3", "1e-8".
extern const Pattern kDecimalPattern;
constexpr int kDecimalMaxLength = 32;

/// A relative path whose names begin with a letter, digit or underscore: no "..".
extern const Pattern kFolderPattern;

/// A SHA-256: 64 lower-case hexadecimal digits.
extern const Pattern kSha256Pattern;

/// Names of jobs, such that the names of their pods are DNS labels.
extern const Pattern kJobNamePattern;

}  // namespace sumac::job
