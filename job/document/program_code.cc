#include "job/document/program_code.h"

#include <algorithm>
#include <utility>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "base/core/sha256.h"
#include "job/document/pattern.h"

namespace sumac::job {
namespace {

std::string asFolder(const std::string& path) {
  return path + "/";
}

}  // namespace

bool isCodePath(std::string_view path) {
  return path.size() <= static_cast<std::size_t>(kMostCodePath) && kFolderPattern.matches(path);
}

std::string codeFilesProblem(std::vector<std::string> files) {
  // With a slash at its end a folder sorts directly before what it has.
  std::ranges::sort(files, {}, asFolder);
  for (std::size_t i = 1; i < files.size(); ++i) {
    const std::string& before = files[i - 1];
    if (files[i] == before) return before + " stands there twice";
    if (files[i].starts_with(asFolder(before)))
      return before + " is a file, and the folder of " + files[i];
  }
  return {};
}

std::string codeHash(const CodeFiles& files) {
  std::string lines;
  for (const auto& [path, content] : files)
    lines += sha256Hex(asBytes(content)) + "  " + path + "\n";
  return sha256Hex(asBytes(lines));
}

Result<void> checkCode(const CodeSpec& code, const std::filesystem::path& folder) {
  CodeFiles files;
  std::uint64_t left = kMostCodeBytes;
  const auto isOther = [&folder](const std::string& what) {
    return Error{ErrorCode::kInvalid, "the sources in " + folder.string() +
                                          " are not those of spec.program.code: " + what};
  };
  for (const std::string& path : code.files) {
    auto content = readTextFile(folder / path, left);
    if (!content) {
      const ErrorCode failure = content.error().code;
      if (failure == ErrorCode::kUnavailable) return content.error().within("spec.program.code");
      return isOther(failure == ErrorCode::kNotFound ? path + " is missing"
                                                     : content.error().message);
    }
    left -= content->size();
    files[path] = *std::move(content);
  }
  const std::string found = codeHash(files);
  if (found == code.sha256) return {};
  return isOther("their SHA-256 is " + found + ", that of the job's is " + code.sha256);
}

}  // namespace sumac::job
