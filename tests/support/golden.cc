#include "tests/support/golden.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <boost/test/unit_test.hpp>

namespace sumac::test {
namespace {

std::optional<std::string> contentOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

bool isUpdating() {
  const char* const value = std::getenv("SUMAC_UPDATE_GOLDENS");
  return value != nullptr && std::string_view(value) == "1";
}

void write(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  BOOST_REQUIRE_MESSAGE(file.flush(), "cannot write " << path);
}

/// The line of `text` that has its byte `position`.
std::string_view lineAt(std::string_view text, std::size_t position) {
  const std::size_t before = position == 0 ? text.npos : text.rfind('\n', position - 1);
  const std::size_t begin = before == text.npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string differenceOf(std::string_view expected, std::string_view found) {
  const auto [one, other] =
      std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
  const auto position = static_cast<std::size_t>(one - expected.begin());
  return "line " + std::to_string(std::count(expected.begin(), one, '\n') + 1) +
         "\n  expected: " + std::string(lineAt(expected, position)) + "\n  found:    " +
         std::string(lineAt(found, static_cast<std::size_t>(other - found.begin())));
}

}  // namespace

void checkGolden(std::string_view name, std::string_view text) {
  const std::filesystem::path path = std::filesystem::path(SUMAC_GOLDEN_OUTPUT) / name;
  const auto expected = contentOf(path);
  if (expected == text) return;
  if (isUpdating()) return write(path, text);
  BOOST_ERROR("tests/golden/output/" << name << " differs from the output: "
                                     << (expected ? differenceOf(*expected, text) : "no such file")
                                     << "\n`make goldens` rewrites it; then read the difference");
}

std::string replaced(std::string text, std::string_view part, std::string_view name) {
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + name.size()))
    text.replace(at, part.size(), name);
  return text;
}

void Transcript::add(std::string_view name, std::string_view output) {
  text_.append("== ").append(name).append("\n").append(output);
  if (text_.back() != '\n') text_ += '\n';
}

}  // namespace sumac::test
