#include "base/trace/part_writer.h"

#include <utility>

#include <pthread.h>

#include "base/trace/part_file.h"

namespace sumac::trace {

PartWriter::PartWriter(const StepRange& steps, Slot self, std::filesystem::path folder,
                       const Clock& clock, const Log& log)
    : self_(self),
      file_(partFile(folder, self)),
      log_(log),
      recorder_(steps, clock),
      thread_([this] { run(); }) {}

PartWriter::~PartWriter() {
  recorder_.finish();
}

std::unique_ptr<PartWriter> PartWriter::start(const TraceOptions& options, Slot self,
                                              const Clock& clock, const Log& log) {
  if (options.steps.empty()) return nullptr;
  const StepRange steps = stepRangeFrom(options.steps).value();
  return std::make_unique<PartWriter>(steps, self, options.folder, clock, log);
}

void PartWriter::run() {
  ::pthread_setname_np(::pthread_self(), "trace");
  recorder_.awaitFinish();
  const Recorder::Content content = recorder_.content();
  if (const auto written = writePart(file_, self_, content); !written) {
    return log_.warn("trace not written", {{"error", written.error().message}});
  }
  log_.info(
      "trace written",
      {{"file", file_.string()}, {"spans", content.spans.size()}, {"dropped", content.dropped}});
}

}  // namespace sumac::trace
