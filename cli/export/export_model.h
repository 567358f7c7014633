#pragma once

#include <iosfwd>
#include <string>

namespace sumac::cli {

/// The options of `sumac export`.
struct ExportOptions {
  std::string model;    // the file that training left
  std::string network;  // of the zoo, or a TrainingJob's file; empty: job.yaml beside the model
  std::string output;   // empty: beside the model, with .onnx at its end
};

/// `sumac export MODEL`: writes the model in the format ONNX. Returns an ExitCode: kDone, kUsage
/// where a file cannot be read or the options contradict it, kBadConfiguration for a document with
/// problems, or kFailed: the model is damaged or of another network, or cannot be written.
int exportModel(const ExportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::cli
