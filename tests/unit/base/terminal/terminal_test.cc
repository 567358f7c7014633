#include "base/terminal/terminal.h"

#include <cstdlib>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

namespace sumac::terminal_test {
namespace {

/// The controlling side of a pseudo-terminal of 60 columns.
struct PseudoTerminal {
  PseudoTerminal() : fd(::posix_openpt(O_RDWR | O_NOCTTY)) {
    const winsize size{.ws_row = 24, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
    BOOST_TEST_REQUIRE(fd >= 0);
    BOOST_TEST_REQUIRE(::ioctl(fd, TIOCSWINSZ, &size) == 0);
    ::unsetenv("COLUMNS");
    ::unsetenv("NO_COLOR");
    ::setenv("TERM", "xterm", 1);
  }
  ~PseudoTerminal() { ::close(fd); }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  const int fd;
};

constexpr int kClosed = -1;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(terminal, PseudoTerminal)

BOOST_AUTO_TEST_CASE(columns_are_the_variables_then_the_terminals_then_80) {
  BOOST_TEST(columnsOf(fd) == 60);
  BOOST_TEST(columnsOf(kClosed) == 80);
  for (const char* const columns : {"", "many", "0", "-3"}) {
    ::setenv("COLUMNS", columns, 1);
    BOOST_TEST(columnsOf(fd) == 60, columns);
  }
  ::setenv("COLUMNS", "132", 1);
  BOOST_TEST(columnsOf(fd) == 132);
  BOOST_TEST(columnsOf(kClosed) == 132);
}

BOOST_AUTO_TEST_CASE(reports_are_as_wide_as_a_terminal_and_in_its_character_set) {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"})
    ::unsetenv(name);
  BOOST_TEST(textStyleOf(kClosed).columns == 0);
  BOOST_TEST(textStyleOf(fd).columns == 60);
  BOOST_TEST(textStyleOf(fd).has_utf8);
  ::setenv("LANG", "C", 1);
  BOOST_TEST(!textStyleOf(fd).has_utf8);
  BOOST_TEST(textStyleOf(kClosed).has_utf8);
  ::setenv("LC_CTYPE", "de_DE.utf8", 1);
  BOOST_TEST(textStyleOf(fd).has_utf8);
  ::setenv("LC_ALL", "de_DE.ISO-8859-1", 1);
  BOOST_TEST(!textStyleOf(fd).has_utf8);
  ::unsetenv("LC_ALL");
}

BOOST_AUTO_TEST_CASE(colours_need_a_terminal_that_is_not_dumb_and_nobody_who_refuses_them) {
  BOOST_TEST(hasColor(fd));
  BOOST_TEST(!hasColor(kClosed));
  ::setenv("NO_COLOR", "1", 1);
  BOOST_TEST(!hasColor(fd));
  BOOST_TEST(isTerminal(fd));
  ::setenv("TERM", "dumb", 1);
  BOOST_TEST(!isTerminal(fd));
}

BOOST_AUTO_TEST_CASE(quotes_words_for_a_shell_only_where_they_need_it) {
  BOOST_TEST(shellWord("runs/lenet5-20260131") == "runs/lenet5-20260131");
  BOOST_TEST(shellWord("my runs/1") == "'my runs/1'");
  BOOST_TEST(shellWord("it's") == "'it'\\''s'");
  BOOST_TEST(shellWord("") == "''");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::terminal_test
