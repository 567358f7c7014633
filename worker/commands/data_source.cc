#include "worker/commands/data_source.h"

#include <array>

namespace sumac::worker {

std::vector<std::string> namesOfFormats() {
  using enum job::DataFormat;
  std::vector<std::string> names;
  for (const job::DataFormat format :
       std::array{kIdx, kCifar10, kCifar100, kFolder, kCsv, kNpy, kPacked, kText})
    names.emplace_back(job::toString(format));
  return names;
}

void addHowToRead(CLI::App& command, DataSource& source) {
  constexpr int kMostSide = 65'535;
  command.add_option("--label", source.label, "Column with the class, of csv [label]")
      ->type_name("COLUMN");
  command.add_option("--resize", source.resize, "Size that pictures of folder get, as data.resize")
      ->delimiter('x')
      ->expected(2)
      ->type_name("HxW")
      ->check(CLI::Range(1, kMostSide));
  command.add_option("--channels", source.channels, "1 makes pictures of folder gray, 3 colored")
      ->check(CLI::IsMember({1, 3}));
}

Result<job::DataSpec> dataSpecOf(const DataSource& source) {
  const bool are_pictures = source.channels > 0 || !source.resize.empty();
  if (are_pictures && source.format != "folder")
    return Error{ErrorCode::kInvalid, "--resize and --channels are for --format folder"};
  job::DataSpec data;
  data.format = job::dataFormatNamed(source.format);
  data.path = source.path;
  if (data.format == job::DataFormat::kCsv)
    data.label = source.label.empty() ? "label" : source.label;
  data.channels = source.channels;
  if (!source.resize.empty()) data.resize = {.height = source.resize[0], .width = source.resize[1]};
  return data;
}

}  // namespace sumac::worker
