#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Why a command line that `app` could not parse is wrong, if the cause is a word that its command
/// does not know: "unknown command `trian`; did you mean `train`?". Empty for other errors. Call it
/// after a CLI::ParseError of `app`.
std::string unknownWord(const CLI::App& app);

}  // namespace sumac::cli
