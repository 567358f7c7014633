#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/core/installation.h"
#include "base/core/result.h"
#include "job/document/training_job.h"

namespace sumac::cli {

/// The program of a job, as each of its workers is started: in the folder that we were started in,
/// with our environment and these variables.
struct UserProgram {
  std::filesystem::path file;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> variables;
};

/// Variables of our environment that decide how a program is found and what it loads, empty where
/// they are not set, and the current folder.
struct ProgramSurroundings {
  std::string path;         // PATH
  std::string library;      // SUMAC_LIBRARY
  std::string python_path;  // PYTHONPATH
  std::filesystem::path folder;
  Installation installation;
};

/// Those of this process. Fails where it cannot tell where Sumac is installed.
Result<ProgramSurroundings> ourSurroundings();

/// Finds the program of a job: a name with a slash as it stands, another one in PATH. Its variables
/// have the number of threads, where numerical libraries read it, the folder with the sources that
/// the job brings along, and the places of Sumac's library and Python package, as far as they lie
/// beside us. Fails with kNotFound where there is no such program, and with kInvalid where it may
/// not be executed or the folder's sources are not the job's, with what to do about it.
Result<UserProgram> findUserProgram(const job::ProgramSpec& spec,
                                    const ProgramSurroundings& surroundings);

}  // namespace sumac::cli
