#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/result.h"
#include "cli/cluster/code_map.h"

namespace sumac::cli {

/// A document that was read and checked as `sumac validate` does, ready to be sent.
struct Submission {
  nlohmann::json object;
  std::string name;
  std::string name_space;  // empty: the document names none
  std::vector<std::string> warnings;
  bool names_code = false;             // the document has spec.program.code already
  std::optional<std::string> image{};  // of the program; none: the job has no program
  std::optional<JobCode> code{};       // once addCode() has read it
};

/// Warnings include what the job loses with its pods. Fails with all problems in one message.
Result<Submission> readSubmission(const std::string& text, const std::string& file,
                                  const std::vector<std::string>& sets);

/// Reads the sources below `folder`, and says in the document which they are; says on `err` which
/// those are and what was left out. An empty folder stands for none. Fails where the document and
/// the folder do not go together, and as readCodeFolder() does.
Result<void> addCode(const std::string& folder, Submission& submission, std::ostream& err);

}  // namespace sumac::cli
