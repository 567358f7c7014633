#include "worker/train/processors.h"

#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.h"

namespace sumac::worker {
namespace {

struct Fixture {
  TemporaryFolder root;

  void write(const std::string& path, const std::string& text) const {
    const auto file = root / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(processors, Fixture)

BOOST_AUTO_TEST_CASE(quota_of_a_group_is_its_time_in_each_period) {
  BOOST_TEST(quotaFromCpuMax("150000 100000\n").value() == 1.5);
  BOOST_TEST(!quotaFromCpuMax("max 100000\n").has_value());
  for (const char* broken : {"", "1", "0 100000", "100000 0", "-1 100000", "x y"})
    BOOST_TEST(!quotaFromCpuMax(broken).has_value(), broken);
}

BOOST_AUTO_TEST_CASE(the_least_quota_on_the_way_up_counts) {
  write("proc/self/cgroup", "0::/pods/one/main\n");
  write("sys/fs/cgroup/pods/one/main/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/pods/one/cpu.max", "200000 100000\n");
  write("sys/fs/cgroup/pods/cpu.max", "max 100000\n");

  BOOST_TEST(processorQuota(root.path()).value() == 2.0);
}

BOOST_AUTO_TEST_CASE(the_first_version_of_control_groups_is_understood) {
  write("proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");

  BOOST_TEST(processorQuota(root.path()).value() == 3.0);
}

BOOST_AUTO_TEST_CASE(without_control_groups_there_is_no_quota) {
  BOOST_TEST(!processorQuota(root.path()).has_value());
}

BOOST_AUTO_TEST_CASE(too_many_threads_are_warned_of) {
  BOOST_TEST(threadsWarning(2, 2, std::nullopt).empty());
  BOOST_TEST(threadsWarning(2, 8, 2.0).empty());
  BOOST_TEST(threadsWarning(3, 8, 2.5).find("lets this worker use 2.5") != std::string::npos);
  BOOST_TEST(threadsWarning(3, 2, std::nullopt).find("2 cores") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker
