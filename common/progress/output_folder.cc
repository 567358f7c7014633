#include "common/progress/output_folder.h"

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/progress/curve_svg.h"
#include "common/progress/job_event.h"

namespace sumac {
namespace {

/// Right after a stream of the path failed: it leaves the system's number, where there is one.
Error cannotWrite(const std::filesystem::path& path) {
  const std::error_code failure(errno, std::generic_category());
  return {failure ? errorCodeOf(failure) : ErrorCode::kUnavailable,
          "cannot write " + path.string() + (failure ? ": " + failure.message() : "")};
}

/// Whether the file ends within a line: its writer was killed, or the disk was full.
bool endsWithinLine(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() == std::streampos(0)) return false;
  in.seekg(-1, std::ios::end);
  return in.get() != '\n';
}

Result<nlohmann::json> jsonIn(const std::filesystem::path& path) {
  constexpr std::uint64_t kMostBytes = 1'000'000;  // times of 256 workers need 50,000
  const auto text = readTextFile(path, kMostBytes);
  if (!text) return text.error();
  return nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
}

bool isEnd(const std::string& line) {
  const auto event = jobEventFromLine(line);
  return event && std::holds_alternative<Ended>(*event);
}

/// Removes the last line if it says an end: nothing was done since.
void dropEnd(const std::filesystem::path& metrics) {
  std::ifstream in(metrics, std::ios::binary);
  std::uintmax_t begin = 0;  // of the last line
  std::uintmax_t next = 0;
  std::string last;
  for (std::string line; std::getline(in, line); last = std::move(line)) {
    begin = next;
    next += line.size() + 1;
  }
  std::error_code ignored;
  if (isEnd(last)) std::filesystem::resize_file(metrics, begin, ignored);
}

Result<void> appendEnd(const OutputFolder& folder, const JobEnd& end) {
  dropEnd(folder.metrics());
  auto metrics = MetricsFile::open(folder, /*from_the_beginning=*/false);
  return metrics ? metrics->append(toLine(end)) : metrics.error();
}

}  // namespace

Result<void> OutputFolder::writeCurve(const std::string& title) const {
  return replaceFile(curve(), asBytes(curveSvg(readCurve(metrics(), title))));
}

Result<void> OutputFolder::writeResult(const JobResult& result) const {
  if (auto written = writeCurve(result.setting.job); !written) return written;
  return replaceFile(this->result(), asBytes(toFile(result)));
}

Result<void> OutputFolder::writeEnd(const JobEnd& end) const {
  const Result<void> all[] = {appendEnd(*this, end), writeCurve(end.job),
                              replaceFile(result(), asBytes(toFile(end)))};
  for (const auto& written : all) {
    if (!written) return written;
  }
  return {};
}

void OutputFolder::removeResult() const {
  std::error_code ignored;
  std::filesystem::remove(result(), ignored);
}

Result<JobResult> OutputFolder::readResult() const {
  const auto json = jsonIn(result());
  return json ? jobResultFromJson(*json) : json.error();
}

Step OutputFolder::lastStep() const {
  const auto json = jsonIn(result());
  if (!json || !json->is_object()) return 0;
  const auto step = json->find("step");
  return step != json->end() && step->is_number_integer() ? step->get<Step>() : 0;
}

bool OutputFolder::hasTrained() const {
  std::ifstream in(metrics(), std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    const auto event = jobEventFromLine(line);
    const auto* const end = event ? std::get_if<Ended>(&*event) : nullptr;
    if (end == nullptr || end->step > 0) return true;
  }
  return false;
}

Result<std::filesystem::path> OutputFolder::setMetricsAside() const {
  std::error_code error;
  if (!std::filesystem::exists(metrics(), error)) return std::filesystem::path();
  std::filesystem::path aside;
  for (int number = 1; aside.empty() || std::filesystem::exists(aside, error); ++number)
    aside = path_ / ("metrics-" + std::to_string(number) + ".jsonl");
  std::filesystem::rename(metrics(), aside, error);
  if (!error) return aside;
  return Error{ErrorCode::kUnavailable,
               "cannot rename " + metrics().string() + ": " + error.message()};
}

Result<MetricsFile> MetricsFile::open(const OutputFolder& folder, bool from_the_beginning) {
  const std::filesystem::path path = folder.metrics();
  const bool is_cut = !from_the_beginning && endsWithinLine(path);
  errno = 0;
  std::ofstream file(path, from_the_beginning ? std::ios::trunc : std::ios::app);
  if (is_cut) file << '\n' << std::flush;
  if (!file) return cannotWrite(path);
  return MetricsFile(path, std::move(file));
}

Result<void> MetricsFile::append(std::string_view line) {
  file_.clear();
  errno = 0;
  file_ << line << '\n' << std::flush;
  return file_ ? Result<void>() : cannotWrite(path_);
}

}  // namespace sumac
