#include "common/progress/output_folder.h"

#include <string>
#include <system_error>
#include <utility>

#include "common/base/file.h"
#include "common/progress/curve_svg.h"

namespace sumac {
namespace {

Error cannotWrite(const std::filesystem::path& path) {
  return {ErrorCode::kUnavailable, "cannot write " + path.string()};
}

/// Whether the file ends within a line: its writer was killed, or the disk was full.
bool endsWithinLine(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() == std::streampos(0)) return false;
  in.seekg(-1, std::ios::end);
  return in.get() != '\n';
}

}  // namespace

Result<void> OutputFolder::writeResult(const JobResult& result) const {
  const std::string svg = curveSvg(readCurve(metrics(), result.setting.job));
  if (auto written = replaceFile(curve(), asBytes(svg)); !written) return written;
  return replaceFile(this->result(), asBytes(toFile(result)));
}

void OutputFolder::removeResult() const {
  std::error_code ignored;
  std::filesystem::remove(result(), ignored);
}

Result<MetricsFile> MetricsFile::open(const OutputFolder& folder, bool from_the_beginning) {
  const std::filesystem::path path = folder.metrics();
  const bool is_cut = !from_the_beginning && endsWithinLine(path);
  std::ofstream file(path, from_the_beginning ? std::ios::trunc : std::ios::app);
  if (is_cut) file << '\n' << std::flush;
  if (!file) return cannotWrite(path);
  return MetricsFile(path, std::move(file));
}

Result<void> MetricsFile::append(std::string_view line) {
  file_.clear();
  file_ << line << '\n' << std::flush;
  return file_ ? Result<void>() : cannotWrite(path_);
}

}  // namespace sumac
