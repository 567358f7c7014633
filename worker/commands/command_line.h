#pragma once

#include <functional>
#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>

#include "base/core/complain.h"
#include "base/core/result.h"
#include "base/process/help_format.h"
#include "base/process/model_options.h"
#include "base/process/process_end.h"
#include "base/process/usage.h"

namespace sumac::worker {

/// Reads the options of a command and runs it; its error, an exception included, goes to `err`. A
/// failure that may work later ends with kResourceFailed, others with kBadConfiguration.
template <typename Options>
ExitCode runModelCommand(CLI::App& app, int argc, char** argv, std::ostream& out, std::ostream& err,
                         const std::function<Result<void>(const Options&)>& command) {
  Options options;
  app.formatter(std::make_shared<HelpFormat>());
  addOptions(app, options);
  if (const auto end = parseOrEnd(app, argc, argv, out, err)) return *end;
  ProcessEnd end;
  const auto failure = endOfException([&] {
    const auto done = command(options);
    if (!done) end = endOf(done.error(), ExitCode::kBadConfiguration);
  });
  if (failure) end = *failure;
  return end.code == ExitCode::kDone ? end.code : complain(err, end.reason, end.code);
}

}  // namespace sumac::worker
