#include "job/progress/output_folder.h"

#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "job/progress/curve_svg.h"
#include "job/progress/job_event.h"

namespace sumac {
namespace {

Error cannotWrite(const std::filesystem::path& path, const std::error_code& failure) {
  return {errorCodeOf(failure), "cannot write " + path.string() + ": " + failure.message()};
}

/// Removes a last line that was cut short: its writer was killed, or the disk was full.
Result<void> dropCutLine(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::uintmax_t whole = 0;
  bool is_cut = false;
  for (std::string line; std::getline(in, line);) {
    is_cut = in.eof();
    if (!is_cut) whole += line.size() + 1;
  }
  std::error_code failure;
  if (is_cut) std::filesystem::resize_file(path, whole, failure);
  return failure ? cannotWrite(path, failure) : Result<void>();
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

/// Whether a folder of `owner` is of `job`: each NAMESPACE/NAME or a name alone.
bool isOwner(std::string_view owner, std::string_view job) {
  const auto slashOf = [](std::string_view text) { return text.find('/'); };
  if (slashOf(owner) != owner.npos && slashOf(job) != job.npos) return owner == job;
  const auto nameOf = [&](std::string_view text) { return text.substr(slashOf(text) + 1); };
  return nameOf(owner) == nameOf(job);  // of a name alone npos + 1, its beginning
}

}  // namespace

Result<void> OutputFolder::claim(const std::string& job) const {
  constexpr std::uint64_t kMostBytes = 1000;
  const auto owner = path_ / ".job";
  const std::string line = job + "\n";
  const auto claimed = createFile(owner, asBytes(line));
  if (claimed || claimed.error().code != ErrorCode::kConflict) return {};
  const auto text = readTextFile(owner, kMostBytes);
  if (!text || *text == line) return {};
  const bool is_cut = !text->ends_with('\n');  // as on a full disk
  const std::string known = text->substr(0, text->find('\n'));
  if (!is_cut && !isOwner(known, job)) {
    return Error{ErrorCode::kConflict, "the output folder " + path_.string() + " is of job " +
                                           known + ", this is job " + job +
                                           "; give this job one of its own in spec.output.path or "
                                           "spec.output.volume.subPath, or remove " +
                                           owner.string() + " if its files may be overwritten"};
  }
  // What says more stays: the next attempt may be told our namespace again.
  if (is_cut || line.size() > text->size()) (void)replaceFile(owner, asBytes(line));
  return {};
}

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

Result<void> OutputFolder::cutMetrics(Step last) const {
  std::ifstream in(metrics(), std::ios::binary);
  std::string kept;
  bool is_cut = false;
  for (std::string line; std::getline(in, line);) {
    const auto event = jobEventFromLine(line);
    if (event && stepOf(*event) > last) {
      is_cut = true;
    } else {
      kept += line + (in.eof() ? "" : "\n");
    }
  }
  return is_cut ? replaceFile(metrics(), asBytes(kept)) : Result<void>();
}

Result<std::filesystem::path> OutputFolder::setMetricsAside() const {
  std::error_code error;
  if (!std::filesystem::exists(metrics(), error)) return std::filesystem::path();
  std::filesystem::path aside;
  for (int number = 1; aside.empty() || std::filesystem::exists(aside, error); ++number)
    aside = path_ / ("metrics-" + std::to_string(number) + ".jsonl");
  std::filesystem::rename(metrics(), aside, error);
  if (!error) return aside;
  return Error{errorCodeOf(error), "cannot rename " + metrics().string() + ": " + error.message()};
}

Result<MetricsFile> MetricsFile::open(const OutputFolder& folder, bool from_the_beginning) {
  const std::filesystem::path path = folder.metrics();
  const auto whole = from_the_beginning ? Result<void>() : dropCutLine(path);
  if (!whole) return whole.error();
  auto file = AppendedFile::open(
      path, from_the_beginning ? AppendedFile::Beginning::kEmpty : AppendedFile::Beginning::kKept);
  if (!file) return file.error();
  return MetricsFile(*std::move(file));
}

Result<void> MetricsFile::append(std::string_view line) {
  text_.assign(line);  // steps do not allocate
  text_ += '\n';
  return file_.append(asBytes(text_));
}

}  // namespace sumac
