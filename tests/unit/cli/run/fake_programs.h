#pragma once

#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace sumac::cli {

/// A folder with shell scripts in place of sumac-server and sumac-worker, and an output folder.
///
/// In both scripts $index is the member's index. The server's must print its endpoint on
/// descriptor 3 itself.
class FakePrograms {
 public:
  FakePrograms(const std::string& server, const std::string& worker) {
    std::filesystem::create_directory(output());
    write("sumac-server", server);
    write("sumac-worker", worker);
  }

  std::filesystem::path programs() const { return folder_.path(); }
  std::filesystem::path output() const { return folder_ / "output"; }

 private:
  void write(const std::string& name, const std::string& script) {
    const auto path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\nindex=$4\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  TemporaryFolder folder_;
};

/// Ends only when it is killed.
inline const std::string kForever = "exec sleep 1000";
inline const std::string kListen = "echo tcp://127.0.0.1:7 >&3";

}  // namespace sumac::cli
