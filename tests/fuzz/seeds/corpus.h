#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/bytes.h"
#include "tests/fuzz/harness/files.h"

namespace sumac::fuzz {

inline Bytes bytesOf(std::string_view text) {
  const BytesView view = asBytes(text);
  return {view.begin(), view.end()};
}

inline Bytes concatenated(std::initializer_list<BytesView> parts) {
  Bytes all;
  for (const BytesView part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

inline Bytes firstOf(const Bytes& bytes, std::size_t count) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// The folder of the inputs.
class Corpus {
 public:
  explicit Corpus(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& name, BytesView content) const {
    std::filesystem::create_directories(folder_ / target);
    writeFile(folder_ / target / name, content);
  }
  void add(const std::string& target, const std::string& name, const std::string& text) const {
    add(target, name, asBytes(text));
  }

 private:
  std::filesystem::path folder_;
};

// What our own encoders make, by subject.
void addMessages(const Corpus& corpus);
void addData(const Corpus& corpus);
void addCheckpoints(const Corpus& corpus);
void addTexts(const Corpus& corpus);

}  // namespace sumac::fuzz
