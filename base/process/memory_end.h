#pragma once

#include <filesystem>
#include <string_view>

namespace sumac {

/// Sets what endWithoutMemory() says from now on: `reason`, in `termination_file` too (empty: in
/// none). Of the main thread alone; the others may end meanwhile.
void prepareMemoryEnd(std::string_view reason, const std::filesystem::path& termination_file);

/// Ends the process with kResourceFailed, without another allocation: its reason is prepared, and
/// goes to standard error and the termination file. Safe from any thread and signal handler.
[[noreturn]] void endWithoutMemory();

/// Makes abort() end the process so where memory could not be had: ZeroMQ aborts then. An abort for
/// another reason, and a SIGABRT from outside, end it by that signal as ever. Call it once.
void catchAbortsForMemory();

}  // namespace sumac
