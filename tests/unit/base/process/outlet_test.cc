#include "base/process/outlet.h"

#include <array>
#include <csignal>
#include <string>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

namespace sumac::outlet_test {
namespace {

struct Pipe {
  Pipe() {
    std::signal(SIGPIPE, SIG_IGN);
    if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe");
  }
  ~Pipe() {
    closeReader();
    ::close(ends[1]);
  }
  void closeReader() {
    if (ends[0] >= 0) ::close(ends[0]);
    ends[0] = -1;
  }
  std::string read() const {
    std::array<char, 4096> text{};
    const auto got = ::read(ends[0], text.data(), text.size());
    return {text.data(), static_cast<std::size_t>(got < 0 ? 0 : got)};
  }

  std::array<int, 2> ends{};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(outlet, *boost::unit_test::timeout(60))

BOOST_FIXTURE_TEST_CASE(writes_lines, Pipe) {
  Outlet outlet(ends[1]);

  BOOST_TEST(outlet.writeLine("one"));
  BOOST_TEST(outlet.writeLine("two"));

  BOOST_TEST(read() == "one\ntwo\n");
}

BOOST_FIXTURE_TEST_CASE(outlives_its_reader, Pipe) {
  Outlet outlet(ends[1]);
  closeReader();

  BOOST_TEST(!outlet.writeLine("one"));
  BOOST_TEST(!outlet.writeLine("two"));
}

BOOST_FIXTURE_TEST_CASE(does_not_wait_for_a_reader_who_sleeps, Pipe) {
  Outlet outlet(ends[1]);
  const std::string line(1000, 'x');

  int written = 0;
  while (outlet.writeLine(line))
    ++written;  // ends when the pipe is full
  while (read().size() == 4096) {
  }

  BOOST_TEST(written > 0);
  BOOST_TEST(outlet.writeLine(line));
}

BOOST_AUTO_TEST_CASE(writes_for_nobody_without_a_descriptor) {
  BOOST_TEST(!Outlet(-1).writeLine("one"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::outlet_test
