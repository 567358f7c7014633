#pragma once

#include <iosfwd>
#include <string>

#include "base/report/text.h"
#include "cli/models/worker_memory.h"

namespace sumac::cli {

/// The options of `sumac models`.
struct ModelsOptions {
  std::string model;   // of the zoo, or a job document's file; for `show`
  int vocabulary = 0;  // of text networks, in place of the model's own; 0: not given
  int unroll = 0;
  bool json = false;
  report::TextStyle style{};  // of tables
  AskMemory ask_memory;       // for `show`; none: says nothing about memory
};

/// `sumac models`: the networks of the zoo. Returns an ExitCode: kDone, or kUsage where the options
/// make a network impossible.
int models(const ModelsOptions& options, std::ostream& out, std::ostream& err);

/// Whether the name is that of a trained model: a file *.safetensors, or a folder.
bool isTrainedModel(const std::string& name);

/// `sumac models show NAME|FILE`: a network layer by layer. Returns kDone, kUsage for an unknown
/// name, or kBadConfiguration for a document with problems.
int showModel(const ModelsOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::cli
