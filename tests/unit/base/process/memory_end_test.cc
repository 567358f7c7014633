#include "base/process/memory_end.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "base/core/file.h"
#include "base/process/process_end.h"
#include "tests/support/temporary_folder.h"

namespace sumac::memory_end_test {
namespace {

bool is_memory_gone = false;  // in children alone

/// How a process ends that does `last` after its preparations; its last words go to `file`.
int statusAfter(const std::function<void()>& last, const std::filesystem::path& file = {}) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Boost catches it
    reportFailedResources();
    prepareMemoryEnd("buy more memory", file);
    last();
    ::_exit(0);
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

int exitCode(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace
}  // namespace sumac::memory_end_test

/// Can be made to fail: under a limit of memory that does it, sanitizers end the process.
void* operator new(std::size_t size) {
  void* const memory =
      sumac::memory_end_test::is_memory_gone ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace sumac::memory_end_test {

BOOST_AUTO_TEST_SUITE(memory_end)

BOOST_AUTO_TEST_CASE(is_that_of_an_exception_that_nobody_catches_where_nothing_can_be_allocated) {
  const TemporaryFolder folder;
  const auto fail = []() noexcept {
    is_memory_gone = true;
    static_cast<void>(std::string(100, ' '));
  };

  BOOST_TEST(exitCode(statusAfter(fail, folder / "termination")) == 74);
  BOOST_TEST(readTextFile(folder / "termination", 100).value() == "buy more memory");
}

BOOST_AUTO_TEST_CASE(is_that_of_a_library_that_aborts_without_memory) {
  const TemporaryFolder folder;
  const auto abort = [] {
    errno = ENOMEM;  // as malloc() leaves it
    std::abort();
  };

  BOOST_TEST(exitCode(statusAfter(abort, folder / "termination")) == 74);
  BOOST_TEST(readTextFile(folder / "termination", 100).value() == "buy more memory");
}

BOOST_AUTO_TEST_CASE(is_not_that_of_another_abort) {
  const TemporaryFolder folder;
  const auto abort = [] {
    errno = 0;
    std::abort();
  };
  const auto break_invariant = []() noexcept {
    errno = ENOMEM;  // of a failure long ago
    SUMAC_CHECK(1 > 2, 7);
  };
  const auto be_killed = [] {
    errno = ENOMEM;
    ::kill(::getpid(), SIGABRT);
  };
  for (const std::function<void()>& last :
       {std::function<void()>(abort), std::function<void()>(break_invariant),
        std::function<void()>(be_killed)})
    BOOST_TEST(exitCode(statusAfter(last, folder / "termination")) == -SIGABRT);
  BOOST_TEST(!std::filesystem::exists(folder / "termination"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::memory_end_test
