#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace sumac {

/// The type of an option of CLI11, with its checks after colons, in words: "N (20 to 1000000)".
std::string typeText(const std::string& full);

/// Prints the options of a --help text in words: "--steps N (20 to 1000000)", "--output DIR (not
/// with --resume)", where CLI11 prints its own notes, and in lines of 100 columns, wherever the
/// descriptions have theirs. An app gives its formatter to the commands that are added to it later.
class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace sumac
