#pragma once

#include <iosfwd>
#include <string>

namespace sumac::cli {

/// The options of `sumac export`.
struct ExportOptions {
  std::string model;   // the file that training left
  std::string output;  // empty: beside the model, with .onnx at its end
};

/// `sumac export MODEL`: writes the model in the format ONNX. Returns an ExitCode: kDone, kUsage
/// where the output is the model itself, or kFailed: the model is damaged or does not say which
/// network it is of, or the output cannot be written.
int exportModel(const ExportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::cli
