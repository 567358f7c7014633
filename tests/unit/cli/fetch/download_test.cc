#include "cli/fetch/download.h"

#include <chrono>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "base/core/sha256.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::download_test {

namespace {

const std::string kContent = "0123456789abcdefghij";

BytesView view(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// An answer that promises `size` bytes.
std::string whole(const std::string& body, std::size_t size) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) +
         "\r\nConnection: close\r\n\r\n" + body;
}

std::string whole(const std::string& body) {
  return whole(body, body.size());
}

/// An answer to a request for the bytes from `from` on.
std::string rest(std::size_t from) {
  return "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(from) + "-" +
         std::to_string(kContent.size() - 1) + "/" + std::to_string(kContent.size()) +
         "\r\nContent-Length: " + std::to_string(kContent.size() - from) +
         "\r\nConnection: close\r\n\r\n" + kContent.substr(from);
}

struct Fixture {
  /// Fetches kContent from a server that follows a script.
  Result<Download> fetch(ScriptedServer& server) { return fetch(server.address() + "/set/file"); }
  Result<Download> fetch(const std::string& address) {
    return download(
        {.address = address,
         .file = file,
         .size = kContent.size(),
         .sha256 = sha256Hex(view(kContent))},
        [this](std::uint64_t bytes) { seen.push_back(bytes); },
        [this](Duration pause) { pauses.push_back(pause); });
  }
  void leavePart(const std::string& text) {
    BOOST_REQUIRE(createFile(folder / "file.part", view(text)));
  }
  std::string content() const { return readTextFile(file, 1 << 20).value(); }
  bool hasPart() const { return std::filesystem::exists(folder / "file.part"); }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "file";
  std::vector<std::uint64_t> seen;
  std::vector<Duration> pauses;
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(download_a_file, Fixture)

BOOST_AUTO_TEST_CASE(it_appears_whole_and_is_not_fetched_again) {
  ScriptedServer server({whole(kContent)});
  BOOST_REQUIRE((fetch(server).value() == Download::kDone));
  BOOST_TEST(content() == kContent);
  BOOST_TEST(!hasPart());
  BOOST_TEST(seen.back() == kContent.size());
  BOOST_REQUIRE((fetch(server).value() == Download::kPresent));
  BOOST_TEST(server.requests().size() == 1U);
  BOOST_TEST(holds(server.requests().front(), "GET /set/file HTTP/1.1"));
  BOOST_TEST(holds(server.requests().front(), "User-Agent: sumac/"));
}

BOOST_AUTO_TEST_CASE(what_an_earlier_call_left_is_continued) {
  leavePart(kContent.substr(0, 7));
  ScriptedServer server({rest(7)});
  BOOST_REQUIRE(fetch(server));
  BOOST_TEST(content() == kContent);
  BOOST_TEST(holds(server.requests().front(), "Range: bytes=7-"));
}

BOOST_AUTO_TEST_CASE(a_connection_that_is_cut_is_continued) {
  ScriptedServer server({whole(kContent.substr(0, 5), kContent.size()), rest(5)});
  BOOST_REQUIRE(fetch(server));
  BOOST_TEST(content() == kContent);
  BOOST_TEST(holds(server.requests().back(), "Range: bytes=5-"));
}

BOOST_AUTO_TEST_CASE(each_further_try_waits_twice_as_long_up_to_a_limit) {
  std::vector<std::string> answers;
  const auto byte = [](std::size_t from) {  // one byte, then the connection is closed
    const std::string answer = from == 0 ? whole(kContent) : rest(from);
    return answer.substr(0, answer.size() - kContent.size() + from + 1);
  };
  for (std::size_t from = 0; from < 8; ++from)
    answers.push_back(byte(from));
  answers.push_back(rest(8));
  ScriptedServer server(answers);

  BOOST_REQUIRE(fetch(server));

  BOOST_TEST(content() == kContent);
  std::vector<long> waited;
  for (const Duration pause : pauses)
    waited.push_back(std::chrono::duration_cast<std::chrono::seconds>(pause).count());
  const std::vector<long> expected{1, 2, 4, 8, 16, 30, 30, 30};
  BOOST_TEST(waited == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_transfer_that_is_whole_or_brings_nothing_waits_for_nothing) {
  ScriptedServer server({whole(kContent)});
  BOOST_REQUIRE(fetch(server));
  ScriptedServer empty({"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"});
  std::filesystem::remove(file);
  BOOST_REQUIRE(!fetch(empty));
  BOOST_TEST(pauses.empty());
}

BOOST_AUTO_TEST_CASE(a_server_without_ranges_sends_it_from_the_start) {
  leavePart(kContent.substr(0, 7));
  ScriptedServer server({whole(kContent), whole(kContent)});
  BOOST_REQUIRE(fetch(server));
  BOOST_TEST(content() == kContent);
  BOOST_TEST(!holds(server.requests().back(), "Range:"));
}

BOOST_AUTO_TEST_CASE(a_wrong_part_of_an_earlier_call_is_thrown_away) {
  leavePart("WRONG");
  ScriptedServer server({rest(5), whole(kContent)});
  BOOST_REQUIRE(fetch(server));
  BOOST_TEST(content() == kContent);
}

BOOST_AUTO_TEST_CASE(a_part_that_is_too_long_is_thrown_away) {
  leavePart(kContent + "more");
  ScriptedServer server({whole(kContent)});
  BOOST_REQUIRE(fetch(server));
  BOOST_TEST(content() == kContent);
}

BOOST_AUTO_TEST_CASE(what_is_not_the_known_file_is_rejected_and_removed) {
  test::Transcript said;
  for (const auto& [name, body] :
       {std::pair("other bytes of the same size", std::string(kContent.size(), 'x')),
        std::pair("too long to fill the disk with", kContent + std::string(1 << 20, 'x'))}) {
    ScriptedServer server({whole(body)});
    const auto result = fetch(server);
    BOOST_REQUIRE(!result);
    BOOST_TEST(result.error().code == ErrorCode::kInvalid);
    BOOST_TEST(!std::filesystem::exists(file));
    BOOST_TEST(!hasPart());
    said.add(name, test::replaced(result.error().message, server.address(), "SERVER"));
  }
  test::checkGolden("cli/fetch/rejected.txt", said.text());
}

BOOST_AUTO_TEST_CASE(a_file_that_ends_early_is_rejected) {
  ScriptedServer server({whole("0123"),
                         "HTTP/1.1 416 Range Not Satisfiable\r\n"
                         "Content-Length: 0\r\nConnection: close\r\n\r\n"});
  const auto result = fetch(server);
  BOOST_REQUIRE(!result);
  BOOST_TEST(holds(result.error().message, "/set/file"));
}

BOOST_AUTO_TEST_CASE(a_missing_file_and_a_silent_machine_are_named) {
  ScriptedServer server({"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"});
  const auto missing = fetch(server);
  BOOST_REQUIRE(!missing);
  BOOST_TEST(missing.error().code == ErrorCode::kUnavailable);
  BOOST_TEST(holds(missing.error().message, "404"));
  BOOST_TEST(holds(missing.error().message, "cannot fetch " + server.address() + "/set/file"));
  server.requests();  // ends it
  const auto refused = fetch(server);
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().code == ErrorCode::kUnavailable);
}

BOOST_AUTO_TEST_CASE(a_redirect_is_followed_but_not_to_a_file) {
  ScriptedServer target({whole(kContent)});
  ScriptedServer first({"HTTP/1.1 302 Found\r\nLocation: " + target.address() +
                        "/x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"});
  BOOST_REQUIRE(fetch(first));
  std::filesystem::remove(file);
  ScriptedServer second(
      {"HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\n"
       "Content-Length: 0\r\nConnection: close\r\n\r\n"});
  BOOST_TEST(!fetch(second));
}

BOOST_AUTO_TEST_CASE(a_folder_can_be_the_mirror) {
  BOOST_REQUIRE(createFile(folder / "source", view(kContent)));
  BOOST_REQUIRE(fetch("file://" + (folder / "source").string()));
  BOOST_TEST(content() == kContent);
}

BOOST_AUTO_TEST_CASE(a_page_in_place_of_the_file_leaves_nothing_behind) {
  ScriptedServer server({whole("log in"), whole("log in")});
  const auto result = fetch(server);
  BOOST_REQUIRE(!result);
  BOOST_TEST(!hasPart());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::download_test
