#include "exchange/course/writer_fence.h"

#include <fstream>
#include <string>

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::writer_fence_test {
namespace {

constexpr RosterOrder kFirst{1, 1};

struct Fixture {
  /// Of a process of worker `index`.
  WriterFence fence(int index, Incarnation incarnation, std::uint64_t attempt = 0,
                    const std::string& job = "uid") const {
    return {folder.path(), "writer", {job, attempt, {}, {{Role::kWorker, index}, incarnation}}};
  }
  void write(const std::string& text) const {
    std::ofstream(folder / "writer", std::ios::binary) << text;
  }
  std::string content() const {
    const auto text = readTextFile(folder / "writer", 1 << 20);
    return text ? *text : "(none)";
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(
        std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()));
  }

  TemporaryFolder folder;
};

void checkStale(const Result<void>& held) {
  BOOST_TEST_REQUIRE(!held.has_value());
  BOOST_TEST((held.error().code == ErrorCode::kStale));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(writer_fence, Fixture)

BOOST_AUTO_TEST_CASE(names_the_writer_in_a_file_of_the_folder) {
  BOOST_TEST(fence(3, 77, 2).hold({4, 5}).has_value());

  BOOST_TEST(content() == R"({"job":"uid","attempt":2,"term":4,"generation":5,"worker":3,)"
                          R"("incarnation":77})"
                          "\n");
  BOOST_TEST(files() == 1U);
}

BOOST_AUTO_TEST_CASE(whoever_a_later_roster_names_is_the_writer) {
  auto before = fence(0, 1);
  auto after = fence(1, 2);
  BOOST_TEST(before.hold(kFirst).has_value());
  for (const RosterOrder later : {RosterOrder{1, 2}, RosterOrder{2, 1}}) {
    BOOST_TEST(after.hold(later).has_value());
    checkStale(before.hold(kFirst));
    checkStale(before.hold({1, 2}));
  }
  BOOST_TEST(before.hold({2, 2}).has_value());
  checkStale(after.hold({2, 1}));
}

BOOST_AUTO_TEST_CASE(two_by_one_roster_are_one_too_many) {
  auto first = fence(0, 1);
  auto second = fence(0, 2);
  BOOST_TEST(first.hold({1, 2}).has_value());
  checkStale(second.hold({1, 2}));
  BOOST_TEST(first.hold({1, 2}).has_value());
}

BOOST_AUTO_TEST_CASE(names_both_and_the_file) {
  BOOST_TEST(fence(1, 9).hold({2, 3}).has_value());
  const auto held = fence(0, 8).hold({1, 7});
  checkStale(held);
  for (const std::string& part :
       {std::string("worker 1 of attempt 0, term 2, generation 3 (incarnation 9)"),
        std::string("worker 0 of attempt 0, term 1, generation 7 (incarnation 8)"),
        (folder / "writer").string()})
    BOOST_TEST(held.error().message.find(part) != std::string::npos, held.error().message);
}

// It wakes up while the other writes: each look gives the folder back to the one that the rosters
// name, and ends the other.
BOOST_AUTO_TEST_CASE(a_name_that_a_lower_one_has_overwritten_is_put_there_again) {
  auto lower = fence(0, 1);
  auto higher = fence(1, 2);
  BOOST_TEST(higher.hold({2, 1}).has_value());
  write(toLine({"uid", 0, kFirst, {{Role::kWorker, 0}, 1}}));  // as lower would after an older look
  BOOST_TEST(lower.hold(kFirst).has_value());                  // it finds its own

  BOOST_TEST(higher.hold({2, 1}).has_value());

  checkStale(lower.hold(kFirst));
}

BOOST_AUTO_TEST_CASE(a_later_attempt_begins_with_the_first_roster_again) {
  auto before = fence(0, 1, 0);
  BOOST_TEST(before.hold({7, 7}).has_value());
  BOOST_TEST(fence(0, 2, 1).hold(kFirst).has_value());
  checkStale(before.hold({7, 8}));
  checkStale(fence(1, 3, 0).hold({8, 1}));
}

BOOST_AUTO_TEST_CASE(a_job_that_was_made_again_takes_the_folder_over) {
  auto before = fence(0, 1, 5, "old");
  BOOST_TEST(before.hold({3, 3}).has_value());
  BOOST_TEST(fence(0, 2, 0, "new").hold(kFirst).has_value());
  checkStale(before.hold({3, 4}));
}

BOOST_AUTO_TEST_CASE(who_writes_once_in_the_writers_place_needs_no_name) {
  auto writer = fence(0, 1);
  auto other = fence(1, 2);
  BOOST_TEST(other.check(kFirst).has_value());  // there is no file
  BOOST_TEST(writer.hold(kFirst).has_value());
  BOOST_TEST(other.check(kFirst).has_value());
  BOOST_TEST(writer.hold({1, 2}).has_value());
  checkStale(other.check(kFirst));
  BOOST_TEST(content().find("\"worker\":0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_no_writer_has_written_is_nobodys_name) {
  const std::string good = toLine({"uid", 0, {9, 9}, {{Role::kWorker, 5}, 9}});
  BOOST_REQUIRE(writerFromLine(good).has_value());
  std::vector<std::string> bad{"",
                               "\n",
                               "{}\n",
                               "[1]\n",
                               "null\n",
                               std::string(2000, 'x') + "\n",
                               std::string("\0\n", 2),
                               "\xff\xfe\n"};
  for (std::size_t size = 1; size < good.size(); ++size)
    bad.push_back(good.substr(0, size));  // torn
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  bad.push_back(with("\"term\":9", "\"term\":-1"));
  bad.push_back(with("\"term\":9", "\"term\":2147483649"));
  bad.push_back(with("\"term\":9", "\"term\":1.5"));
  bad.push_back(with("\"term\":9", "\"term\":\"9\""));
  bad.push_back(with("\"generation\":9", "\"generation\":4294967296"));
  bad.push_back(with("\"worker\":5", "\"worker\":1000000"));
  bad.push_back(with("\"incarnation\":9", "\"incarnation\":99999999999999999999"));
  bad.push_back(with("\"job\":\"uid\"", "\"job\":7"));
  bad.push_back(with("\"attempt\":0", "\"attempts\":0"));
  for (const std::string& text : bad) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(!writerFromLine(text).has_value());
      write(text);
      BOOST_TEST(fence(0, 1).hold(kFirst).has_value());
      BOOST_TEST(fence(0, 1).holder().value()->order.term == 1U);
    }
  }
}

BOOST_AUTO_TEST_CASE(no_pipe_in_its_place_holds_anybody_up) {
  BOOST_REQUIRE(::mkfifo((folder / "writer").c_str(), 0600) == 0);
  BOOST_TEST(fence(0, 1).hold(kFirst).has_value());
  BOOST_TEST(fence(0, 1).holder().value()->member.incarnation == 1U);
}

BOOST_AUTO_TEST_CASE(fails_where_it_cannot_be_written) {
  std::filesystem::create_directory(folder / "writer");
  const auto denied = fence(0, 1).hold(kFirst);
  BOOST_TEST_REQUIRE(!denied.has_value());
  BOOST_TEST((denied.error().code == ErrorCode::kDenied));
  BOOST_TEST(files() == 1U);

  WriterFence gone(folder / "gone", "writer", {});
  const auto missing = gone.hold(kFirst);
  BOOST_TEST_REQUIRE(!missing.has_value());
  BOOST_TEST((missing.error().code == ErrorCode::kNotFound));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::writer_fence_test
