#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "engine/data/class_folder.h"
#include "job/document/training_job.h"
#include "job/model/network.h"

namespace sumac::cli {

/// What is in a folder of data, as far as a first job depends on it.
struct Findings {
  std::string folder;                                 // its name alone, or the bundled data set's
  std::string data_set;                               // bundled; empty: files
  job::DataFormat format = job::DataFormat::kFolder;  // of the files
  std::string path;                                   // as the user wrote it
  model::Shape shape;                                 // of a sample; empty: pictures, or words
  std::optional<worker::PictureRange> pictures;       // of a folder of them
  std::int64_t train = 0;                             // samples
  std::int64_t test = 0;
  int classes = 0;
  std::vector<std::string> class_names;
  std::string label;       // the column of a table that has the classes
  std::int64_t words = 0;  // of a text, line ends included
  std::int64_t vocabulary = 0;
  std::string warning;  // which files are not used

  bool areWords() const { return words > 0; }
};

/// Looks for data that a job can train on in the folder `path`, or in the packed file. Of pictures
/// only the heads are read, all else is loaded as a worker loads it. `label` is the column of a
/// table that has the classes; empty: the likely one. Fails with what was looked for and what is
/// there, or with what is wrong with the data.
Result<Findings> findData(const std::string& path, const std::string& label);

/// The same of a data set that comes with Sumac.
Result<Findings> findBundled(const std::string& name);

}  // namespace sumac::cli
