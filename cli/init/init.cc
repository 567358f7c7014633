#include "cli/init/init.h"

#include <ostream>

#include "base/core/bytes.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "cli/init/findings.h"
#include "cli/init/manifest.h"
#include "cli/init/proposal.h"
#include "job/document/job.h"

namespace sumac::cli {
namespace {

constexpr const char* kBundled = "fashion-mnist-mini";

int fail(ExitCode code, const std::string& message, std::ostream& err) {
  err << "error: " << message << "\n";
  return toInt(code);
}

std::string inUse(const std::string& file) {
  return file + " exists, and is not overwritten; name another file: sumac init ... other.yaml";
}

}  // namespace

int init(const InitOptions& options, std::ostream& out, std::ostream& err) {
  const bool is_printed = options.file == "-";
  const auto is_there = is_printed ? Result<bool>(false) : isThere(options.file);
  if (!is_there) return fail(ExitCode::kFailed, is_there.error().message, err);
  if (*is_there) return fail(ExitCode::kUsage, inUse(options.file), err);
  const auto found =
      options.data.empty() ? findBundled(kBundled) : findData(options.data, options.label);
  if (!found) return fail(ExitCode::kBadConfiguration, found.error().message, err);
  const std::string file = is_printed ? "job.yaml" : options.file;
  const std::string text = manifestOf(*found, proposalFor(*found), file);
  const auto reading = job::readJob(text, file, {}, /*needs_to_run=*/true);
  if (!reading.job)
    return fail(ExitCode::kBadConfiguration, job::problemList(reading.problems), err);
  if (is_printed) {
    out << text;
  } else if (const auto written = createFile(file, asBytes(text)); !written) {
    const bool is_taken = written.error().code == ErrorCode::kConflict;
    return fail(is_taken ? ExitCode::kUsage : ExitCode::kFailed, written.error().message, err);
  }
  if (!found->warning.empty()) err << "warning: " << found->warning << "\n";
  std::ostream& said = is_printed ? err : out;
  said << "found   " << describe(*found) << "\n";
  if (!is_printed) said << "wrote   " << file << "\nnext    sumac run " << file << "\n";
  return toInt(ExitCode::kDone);
}

}  // namespace sumac::cli
