#include "base/telemetry/process_metrics.h"

#include <fstream>
#include <string>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.h"

namespace sumac::process_metrics_test {
namespace {

/// A /proc of one process: 250 + 50 ticks of CPU, started 500 ticks after a boot at 1000 s.
struct Fixture {
  Fixture() {
    std::filesystem::create_directories(folder / "self/fd");
    std::ofstream(folder / "stat") << "cpu 1 2 3\nintr 5\nbtime 1000\nprocesses 7\n";
    std::ofstream(folder / "self/stat")
        << "42 (a ) b) S 1 42 42 0 -1 4194304 9 0 0 0 250 50 0 0 20 0 3 0 500 8192 2 18446744\n";
    for (const char* number : {"0", "1"})
      std::ofstream(folder / "self/fd" / number) << "";
  }

  bool shows(const std::string& name, double value) const {
    Metrics expected;
    expected.gauge("expected", "").set(value);
    const std::string text = expected.text();
    const std::string number = text.substr(text.find("\nexpected ") + 10);
    return metrics.text().find("\n" + name + " " + number) != std::string::npos;
  }

  TemporaryFolder folder;
  Metrics metrics;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(process_metrics, Fixture)

BOOST_AUTO_TEST_CASE(are_read_from_the_kernels_files) {
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  ProcessMetrics process(metrics, folder.path());

  process.update();

  BOOST_TEST(shows("process_cpu_seconds_total", 300 / ticks), metrics.text());
  BOOST_TEST(shows("process_start_time_seconds", 1000 + 500 / ticks), metrics.text());
  BOOST_TEST(shows("process_virtual_memory_bytes", 8192), metrics.text());
  BOOST_TEST(
      shows("process_resident_memory_bytes", 2.0 * static_cast<double>(::sysconf(_SC_PAGESIZE))),
      metrics.text());
  BOOST_TEST(shows("process_open_fds", 2), metrics.text());
}

BOOST_AUTO_TEST_CASE(stay_as_they_are_where_a_file_is_missing_or_odd) {
  ProcessMetrics process(metrics, folder.path());
  process.update();
  const std::string before = metrics.text();
  std::filesystem::remove(folder / "stat");
  std::ofstream(folder / "self/stat") << "42 (a) S 1 2";

  process.update();

  BOOST_TEST(metrics.text() == before);
}

BOOST_AUTO_TEST_CASE(tell_of_this_process) {
  ProcessMetrics process(metrics);

  process.update();

  BOOST_TEST(!shows("process_resident_memory_bytes", 0), metrics.text());
  BOOST_TEST(!shows("process_start_time_seconds", 0), metrics.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::process_metrics_test
