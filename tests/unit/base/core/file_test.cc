#include "base/core/file.h"

#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.h"

namespace sumac::file_test {
namespace {

std::vector<std::filesystem::path> flushed;  // what fsync() was called for, in this process

}  // namespace
}  // namespace sumac::file_test

// In the place of the C library's: whether a file is durable shows only when a machine fails.
extern "C" int fsync(int fd) {
  const auto link = "/proc/self/fd/" + std::to_string(fd);
  sumac::file_test::flushed.push_back(std::filesystem::read_symlink(link));
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace sumac::file_test {

BOOST_AUTO_TEST_SUITE(file)

BOOST_AUTO_TEST_CASE(reads_back_what_was_created) {
  const TemporaryFolder folder;

  BOOST_REQUIRE(createFile(folder / "a", asBytes("content")));

  const auto text = readTextFile(folder / "a", 100);
  BOOST_REQUIRE(text);
  BOOST_TEST(*text == "content");
}

// Who watches a trainer sees that it gets on, however large the file.
BOOST_AUTO_TEST_CASE(counts_the_pieces_that_are_written_and_read) {
  const TemporaryFolder folder;
  const std::string content(65UL * 1024 * 1024, 'x');
  WorkCount written;
  WorkCount read;

  BOOST_REQUIRE(createFile(folder / "a", asBytes(content), 0644, &written));
  BOOST_REQUIRE(readFile(folder / "a", content.size(), &read));

  BOOST_TEST(written.done() == 2U);
  BOOST_TEST(read.done() == 2U);
  BOOST_REQUIRE(replaceFile(folder / "a", asBytes("other"), &written));
  BOOST_TEST(written.done() == 3U);
}

BOOST_AUTO_TEST_CASE(is_durable_with_its_name_when_it_was_created_or_replaced) {
  const TemporaryFolder folder;
  const auto place = std::filesystem::canonical(folder.path());
  using Paths = std::vector<std::filesystem::path>;

  flushed.clear();
  BOOST_REQUIRE(createFile(folder / "a", asBytes("content")));
  BOOST_TEST((flushed == Paths{place / "a", place}));

  flushed.clear();
  BOOST_REQUIRE(replaceFile(folder / "a", asBytes("other")));
  BOOST_TEST((flushed == Paths{place / "a.tmp", place}));
}

BOOST_AUTO_TEST_CASE(never_creates_over_an_existing_file) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "a", asBytes("first")));

  const auto second = createFile(folder / "a", asBytes("second"));

  BOOST_REQUIRE(!second);
  BOOST_TEST(second.error().code == ErrorCode::kConflict);
  BOOST_TEST(*readTextFile(folder / "a", 100) == "first");
}

BOOST_AUTO_TEST_CASE(replaces_a_file_as_a_whole) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(replaceFile(folder / "a", asBytes("a long first content")));

  BOOST_REQUIRE(replaceFile(folder / "a", asBytes("short")));

  BOOST_TEST(*readTextFile(folder / "a", 100) == "short");
}

BOOST_AUTO_TEST_CASE(leaves_nothing_of_a_file_that_cannot_be_replaced) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");

  BOOST_TEST(!replaceFile(folder / "a", asBytes("content")));

  BOOST_TEST(!std::filesystem::exists(folder / "a.tmp"));
}

BOOST_AUTO_TEST_CASE(refuses_a_file_above_the_limit_and_takes_one_at_it) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "a", asBytes("12345")));

  BOOST_TEST(readFile(folder / "a", 5).has_value());
  const auto over = readFile(folder / "a", 4);
  BOOST_REQUIRE(!over);
  BOOST_TEST(over.error().code == ErrorCode::kInvalid);
}

// Limits of control groups are read from such files.
BOOST_AUTO_TEST_CASE(the_beginning_of_a_file_is_at_most_the_whole) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "a", asBytes("abc")));
  for (const std::size_t most : {0U, 2U, 3U, 9U}) {
    const auto read = readBeginning(folder / "a", most);
    BOOST_REQUIRE(read);
    BOOST_TEST(asText(*read) == std::string_view("abc").substr(0, most));
  }
  BOOST_TEST(readBeginning(folder / "b", 1).error().code == ErrorCode::kNotFound);
  BOOST_TEST(readBeginning(folder.path(), 1).error().code == ErrorCode::kInvalid);
}

BOOST_AUTO_TEST_CASE(reads_a_file_of_the_kernel_which_has_no_size) {
  BOOST_REQUIRE(std::filesystem::file_size("/proc/self/cgroup") == 0);

  const auto text = readTextFile("/proc/self/cgroup", 64UL * 1024);
  const auto over = readTextFile("/proc/self/cgroup", 3);

  BOOST_REQUIRE(text);
  BOOST_TEST(text->find(":/") != std::string::npos);
  BOOST_REQUIRE(!over);
  BOOST_TEST(over.error().code == ErrorCode::kInvalid);
}

BOOST_AUTO_TEST_CASE(says_that_a_file_is_missing) {
  const TemporaryFolder folder;

  const auto missing = readFile(folder / "none", 10);

  BOOST_REQUIRE(!missing);
  BOOST_TEST(missing.error().code == ErrorCode::kNotFound);
}

BOOST_AUTO_TEST_CASE(refuses_a_pipe_without_waiting_for_a_writer, *boost::unit_test::timeout(60)) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

  const auto pipe = readFile(folder / "pipe", 10);

  BOOST_REQUIRE(!pipe);
  BOOST_TEST(pipe.error().code == ErrorCode::kInvalid);
}

BOOST_AUTO_TEST_CASE(makes_a_folder_that_can_be_written_and_leaves_nothing_in_it) {
  const TemporaryFolder folder;
  const auto made = folder / "a" / "b";

  BOOST_TEST(bool(requireWritable(made)));
  BOOST_TEST(bool(requireWritable(made)));

  BOOST_TEST(std::filesystem::is_empty(made));
}

BOOST_AUTO_TEST_CASE(names_the_folder_where_nothing_can_be_written) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "file", {}));

  const auto checked = requireWritable(folder / "file" / "a");

  BOOST_REQUIRE(!checked);
  BOOST_TEST(checked.error().code == ErrorCode::kNotFound);
  BOOST_TEST(checked.error().message.find((folder / "file" / "a").string()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(tells_storage_that_fails_from_what_is_forbidden) {
  const auto codeOf = [](int number) {
    return errorCodeOf(std::error_code(number, std::generic_category()));
  };
  for (const int number : {EIO, ESTALE, ENOSPC, EDQUOT, ENXIO, EMFILE, ENOMEM, ETIMEDOUT})
    BOOST_TEST(codeOf(number) == ErrorCode::kUnavailable, number);
  for (const int number : {EACCES, EPERM, EROFS, EISDIR})
    BOOST_TEST(codeOf(number) == ErrorCode::kDenied, number);
  BOOST_TEST(codeOf(ENOENT) == ErrorCode::kNotFound);
  BOOST_TEST(codeOf(EEXIST) == ErrorCode::kConflict);
}

// A link to itself cannot be examined, as a file on a disk that fails.
BOOST_AUTO_TEST_CASE(does_not_take_for_missing_what_cannot_be_examined) {
  const TemporaryFolder folder;
  const auto loop = folder / "loop";
  std::filesystem::create_symlink(loop, loop);
  BOOST_REQUIRE(createFile(folder / "file", {}));

  BOOST_TEST(isFolder(folder.path()).value());
  BOOST_TEST(!isFolder(folder / "file").value());
  BOOST_TEST(!isFolder(folder / "nothing").value());
  BOOST_TEST(isThere(folder / "file").value());
  BOOST_TEST(!isThere(folder / "nothing").value());
  BOOST_REQUIRE(!isFolder(loop));
  BOOST_TEST(isFolder(loop).error().code == ErrorCode::kUnavailable);
  BOOST_REQUIRE(!isThere(loop));
  BOOST_TEST(isThere(loop).error().message.find(loop.string()) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::file_test
