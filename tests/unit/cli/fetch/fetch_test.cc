#include "cli/fetch/fetch.h"

#include <array>
#include <sstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/descriptor.h"
#include "base/core/file.h"
#include "base/core/sha256.h"
#include "base/yaml/reader.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/cli/fetch/tar_archive.h"

namespace sumac::cli::fetch_test {

namespace {

std::string shaOf(const std::filesystem::path& path) {
  return sha256Hex(readFile(path, 1 << 20).value());
}

/// A publisher's folder with an archive, and what `sumac data fetch` makes of it.
struct Fixture {
  Fixture() {
    writeGzip(folder / "set.tar.gz", tarEntry("set/a.bin", "abc") + std::string(1024, '\0'));
    digest = shaOf(folder / "set.tar.gz");
    files = {RemoteFile{"set.tar.gz", std::filesystem::file_size(folder / "set.tar.gz"), digest}};
  }
  ExitCode run() {
    const RemoteDataSet set{"test", "cifar10", address, files, members, "names.txt", names};
    out.str("");
    err.str("");
    return fetch(set, {.folder = target, .mirror = mirror}, out, err);
  }

  TemporaryFolder folder;
  std::filesystem::path target = folder / "data";
  std::string address = "file://" + folder.path().string();
  std::string mirror;
  std::string digest;
  std::array<RemoteFile, 1> files;
  std::array<std::string_view, 2> names = {"cat", "tall dog"};
  std::array<ArchiveMember, 1> members = {ArchiveMember{"set/a.bin", 3}};
  std::ostringstream out;
  std::ostringstream err;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(fetch_a_set, Fixture)

BOOST_AUTO_TEST_CASE(an_archive_is_fetched_unpacked_and_removed) {
  BOOST_REQUIRE((run() == ExitCode::kDone));
  BOOST_TEST(*readTextFile(folder / "data/a.bin", 10) == "abc");
  BOOST_TEST(!std::filesystem::exists(folder / "data/set.tar.gz"));
  test::checkGolden("cli/fetch/fetched.txt",
                    test::replaced(out.str(), folder.path().string(), "FOLDER"));
}

BOOST_AUTO_TEST_CASE(names_of_classes_are_written_unless_they_are_there) {
  BOOST_REQUIRE((run() == ExitCode::kDone));
  BOOST_TEST(*readTextFile(target / "names.txt", 100) == "cat\ntall dog\n");

  BOOST_REQUIRE(replaceFile(target / "names.txt", asBytes("chat\nchien\n")));
  BOOST_REQUIRE((run() == ExitCode::kDone));
  BOOST_TEST(*readTextFile(target / "names.txt", 100) == "chat\nchien\n");
}

BOOST_AUTO_TEST_CASE(the_path_that_a_job_needs_is_quoted_where_yaml_asks_for_it) {
  for (const char* name : {"a b", "it's", "{x}", "a: b", "#1", "a,b"}) {
    target = folder / name;
    BOOST_REQUIRE((run() == ExitCode::kDone));
    const auto start = out.str().find("  data: ");
    const auto read = yaml::read(out.str().substr(start), "");
    BOOST_REQUIRE(read);
    BOOST_TEST(read->find("data")->find("path")->text == target.string());
  }
}

BOOST_AUTO_TEST_CASE(an_empty_folder_or_mirror_is_not_taken) {
  BOOST_TEST(!emptyValueError("").empty());
  BOOST_TEST(emptyValueError("x").empty());
}

BOOST_AUTO_TEST_CASE(what_is_there_is_not_fetched_again) {
  BOOST_REQUIRE((run() == ExitCode::kDone));
  std::filesystem::remove(folder / "set.tar.gz");
  BOOST_TEST((run() == ExitCode::kDone));
  BOOST_TEST(err.str() == "test   is already there\n");
}

BOOST_AUTO_TEST_CASE(two_fetches_into_one_folder_wait_for_each_other) {
  const auto data = folder / "data";
  std::filesystem::create_directory(data);
  const Descriptor other(::open(data.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  BOOST_REQUIRE(::flock(other.get(), LOCK_EX) == 0);
  ExitCode code = ExitCode::kFailed;
  std::thread second([&] { code = run(); });
  // What the first has brought is there before the second looks, whenever it comes to the lock.
  BOOST_REQUIRE(createFile(data / "a.bin", Bytes(3)));
  BOOST_REQUIRE(::flock(other.get(), LOCK_UN) == 0);
  second.join();
  BOOST_TEST((code == ExitCode::kDone));
  BOOST_TEST(err.str() == "test   is already there\n");
}

BOOST_AUTO_TEST_CASE(a_mirror_takes_the_place_of_the_address) {
  mirror = address + "//";
  address = "file:///nowhere";
  BOOST_TEST((run() == ExitCode::kDone));
}

BOOST_AUTO_TEST_CASE(a_failure_says_what_and_how_to_continue) {
  address = "file:///nowhere";
  BOOST_TEST((run() == ExitCode::kFailed));
  test::checkGolden("cli/fetch/failed.txt", err.str());  // nothing came: nothing to continue
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_made_is_named) {
  BOOST_REQUIRE(createFile(folder / "data", {}));
  BOOST_TEST((run() == ExitCode::kFailed));
  BOOST_TEST(err.str().find((folder / "data").string()) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::fetch_test
