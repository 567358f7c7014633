#include "cli/run/wanted_workers.h"

#include <string>

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::wanted_workers_test {
namespace {

constexpr int kMost = 4;

/// A run's folder with a file that asks.
struct Asked {
  TemporaryFolder folder;
  std::filesystem::path file = folder / "workers";

  void put(const std::string& text) const {
    BOOST_REQUIRE(replaceFile(file, asBytes(text)).has_value());
  }
  void clear() const { std::filesystem::remove_all(file); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(wanted_workers)

BOOST_AUTO_TEST_CASE(are_told_once_for_each_file) {
  const Asked asked;
  WantedWorkers wanted(asked.file);
  BOOST_TEST(!wanted.look(kMost)->has_value());
  for (const int number : {1, 4, 4}) {
    BOOST_REQUIRE(WantedWorkers::write(asked.file, number).has_value());
    BOOST_TEST(wanted.look(kMost)->value() == number);
    BOOST_TEST(!wanted.look(kMost)->has_value());
  }
  asked.clear();
  BOOST_TEST(!wanted.look(kMost)->has_value());
}

BOOST_AUTO_TEST_CASE(of_an_earlier_run_do_not_count) {
  const Asked asked;
  asked.put("3\n");
  WantedWorkers wanted(asked.file);
  BOOST_TEST(!wanted.look(kMost)->has_value());
}

BOOST_AUTO_TEST_CASE(are_refused_once_where_they_are_no_number_of_workers) {
  const Asked asked;
  WantedWorkers wanted(asked.file);
  std::string said;
  const auto refuses = [&] {
    const auto answer = wanted.look(kMost);
    BOOST_REQUIRE(!answer.has_value());
    said += test::replaced(answer.error().message, asked.folder.path().string(), "FOLDER") + "\n";
    BOOST_TEST(!wanted.look(kMost)->has_value());
    asked.clear();
  };
  for (const std::string& text :
       {std::string(), std::string("0\n"), std::string("5\n"), std::string("-1"),
        std::string("three"), std::string("3 4"), std::string("99999999999999999999"),
        std::string("\x1b[2J"), std::string(8'000'000, '3')}) {
    asked.put(text);
    refuses();
  }
  std::filesystem::create_directory(asked.file);
  refuses();
  BOOST_REQUIRE(::mkfifo(asked.file.c_str(), S_IRUSR | S_IWUSR) == 0);  // which nobody writes
  refuses();
  test::checkGolden("cli/run/wanted_workers.txt", said);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::wanted_workers_test
