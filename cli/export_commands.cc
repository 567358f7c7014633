#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/export/export_model.h"
#include "cli/fetch/fetch.h"

namespace sumac::cli {
namespace {

constexpr const char* kExportFooter = R"(
Examples:
  sumac export runs/lenet5-fashion-mini-20250131-120000/model.safetensors
  sumac export model.safetensors --format onnx -o lenet5.onnx

The model takes raw values (pixels from 0 to 255) of any number of samples and gives probabilities;
a text model takes words and its state, and gives both. docs/models.md lists inputs and outputs.
Exit codes: 0 written, 1 the model is damaged, does not name its network, or ONNX cannot hold it,
2 usage, 74 the disk is full or fails.)";

}  // namespace

void addExport(CLI::App& app, std::function<int()>& command) {
  const auto options = std::make_shared<ExportOptions>();
  auto* const save = app.add_subcommand("export", "Write a trained model in the format ONNX");
  save->add_option("MODEL", options->model, "The model.safetensors that training left")
      ->type_name("FILE")
      ->required()
      ->check(CLI::ExistingFile);
  save->add_option("--format", "The format [onnx]")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"onnx"}));
  save->add_option("-o,--output", options->output, "The file to write [MODEL's name with .onnx]")
      ->type_name("FILE")
      ->check(emptyValueError);
  save->footer(kExportFooter);
  save->callback([options, &command] {
    command = [options] { return exportModel(*options, std::cout, std::cerr); };
  });
}

}  // namespace sumac::cli
