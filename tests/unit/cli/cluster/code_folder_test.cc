#include "cli/cluster/code_folder.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::code_folder_test {
namespace {

namespace fs = std::filesystem;

struct Folder : TemporaryFolder {
  void write(const std::string& name, const std::string& content) const {
    const fs::path file = path() / "src" / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }
  void link(const std::string& name, const fs::path& target) const {
    fs::create_symlink(target, path() / "src" / name);
  }
  Result<CodeFolder> read() const {
    return readCodeFolder(path() / "src", "registry.example/mine:1");
  }
  std::string names() const {
    const auto folder = read();
    if (!folder) return folder.error().message;
    std::string names;
    for (const auto& [name, content] : folder->files)
      names += name + " ";
    return names;
  }
  /// Why it was refused, without the name of the folder.
  std::string refusal() const {
    const auto folder = read();
    BOOST_TEST_REQUIRE(!folder.has_value());
    return test::replaced(folder.error().message, (path() / "src").string(), "src");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(code_folder, Folder)

BOOST_AUTO_TEST_CASE(has_files_of_folders_with_their_bytes) {
  const std::string bytes("\x7f\x00\xff\r\n", 5);
  write("train.py", "import net\n");
  write("net/deep/a.bin", bytes);
  write("empty", "");
  BOOST_TEST(names() == "empty net/deep/a.bin train.py ");
  BOOST_TEST(read()->files.at("net/deep/a.bin") == bytes);
  BOOST_TEST(read()->skipped.empty());
}

BOOST_AUTO_TEST_CASE(says_what_it_leaves_out) {
  write("train.py", "x\n");
  write(".git/config", "secret\n");
  write(".env", "secret\n");
  write("__pycache__/train.pyc", "x");
  write("venv/pyvenv.cfg", "home = /usr\n");
  write("venv/lib/a.py", "x\n");
  write("data/big.bin", std::string(64UL * 1024 + 1, '\0'));
  write("data/small.bin", std::string(64UL * 1024, '\0'));
  write("my notes.txt", "x\n");
  link("same.py", "train.py");
  link("nowhere.py", "missing.py");
  BOOST_TEST(names() == "data/small.bin train.py ");
  const auto folder = read();
  std::string skipped;
  for (const std::string& each : folder->skipped)
    skipped += each + "\n";
  test::checkGolden("cli/cluster/code_left_out.txt", skipped);
}

BOOST_AUTO_TEST_CASE(a_text_that_is_cut_within_a_character_is_still_a_text) {
  std::string text = "x";
  while (text.size() < 100UL * 1024)
    text += "\xe2\x82\xac";
  write("words.txt", text);
  BOOST_TEST(names() == "words.txt ");
}

BOOST_AUTO_TEST_CASE(refuses_a_link_that_leads_out_of_it) {
  write("sub/train.py", "x\n");
  std::ofstream(path() / "secret") << "x";
  for (const char* const target : {"../secret", "/etc/passwd", "..", "sub/../../secret"}) {
    link("link", target);
    BOOST_TEST(!read().has_value(), target);
    fs::remove(path() / "src/link");
  }
}

BOOST_AUTO_TEST_CASE(that_is_a_link_itself_is_what_it_leads_to) {
  write("train.py", "x\n");
  fs::create_symlink("src", path() / "link");
  BOOST_TEST(readCodeFolder(path() / "link", "i")->files.size() == 1);
}

BOOST_AUTO_TEST_CASE(refuses_too_much_and_says_what_to_write_instead) {
  write("train.py", std::string(1024, 'x'));
  write("words/a.txt", std::string(500UL * 1024, 'x'));
  write("words/b.txt", std::string(199UL * 1024, 'x'));
  BOOST_TEST(read().has_value());
  write("one", std::string(2048, 'x'));
  test::checkGolden("cli/cluster/code_too_large.txt", refusal() + "\n");
}

BOOST_AUTO_TEST_CASE(refuses_too_many_files) {
  for (int i = 0; i < 500; ++i)
    write(std::to_string(i), "x");
  BOOST_TEST(read().has_value());
  write("500", "x");
  BOOST_TEST(refusal().find("501 files") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(refuses_what_has_no_sources) {
  fs::create_directory(path() / "src");
  BOOST_TEST(refusal().find("no sources") != std::string::npos);
  BOOST_TEST((readCodeFolder(path() / "none", "i").error().code == ErrorCode::kNotFound));
  write("file", "x");
  BOOST_TEST((readCodeFolder(path() / "src/file", "i").error().code == ErrorCode::kInvalid));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::code_folder_test
