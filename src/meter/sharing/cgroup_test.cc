#include "meter/sharing/cgroup.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "meter/scratch_root_for_test.h"
#include "meter/sharing/program_usage.h"

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;

// A /proc and a cgroup file system made of plain files.
class FakeCgroups {
 public:
  FakeCgroups(const std::string& own = "/", const std::string& mount_root = "/") {
    root.Write("proc/self/cgroup", "4:memory:/elsewhere\n0::" + own + "\n");
    root.Write("proc/self/mountinfo", "29 1 0:26 / /sys rw - sysfs sysfs rw\n36 35 0:31 " +
                                          mount_root + " " + root.path() +
                                          "/cgroup rw,nosuid shared:9 - cgroup2 cgroup rw\n");
    root.Write("cgroup/cgroup.procs", "");
  }
  std::string proc() const { return root.path() + "/proc"; }
  ScratchRoot root;
};

TEST(Cgroup, IsMadeBelowOurOwnAndRead) {
  const FakeCgroups fake;
  ASSERT_TRUE(Cgroup::Permitted(fake.proc()));
  std::string directory;
  {
    const auto group = Cgroup::Create(fake.proc());
    ASSERT_TRUE(group);
    directory = group->directory();
    EXPECT_TRUE(directory.starts_with(fake.root.path() + "/cgroup/ebb-"));
    EXPECT_EQ(group->CpuTime(), std::nullopt);
    EXPECT_EQ(group->MemoryBytes(), std::nullopt);
    std::ofstream(directory + "/cpu.stat") << "usage_usec 1234567\nuser_usec 1000000\n";
    std::ofstream(directory + "/memory.current") << "4096\n";
    std::ofstream(group->procs_file()) << "12\n345\n";
    EXPECT_EQ(group->CpuTime(), 1234567us);
    EXPECT_EQ(group->MemoryBytes(), 4096);
    EXPECT_TRUE(group->Holds(345));
    EXPECT_FALSE(group->Holds(34));
    for (const char* file : {"/cpu.stat", "/memory.current", "/cgroup.procs"})
      std::filesystem::remove(directory + file);
  }
  EXPECT_FALSE(std::filesystem::exists(directory)) << "an empty group is removed";
}

TEST(Cgroup, IsNotMadeWhereItIsNotOursToMake) {
  const std::string user_slice = "/user.slice/session-1.scope";
  FakeCgroups undelegated(user_slice);
  undelegated.root.Write("cgroup" + user_slice + "/cgroup.procs", "");
  // The owner of a group may divide it. Root owns every directory, so for root a mark is needed.
  EXPECT_EQ(Cgroup::Permitted(undelegated.proc()), ::geteuid() != 0);
  EXPECT_FALSE(Cgroup::Permitted("/nonexistent"));
  const FakeCgroups outside("/../other");
  EXPECT_FALSE(Cgroup::Permitted(outside.proc()));
  FakeCgroups none;
  none.root.Write("proc/self/mountinfo", "29 1 0:26 / /sys rw - sysfs sysfs rw\n");
  EXPECT_EQ(Cgroup::Create(none.proc()), nullptr);
}

TEST(Cgroup, AMountThatShowsOurGroupAsItsTopIsOurs) {
  const FakeCgroups fake("/docker/abc", "/docker/abc");
  EXPECT_TRUE(Cgroup::Permitted(fake.proc()));
}

TEST(ProgramUsage, AGroupThatTheProgramNeverEnteredSaysNothing) {
  const FakeCgroups fake;
  const auto group = Cgroup::Create(fake.proc());
  std::ofstream(group->directory() + "/cpu.stat") << "usage_usec 0\n";
  ProgramUsage usage("/proc", {::getpid()}, group.get());
  EXPECT_TRUE(usage.Start());
  std::ofstream(group->directory() + "/cpu.stat") << "usage_usec 99000000\n";
  EXPECT_LT(usage.Now().cpu_time, 90s);
}

// Uses the real kernel, if this machine permits it.
TEST(Cgroup, CountsADaemonThatEscapedFromTheProcessTree) {
  const auto group = Cgroup::Create();
  if (!group) GTEST_SKIP() << "no cgroup v2 that this user may divide";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::ofstream(group->procs_file()) << "0" << std::flush;
    // The grandchild loses its parent before anybody looked, and works.
    if (::fork() == 0) {
      ::setsid();
      const pid_t self = ::getpid();
      [[maybe_unused]] const auto written = ::write(ready[1], &self, sizeof self);
      for (;;) ::getppid();
    }
    ::_exit(0);
  }
  pid_t daemon = 0;
  ASSERT_EQ(::read(ready[0], &daemon, sizeof daemon), static_cast<ssize_t>(sizeof daemon));
  ::waitpid(child, nullptr, 0);
  ProgramUsage by_group("/proc", {child}, group.get());
  ProgramUsage by_tree("/proc", {child});
  EXPECT_TRUE(by_group.Start());
  EXPECT_FALSE(by_tree.Start());
  EXPECT_TRUE(group->Holds(daemon));
  while (by_group.Now().cpu_time < 50ms) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(by_tree.Now().cpu_time, 0ns);
  ::kill(daemon, SIGKILL);
  while (group->Holds(daemon)) std::this_thread::sleep_for(5ms);
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace ebb::meter
