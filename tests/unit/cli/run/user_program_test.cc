#include "cli/run/user_program.h"

#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "base/process/member_flags.h"
#include "job/document/program_code.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::user_program_test {
namespace {

namespace fs = std::filesystem;

/// Folders with programs, and an installation.
class Machine {
 public:
  void add(const fs::path& name, fs::perms permissions = fs::perms::owner_all) const {
    fs::create_directories((folder_.path() / name).parent_path());
    BOOST_REQUIRE(createFile(folder_.path() / name, asBytes("#!/bin/sh\n")));
    fs::permissions(folder_.path() / name, permissions);
  }
  fs::path at(const fs::path& name) const { return folder_.path() / name; }

  ProgramSurroundings surroundings() const {
    const fs::path root = at("installed");
    return {.path = at("first").string() + ":" + at("second").string(),
            .library = "",
            .python_path = "",
            .folder = folder_.path(),
            .installation = {root / "bin", root / "lib" / "sumac", root / "share" / "sumac"}};
  }
  Result<UserProgram> find(const std::vector<std::string>& command) const {
    return findUserProgram({.command = command, .threads = 3, .verify = 0, .code = {}},
                           surroundings());
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(user_program)

BOOST_AUTO_TEST_CASE(is_the_first_executable_file_of_path) {
  const Machine machine;
  machine.add("first/tool", fs::perms::owner_read);
  machine.add("second/tool");
  machine.add("second/other");
  fs::create_directories(machine.at("first/other"));
  const auto tool = machine.find({"tool", "a", "--b"});
  BOOST_TEST_REQUIRE(tool.has_value());
  BOOST_TEST(tool->file == machine.at("second/tool"));
  BOOST_TEST((tool->arguments == std::vector<std::string>{"a", "--b"}));
  BOOST_TEST(machine.find({"other"})->file == machine.at("second/other"));
}

BOOST_AUTO_TEST_CASE(with_a_slash_is_the_file_of_that_name_alone) {
  const Machine machine;
  machine.add("first/tool");
  machine.add("tool", fs::perms::owner_read);
  BOOST_TEST(machine.find({machine.at("first/tool").string()})->file == machine.at("first/tool"));
  BOOST_TEST((machine.find({"./sumac-no-such-file"}).error().code == ErrorCode::kNotFound));
  BOOST_TEST((machine.find({machine.at("tool").string()}).error().code == ErrorCode::kInvalid));
  BOOST_TEST((machine.find({machine.at("first").string()}).error().code == ErrorCode::kInvalid));
  BOOST_TEST((machine.find({"sumac-no-such-tool"}).error().code == ErrorCode::kNotFound));
}

BOOST_AUTO_TEST_CASE(computes_with_the_threads_of_the_job) {
  const Machine machine;
  machine.add("first/tool");
  const auto tool = machine.find({"tool"});
  for (const char* const name : member_flags::kThreadVariables)
    BOOST_TEST(tool->variables.at(name) == "3");
  BOOST_TEST(tool->variables.size() == member_flags::kThreadVariables.size());
}

BOOST_AUTO_TEST_CASE(has_the_sources_of_its_job_in_the_current_folder) {
  const Machine machine;
  machine.add("first/tool");
  machine.add("train.py");
  job::ProgramSpec spec{.command = {"tool"}, .threads = 1, .verify = 0, .code = {}};
  spec.code = {.sha256 = job::codeHash({{"train.py", "#!/bin/sh\n"}}), .files = {"train.py"}};
  const auto found = findUserProgram(spec, machine.surroundings());
  BOOST_TEST_REQUIRE(found.has_value());
  BOOST_TEST(found->variables.at("SUMAC_CODE") == machine.surroundings().folder.string());
  spec.code->sha256 = job::codeHash({{"train.py", "#!/bin/bash\n"}});
  BOOST_TEST((findUserProgram(spec, machine.surroundings()).error().code == ErrorCode::kInvalid));
}

BOOST_AUTO_TEST_CASE(is_told_where_our_library_and_package_are) {
  const Machine machine;
  machine.add("first/tool");
  machine.add("installed/lib/libsumac.so.1");
  machine.add("installed/share/sumac/python/sumac/__init__.py");
  const std::string package = machine.at("installed/share/sumac/python").string();
  const auto tool = machine.find({"tool"});
  BOOST_TEST(tool->variables.at("SUMAC_LIBRARY") ==
             machine.at("installed/lib/libsumac.so.1").string());
  BOOST_TEST(tool->variables.at("PYTHONPATH") == package);

  machine.add("installed/lib/sumac/libsumac.so.1");
  BOOST_TEST(machine.find({"tool"})->variables.at("SUMAC_LIBRARY") ==
             machine.at("installed/lib/sumac/libsumac.so.1").string());

  ProgramSurroundings own = machine.surroundings();
  own.library = "/mine/libsumac.so.1";
  own.python_path = "/mine";
  const auto kept =
      findUserProgram({.command = {"tool"}, .threads = 1, .verify = 0, .code = {}}, own);
  BOOST_TEST(!kept->variables.contains("SUMAC_LIBRARY"));
  BOOST_TEST(kept->variables.at("PYTHONPATH") == "/mine:" + package);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::user_program_test
