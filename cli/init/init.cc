#include "cli/init/init.h"

#include <filesystem>
#include <ostream>
#include <system_error>

#include "base/core/bytes.h"
#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/process/process_end.h"
#include "cli/init/findings.h"
#include "cli/init/manifest.h"
#include "cli/init/proposal.h"
#include "job/document/job.h"

namespace sumac::cli {
namespace {

constexpr const char* kBundled = "fashion-mnist-mini";

int fail(const Error& error, ExitCode code, std::ostream& err) {
  return toInt(complain(err, error, endOf(error, code).code));
}

Error inUse(const std::string& file) {
  return {ErrorCode::kConflict, file +
                                    " exists, and is not overwritten; name another file: sumac "
                                    "init ... other.yaml"};
}

/// Writes the job, or leaves no file. Fails with kConflict if another process has made one.
Result<void> writeJob(const std::string& file, const std::string& text) {
  auto written = createFile(file, asBytes(text));
  std::error_code ignored;
  if (!written && written.error().code != ErrorCode::kConflict)
    std::filesystem::remove(file, ignored);
  return written;
}

}  // namespace

int init(const InitOptions& options, std::ostream& out, std::ostream& err) {
  const bool is_printed = options.file == "-";
  const auto is_there = is_printed ? Result<bool>(false) : isThere(options.file);
  if (!is_there) return fail(is_there.error(), ExitCode::kFailed, err);
  if (*is_there) return fail(inUse(options.file), ExitCode::kUsage, err);
  const auto found =
      options.data.empty() ? findBundled(kBundled) : findData(options.data, options.label);
  if (!found) return fail(found.error(), ExitCode::kBadConfiguration, err);
  const std::string file = is_printed ? "job.yaml" : options.file;
  const std::string text = manifestOf(*found, proposalFor(*found), file);
  const auto reading = job::readJob(text, file, {}, /*needs_to_run=*/true);
  if (!reading.job)
    return fail({ErrorCode::kInvalid, job::problemList(reading.problems)},
                ExitCode::kBadConfiguration, err);
  if (is_printed) {
    out << text;
  } else if (const auto written = writeJob(file, text); !written) {
    const bool is_taken = written.error().code == ErrorCode::kConflict;
    return fail(written.error(), is_taken ? ExitCode::kUsage : ExitCode::kFailed, err);
  }
  if (!found->warning.empty()) err << "warning: " << found->warning << "\n";
  std::ostream& said = is_printed ? err : out;
  said << "found   " << describe(*found) << "\n";
  if (!is_printed) said << "wrote   " << file << "\nnext    sumac run " << file << "\n";
  return toInt(ExitCode::kDone);
}

}  // namespace sumac::cli
