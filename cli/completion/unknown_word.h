#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Why a command line that `app` could not parse is wrong, if the cause is a word that its command
/// does not know: "unknown command `trian`; did you mean `train`?". Empty for other errors. Call it
/// after a CLI::ParseError of `app`.
///
/// `words` is the command line. An option with the name of a job's field is answered with --set:
/// "unknown option `--epochs`: write --set training.epochs=3".
std::string unknownWord(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace sumac::cli
