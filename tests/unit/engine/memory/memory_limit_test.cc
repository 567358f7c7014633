#include "engine/memory/memory_limit.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/memory/group_files.h"

namespace sumac::worker::memory_limit_test {

BOOST_FIXTURE_TEST_SUITE(memory_limit, GroupFiles)

BOOST_AUTO_TEST_CASE(the_lowest_limit_of_a_group_and_those_around_it_counts) {
  write("proc/self/cgroup", "0::/pods/one/main\n");
  write("sys/fs/cgroup/pods/one/main/memory.max", "max\n");
  write("sys/fs/cgroup/pods/one/memory.max", "1073741824\n");
  write("sys/fs/cgroup/pods/memory.max", "4294967296\n");

  BOOST_TEST(memoryLimit(root.path()).value() == 1073741824U);
}

BOOST_AUTO_TEST_CASE(a_container_finds_its_limit_at_the_root) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "536870912\n");

  BOOST_TEST(memoryLimit(root.path()).value() == 536870912U);
}

BOOST_AUTO_TEST_CASE(version_1_of_control_groups_is_understood) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n0::/\n");
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "268435456\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");

  BOOST_TEST(memoryLimit(root.path()).value() == 268435456U);
}

BOOST_AUTO_TEST_CASE(version_1_may_be_mounted_under_all_its_controllers) {
  write("proc/self/cgroup", "4:hugetlb,memory:/a\n");
  write("sys/fs/cgroup/hugetlb,memory/a/memory.limit_in_bytes", "268435456\n");

  BOOST_TEST(memoryLimit(root.path()).value_or(0) == 268435456U);
}

BOOST_AUTO_TEST_CASE(a_group_outside_the_namespace_has_the_limit_of_the_root) {
  write("proc/self/cgroup", "0::/../other\n");
  write("sys/fs/cgroup/memory.max", "536870912\n");
  write("sys/fs/other/memory.max", "1024\n");

  BOOST_TEST(memoryLimit(root.path()).value_or(0) == 536870912U);
}

BOOST_AUTO_TEST_CASE(there_is_none_without_control_groups_or_where_they_set_none) {
  BOOST_TEST(!memoryLimit(root.path()).has_value());

  write("proc/self/cgroup", "4:memory:/a\n0::/\n");
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory.max", "max\n");
  BOOST_TEST(!memoryLimit(root.path()).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::memory_limit_test
