// Replays the inputs of a harness: sumac_fuzz_replay TARGET PATH...
//
// A path is a file or a folder. Prints each file before its run, so that the last one printed is
// the one that ended the process; exits 1 when a harness fails.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <string_view>
#include <vector>

#include "base/core/file.h"
#include "tests/fuzz/harness/harness.h"

namespace {

namespace fs = std::filesystem;
using Harness = void (*)(sumac::BytesView);

constexpr std::uint64_t kMaxInput = std::uint64_t{1} << 22U;

const std::map<std::string_view, Harness>& harnesses() {
  static const std::map<std::string_view, Harness> kAll = {
      {"calls", sumac::fuzz::calls},
      {"cifar10", sumac::fuzz::cifar10},
      {"csv", sumac::fuzz::csv},
      {"header", sumac::fuzz::header},
      {"idx", sumac::fuzz::idx},
      {"images", sumac::fuzz::images},
      {"job", sumac::fuzz::job},
      {"joinRequest", sumac::fuzz::joinRequest},
      {"keys", sumac::fuzz::keys},
      {"kube", sumac::fuzz::kube},
      {"lane", sumac::fuzz::lane},
      {"manifest", sumac::fuzz::manifest},
      {"model", sumac::fuzz::model},
      {"npy", sumac::fuzz::npy},
      {"pictures", sumac::fuzz::pictures},
      {"programState", sumac::fuzz::programState},
      {"progress", sumac::fuzz::progress},
      {"roster", sumac::fuzz::roster},
      {"safetensors", sumac::fuzz::safetensors},
      {"session", sumac::fuzz::session},
      {"text", sumac::fuzz::text},
      {"yaml", sumac::fuzz::yaml},
  };
  return kAll;
}

std::vector<fs::path> filesAt(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Whether the harness takes the file.
bool replay(Harness harness, const fs::path& path) {
  std::cout << path.string() << std::endl;
  const auto input = sumac::readFile(path, kMaxInput);
  if (!input) {
    std::cout << "  " << input.error().message << "\n";
    return false;
  }
  try {
    harness(*input);
    return true;
  } catch (const std::exception& failure) {
    std::cout << "  failed: " << failure.what() << "\n";
    return false;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> words(arguments + 1, arguments + count);
  const auto harness = words.empty() ? harnesses().end() : harnesses().find(words[0]);
  if (harness == harnesses().end() || words.size() < 2) {
    std::cerr << "usage: sumac_fuzz_replay TARGET PATH...\ntargets:";
    for (const auto& [name, function] : harnesses())
      std::cerr << " " << name;
    std::cerr << "\n";
    return 2;
  }
  std::size_t run = 0;
  std::size_t failed = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    for (const fs::path& path : filesAt(words[i])) {
      failed += replay(harness->second, path) ? 0U : 1U;
      ++run;
    }
  }
  std::cout << words[0] << ": " << run << " inputs, " << failed << " failed\n";
  return run == 0 || failed > 0 ? 1 : 0;
}
