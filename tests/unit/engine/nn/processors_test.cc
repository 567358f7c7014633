#include "engine/nn/processors.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/engine/memory/group_files.h"

namespace sumac::worker::processors_test {

BOOST_FIXTURE_TEST_SUITE(processors, GroupFiles)

BOOST_AUTO_TEST_CASE(quota_of_a_group_is_its_time_in_each_period) {
  BOOST_TEST(quotaFromCpuMax("150000 100000\n").value() == 1.5);
  BOOST_TEST(!quotaFromCpuMax("max 100000\n").has_value());
  for (const char* broken : {"", "1", "0 100000", "100000 0", "-1 100000", "x y"})
    BOOST_TEST(!quotaFromCpuMax(broken).has_value(), broken);
}

BOOST_AUTO_TEST_CASE(the_smallest_quota_on_the_way_up_counts) {
  write("proc/self/cgroup", "0::/pods/one/main\n");
  write("sys/fs/cgroup/pods/one/main/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/pods/one/cpu.max", "200000 100000\n");
  write("sys/fs/cgroup/pods/cpu.max", "max 100000\n");

  BOOST_TEST(processorQuota(root.path()).value() == 2.0);
}

BOOST_AUTO_TEST_CASE(a_container_with_its_own_namespace_reads_the_root_of_its_mount) {
  write("sys/fs/cgroup/cpu.max", "350000 100000\n");

  for (const char* group : {"0::/\n", "0::/../other\n", "0::/kubepods/pod1/not/mounted/here\n"}) {
    write("proc/self/cgroup", group);
    BOOST_TEST(processorQuota(root.path()).value_or(0) == 3.5, group);
  }
}

BOOST_AUTO_TEST_CASE(the_first_version_of_control_groups_is_understood) {
  write("proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");

  BOOST_TEST(processorQuota(root.path()).value() == 3.0);
}

BOOST_AUTO_TEST_CASE(the_first_version_may_be_mounted_under_all_its_controllers) {
  write("proc/self/cgroup", "4:cpu,cpuacct:/a/b\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "25000\n");

  BOOST_TEST(processorQuota(root.path()).value_or(0) == 2.0);
}

BOOST_AUTO_TEST_CASE(where_both_versions_are_mounted_the_smaller_quota_counts) {
  write("proc/self/cgroup", "4:cpu:/a\n0::/a\n");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "400000\n");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/a/cpu.max", "300000 100000\n");

  BOOST_TEST(processorQuota(root.path()).value_or(0) == 3.0);
}

BOOST_AUTO_TEST_CASE(without_control_groups_there_is_no_quota) {
  BOOST_TEST(!processorQuota(root.path()).has_value());
}

BOOST_AUTO_TEST_CASE(automatic_threads_are_the_whole_processors_of_the_limit_and_the_mask) {
  BOOST_TEST(automaticThreads({.cores = 8, .quota = std::nullopt}, 1) == 8);
  BOOST_TEST(automaticThreads({.cores = 8, .quota = 3.0}, 1) == 3);
  BOOST_TEST(automaticThreads({.cores = 8, .quota = 3.9}, 1) == 3);
  BOOST_TEST(automaticThreads({.cores = 2, .quota = 3.9}, 1) == 2);
  BOOST_TEST(automaticThreads({.cores = 8, .quota = 0.5}, 1) == 1);
  BOOST_TEST(automaticThreads({.cores = 4096, .quota = std::nullopt}, 1) == 1024);
  BOOST_TEST(automaticThreads({.cores = 8, .quota = 1e300}, 1) == 8);
}

BOOST_AUTO_TEST_CASE(automatic_threads_are_shared_by_the_workers_of_a_machine) {
  BOOST_TEST(automaticThreads({.cores = 8, .quota = std::nullopt}, 2) == 4);
  BOOST_TEST(automaticThreads({.cores = 8, .quota = std::nullopt}, 3) == 2);
  BOOST_TEST(automaticThreads({.cores = 8, .quota = 4.5}, 2) == 2);
  BOOST_TEST(automaticThreads({.cores = 2, .quota = std::nullopt}, 5) == 1);
}

BOOST_AUTO_TEST_CASE(this_process_may_use_at_least_one_core) {
  BOOST_TEST(usableProcessors().cores >= 1);
}

BOOST_AUTO_TEST_CASE(too_many_threads_are_warned_of) {
  BOOST_TEST(threadsWarning(2, {.cores = 2, .quota = std::nullopt}).empty());
  BOOST_TEST(threadsWarning(2, {.cores = 8, .quota = 2.0}).empty());
  test::Transcript said;
  said.add("above the limit", threadsWarning(3, {.cores = 8, .quota = 2.5}));
  said.add("above the cores", threadsWarning(3, {.cores = 2, .quota = std::nullopt}));
  test::checkGolden("engine/nn/processors.txt", said.text());
}

BOOST_AUTO_TEST_CASE(cores_that_the_compute_threads_leave_are_spare) {
  BOOST_TEST(spareCores({.cores = 8, .quota = std::nullopt}, 1, 6) == 2);
  BOOST_TEST(spareCores({.cores = 8, .quota = std::nullopt}, 3, 1) == 1);
  BOOST_TEST(spareCores({.cores = 8, .quota = 1.9}, 1, 1) == 0);
  BOOST_TEST(spareCores({.cores = 2, .quota = std::nullopt}, 2, 1) == 0);
  BOOST_TEST(spareCores({.cores = 2, .quota = std::nullopt}, 1, 4) == 0);
}

BOOST_AUTO_TEST_CASE(who_waits_stays_awake_where_that_takes_nothing_from_others) {
  BOOST_TEST(mayStayAwake({.cores = 2, .quota = std::nullopt}, 2, 1));
  BOOST_TEST(mayStayAwake({.cores = 4, .quota = std::nullopt}, 2, 2));
  BOOST_TEST(!mayStayAwake({.cores = 2, .quota = std::nullopt}, 3, 1));
  BOOST_TEST(!mayStayAwake({.cores = 2, .quota = std::nullopt}, 1, 3));
  BOOST_TEST(!mayStayAwake({.cores = 8, .quota = 2.5}, 1, 1));
  BOOST_TEST(mayStayAwake({.cores = 8, .quota = 3.0}, 1, 1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::processors_test
