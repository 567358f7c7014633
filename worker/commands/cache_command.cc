#include "worker/commands/cache_command.h"

#include <istream>
#include <iterator>
#include <ostream>
#include <string>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/core/units.h"
#include "base/process/process_end.h"
#include "base/process/usage.h"
#include "engine/nn/processors.h"
#include "engine/packing/data_cache.h"
#include "job/document/job.h"
#include "job/document/network_of.h"
#include "worker/commands/pack_progress.h"

namespace sumac::worker {
namespace {

struct CacheCommandOptions {
  std::uint64_t max_bytes = kMaxDecodedBytes;
};

Result<std::filesystem::path> packed(const job::DataSpec& data, std::uint64_t max_bytes,
                                     std::ostream& err) {
  PackProgress progress(err, ::isatty(STDERR_FILENO) != 0);
  const auto begin = [&](const std::filesystem::path& file, std::uint64_t bytes) {
    err << "packing " << data.path << " once, since its pictures take " << bytesText(bytes)
        << ", into " << file.string() << std::endl;
  };
  const auto pack = packIntoCache(
      data,
      {.folder = cacheFolder(),
       .threads = automaticThreads(usableProcessors(), /*workers=*/1),
       .max_bytes = max_bytes,
       .on_begin = begin,
       .on_progress = [&](std::uint64_t done, std::uint64_t all) { progress.show(done, all); }});
  progress.end();
  if (!pack) return pack.error();
  if (!pack->warning.empty()) err << "warning: " << pack->warning << '\n';
  return pack->file;
}

Result<std::filesystem::path> packedOfJob(const CacheCommandOptions& options, std::istream& in,
                                          std::ostream& err) {
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const job::Reading reading = job::readJob(text, "<stdin>", {}, false);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  if (const auto network = job::networkSpecOf(*reading.job); !network) return network.error();
  return packed(reading.job->data, options.max_bytes, err);
}

}  // namespace

Result<std::filesystem::path> packedInCache(const job::DataSpec& data, std::ostream& err) {
  return packed(data, kMaxDecodedBytes, err);
}

ExitCode cacheCommand(int argc, char** argv, std::istream& in, std::ostream& out,
                      std::ostream& err) {
  CacheCommandOptions options;
  CLI::App app("Packs the data of the TrainingJob on standard input that take too much memory.",
               "sumac-worker cache");
  app.add_option("--max-bytes", options.max_bytes, "What takes no more is not packed")
      ->type_name("BYTES")
      ->capture_default_str();
  if (const auto end = parseOrEnd(app, argc, argv, out, err)) return *end;
  ProcessEnd end;
  const auto failure = endOfException([&] {
    const auto file = packedOfJob(options, in, err);
    if (!file) end = endOf(file.error(), ExitCode::kBadConfiguration);
    if (file && !file->empty()) out << file->string() << '\n';
  });
  if (failure) end = *failure;
  if (end.code != ExitCode::kDone) err << "error: " << end.reason << '\n';
  return end.code;
}

}  // namespace sumac::worker
