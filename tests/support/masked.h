#pragma once

#include <string>
#include <string_view>

namespace sumac::test {

/// `text` with `with` in place of every `what`, which must not be empty: golden files have no
/// folders, ports or counts of one run.
inline std::string masked(std::string text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

}  // namespace sumac::test
