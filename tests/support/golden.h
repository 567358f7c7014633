#pragma once

#include <string>
#include <string_view>

namespace sumac::test {

/// Compares a whole output with the file tests/golden/output/`name`, where `name` begins with the
/// folder of what is tested. Review reads these files: whoever improves a sentence rewrites it by
/// `make goldens`, and changes no test. Fails the test case with the first line that differs. The
/// text must be the same on every machine: the caller replaces paths, times and versions. With
/// SUMAC_UPDATE_GOLDENS=1 in the environment it writes the file instead.
void checkGolden(std::string_view name, std::string_view text);

/// `text` with `name` in place of each `part`, a folder or an address that differs between
/// machines.
std::string replaced(std::string text, std::string_view part, std::string_view name);

/// Many short outputs in one golden file: what each case said, below its name.
class Transcript {
 public:
  void add(std::string_view name, std::string_view output);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace sumac::test
