#include "meter/sharing/process_tree.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "meter/cpu/cpu_info.h"
#include "meter/scratch_root_for_test.h"

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// The kernel rounds user and system time down to ticks, for each process and its children apart.
const nanoseconds kRounding = 4 * FromClockTicks(1);

nanoseconds OwnCpuTime() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

void Burn(nanoseconds cpu_time) {
  const nanoseconds until = OwnCpuTime() + cpu_time;
  while (OwnCpuTime() < until) {
  }
}

// A child that waits for the test to tell it to go on and to end, so that tests control the order
// of events instead of sleeping.
class Child {
 public:
  explicit Child(const std::function<void()>& work) {
    EXPECT_EQ(::pipe(go_), 0);
    EXPECT_EQ(::pipe(done_), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(go_[1]);
      Receive(go_[0]);
      work();
      Send(done_[1]);
      Receive(go_[0]);
      ::_exit(0);
    }
  }
  ~Child() {
    Reap();
    for (const int descriptor : {go_[0], go_[1], done_[0], done_[1]}) ::close(descriptor);
  }
  pid_t pid() const { return pid_; }
  void Work() {
    Send(go_[1]);
    Receive(done_[0]);
  }
  void Reap() {
    if (pid_ < 0) return;
    Send(go_[1]);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
  }

 private:
  static void Send(int descriptor) { EXPECT_EQ(::write(descriptor, "x", 1), 1); }
  static void Receive(int descriptor) {
    char byte = 0;
    [[maybe_unused]] const ssize_t count = ::read(descriptor, &byte, 1);
  }
  int go_[2], done_[2];
  pid_t pid_;
};

void BurnInGrandchild(nanoseconds cpu_time) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    Burn(cpu_time);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
}

TEST(ProcessTree, CountsTheCpuTimeOfAChild) {
  Child child([] { Burn(50ms); });
  ProcessTree tree("/proc", {child.pid()});
  ASSERT_TRUE(tree.Start());
  child.Work();
  const TreeUsage usage = tree.Sample();
  EXPECT_GE(usage.cpu_time, 50ms - kRounding);
  EXPECT_LE(usage.cpu_time, 50ms + 50ms + kRounding);
  EXPECT_GT(usage.resident_bytes, 0);
  EXPECT_EQ(usage.processes, 1);
}

TEST(ProcessTree, CountsAGrandchildThatCameAndWentUnseen) {
  Child child([] { BurnInGrandchild(50ms); });
  ProcessTree tree("/proc", {child.pid()});
  ASSERT_TRUE(tree.Start());
  child.Work();
  EXPECT_GE(tree.Sample().cpu_time, 50ms - kRounding);
}

TEST(ProcessTree, ItDoesNotMatterWhetherTheChildWasReapedBeforeTheLastSample) {
  Child child([] { Burn(50ms); });
  ProcessTree tree("/proc", {child.pid()});
  ASSERT_TRUE(tree.Start());
  rusage before{}, after{};
  ::getrusage(RUSAGE_CHILDREN, &before);
  child.Work();
  child.Reap();
  ::getrusage(RUSAGE_CHILDREN, &after);
  const auto time = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  const nanoseconds reaped =
      time(after.ru_utime) + time(after.ru_stime) - time(before.ru_utime) - time(before.ru_stime);
  const TreeUsage usage = tree.Sample();
  EXPECT_GE(usage.cpu_time, reaped - kRounding);
  EXPECT_LE(usage.cpu_time, reaped + kRounding);
  EXPECT_EQ(usage.processes, 0);
}

TEST(ProcessTree, TimeSeenWhileAChildLivedIsNotCountedAgainWhenItIsReaped) {
  Child child([] { Burn(50ms); });
  ProcessTree tree("/proc", {child.pid()});
  ASSERT_TRUE(tree.Start());
  child.Work();
  const nanoseconds alive = tree.Sample().cpu_time;
  child.Reap();
  const nanoseconds reaped = tree.Sample().cpu_time;
  EXPECT_GE(reaped, alive);
  EXPECT_LE(reaped, alive + kRounding + 10ms);
  EXPECT_EQ(tree.Sample().cpu_time, reaped);
}

TEST(ProcessTree, TimeBeforeStartIsNotCounted) {
  Child child([] { Burn(50ms); });
  child.Work();
  ProcessTree tree("/proc", {child.pid()});
  ASSERT_TRUE(tree.Start());
  EXPECT_LE(tree.Sample().cpu_time, kRounding);
}

TEST(ProcessTree, SeesChildrenOfAllThreads) {
  Child child([] {
    int alive[2];
    ASSERT_EQ(::pipe(alive), 0);
    std::thread([&alive] {
      if (::fork() != 0) return;
      // The process lives until its parent ends: the pipe then has no writer any more.
      ::close(alive[1]);
      char byte = 0;
      while (::read(alive[0], &byte, 1) > 0) {
      }
      ::_exit(0);
    }).join();
  });
  ProcessTree tree("/proc", {child.pid()});
  ASSERT_TRUE(tree.Start());
  child.Work();
  EXPECT_EQ(tree.Sample().processes, 2);
}

TEST(ProcessTree, MissingRootsAreSaid) {
  ProcessTree tree("/proc", {0x3fffffff});
  EXPECT_FALSE(tree.Start());
  EXPECT_EQ(tree.Sample().cpu_time, 0ns);
}

// The races are replayed on a fake /proc, where the test sets the order of events.
class FakeProc {
 public:
  struct Entry {
    int pid, parent;
    int user = 0, waited = 0;
    std::string children = {};
    int start = 1;
  };
  void Put(const Entry& entry) const {
    const std::string pid = std::to_string(entry.pid);
    root_.Write(pid + "/stat", pid + " (a b) c) S " + std::to_string(entry.parent) +
                                   " 1 1 0 -1 0 0 0 0 0 " + std::to_string(entry.user) + " 0 " +
                                   std::to_string(entry.waited) + " 0 20 0 1 0 " +
                                   std::to_string(entry.start) + " 1000 10 0\n");
    if (with_lists) root_.Write(pid + "/task/" + pid + "/children", entry.children);
  }
  void Remove(int pid) const { root_.Remove(std::to_string(pid)); }
  std::string path() const { return root_.path(); }
  bool with_lists = true;

 private:
  ScratchRoot root_;
};

constexpr int kRoot = 4'100'001, kChild = 4'100'002, kGrandchild = 4'100'003;

std::int64_t Ticks(const TreeUsage& usage) { return usage.cpu_time / FromClockTicks(1); }

TEST(ProcessTree, AChildThatIsReapedWithMoreThanWasSeenCountsTheRest) {
  FakeProc proc;
  proc.Put({.pid = kRoot, .parent = 1, .children = "4100002"});
  proc.Put({.pid = kChild, .parent = kRoot});
  ProcessTree tree(proc.path(), {kRoot});
  ASSERT_TRUE(tree.Start());
  proc.Put({.pid = kChild, .parent = kRoot, .user = 30});
  EXPECT_EQ(Ticks(tree.Sample()), 30);
  proc.Remove(kChild);
  proc.Put({.pid = kRoot, .parent = 1, .user = 5, .waited = 42});
  EXPECT_EQ(Ticks(tree.Sample()), 30 + 12 + 5);
}

TEST(ProcessTree, AChildThatEndsBetweenTheTwoReadsIsCountedOnce) {
  FakeProc proc;
  proc.Put({.pid = kRoot, .parent = 1, .children = "4100002"});
  proc.Put({.pid = kChild, .parent = kRoot});
  ProcessTree tree(proc.path(), {kRoot});
  ASSERT_TRUE(tree.Start());
  proc.Put({.pid = kChild, .parent = kRoot, .user = 30});
  EXPECT_EQ(Ticks(tree.Sample()), 30);
  // The tree read the parent while the child lived, and the child when it was gone.
  proc.Remove(kChild);
  EXPECT_EQ(Ticks(tree.Sample()), 30);
  proc.Put({.pid = kRoot, .parent = 1, .waited = 30});
  EXPECT_EQ(Ticks(tree.Sample()), 30);
  proc.Put({.pid = kRoot, .parent = 1, .waited = 37});
  EXPECT_EQ(Ticks(tree.Sample()), 37);
}

TEST(ProcessTree, AParentThatDoesNotWaitNeverMakesTimeGoBackwards) {
  FakeProc proc;
  proc.Put({.pid = kRoot, .parent = 1, .children = "4100002"});
  proc.Put({.pid = kChild, .parent = kRoot});
  ProcessTree tree(proc.path(), {kRoot});
  ASSERT_TRUE(tree.Start());
  proc.Put({.pid = kChild, .parent = kRoot, .user = 30});
  EXPECT_EQ(Ticks(tree.Sample()), 30);
  proc.Remove(kChild);
  for (const int user : {1, 2, 3}) {
    proc.Put({.pid = kRoot, .parent = 1, .user = user});
    EXPECT_EQ(Ticks(tree.Sample()), 30 + user);
  }
  proc.Put({.pid = kRoot, .parent = 1, .user = 3, .waited = 50});
  EXPECT_EQ(Ticks(tree.Sample()), 83) << "children waited for much later were never seen alive";
}

TEST(ProcessTree, AWholeBranchThatEndsIsSettledWithWhoWaitedForIt) {
  FakeProc proc;
  proc.Put({.pid = kRoot, .parent = 1, .children = "4100002"});
  proc.Put({.pid = kChild, .parent = kRoot, .children = "4100003"});
  proc.Put({.pid = kGrandchild, .parent = kChild});
  ProcessTree tree(proc.path(), {kRoot});
  ASSERT_TRUE(tree.Start());
  proc.Put({.pid = kChild, .parent = kRoot, .user = 10, .children = "4100003"});
  proc.Put({.pid = kGrandchild, .parent = kChild, .user = 20});
  EXPECT_EQ(Ticks(tree.Sample()), 30);
  proc.Remove(kGrandchild);
  proc.Remove(kChild);
  proc.Put({.pid = kRoot, .parent = 1, .waited = 11 + 22});
  EXPECT_EQ(Ticks(tree.Sample()), 33);
}

TEST(ProcessTree, ADaemonThatWasSeenOnceStaysInTheTree) {
  FakeProc proc;
  proc.Put({.pid = kRoot, .parent = 1, .children = "4100002"});
  proc.Put({.pid = kChild, .parent = kRoot, .children = "4100003"});
  proc.Put({.pid = kGrandchild, .parent = kChild});
  ProcessTree tree(proc.path(), {kRoot});
  ASSERT_TRUE(tree.Start());
  proc.Remove(kChild);
  proc.Put({.pid = kRoot, .parent = 1});
  proc.Put({.pid = kGrandchild, .parent = 1, .user = 20});
  EXPECT_EQ(Ticks(tree.Sample()), 20);
}

TEST(ProcessTree, APidThatIsUsedAgainByAStrangerIsNotCounted) {
  FakeProc proc;
  proc.Put({.pid = kRoot, .parent = 1});
  ProcessTree tree(proc.path(), {kRoot});
  ASSERT_TRUE(tree.Start());
  proc.Put({.pid = kRoot, .parent = 1, .user = 500, .start = 99});
  const TreeUsage usage = tree.Sample();
  EXPECT_EQ(Ticks(usage), 0);
  EXPECT_EQ(usage.processes, 0);
}

TEST(ProcessTree, KernelsWithoutListsOfChildrenAreScanned) {
  FakeProc proc;
  proc.with_lists = false;
  proc.Put({.pid = kRoot, .parent = 1});
  proc.Put({.pid = kChild, .parent = kRoot});
  proc.Put({.pid = kGrandchild, .parent = kChild});
  proc.Put({.pid = 4'100'009, .parent = 1});
  ProcessTree tree(proc.path(), {kRoot});
  ASSERT_TRUE(tree.Start());
  proc.Put({.pid = kGrandchild, .parent = kChild, .user = 7});
  proc.Put({.pid = 4'100'009, .parent = 1, .user = 1000});
  const TreeUsage usage = tree.Sample();
  EXPECT_EQ(usage.processes, 3);
  EXPECT_EQ(Ticks(usage), 7);
}

TEST(ProcessTree, OverlappingRootsAreCountedOnce) {
  FakeProc proc;
  proc.Put({.pid = kRoot, .parent = 1, .children = "4100002"});
  proc.Put({.pid = kChild, .parent = kRoot});
  ProcessTree tree(proc.path(), {kChild, kRoot, kChild});
  ASSERT_TRUE(tree.Start());
  proc.Put({.pid = kChild, .parent = kRoot, .user = 9});
  const TreeUsage usage = tree.Sample();
  EXPECT_EQ(Ticks(usage), 9);
  EXPECT_EQ(usage.processes, 2);
}

TEST(ProcessTree, AProcessThatMeasuresItselfNeedsNoTick) {
  ProcessTree tree("/proc", {::getpid()});
  ASSERT_TRUE(tree.Start());
  const nanoseconds before = OwnCpuTime();
  Burn(2ms);
  const nanoseconds used = tree.Sample().cpu_time, most = OwnCpuTime() - before;
  EXPECT_GE(used, 2ms - 20us);
  EXPECT_LE(used, most + 200us) << "what the start itself used";
}

TEST(ProcessTree, AChildThatRanBeforeItsParentIsMeasuredCountsOnce) {
  Child child([] { Burn(100ms); });
  ProcessTree tree("/proc", {::getpid()});
  ASSERT_TRUE(tree.Start());
  child.Work();
  EXPECT_GE(tree.Sample().cpu_time, 100ms - kRounding);
  child.Reap();
  const nanoseconds used = tree.Sample().cpu_time;
  EXPECT_GE(used, 100ms - kRounding);
  EXPECT_LE(used, 150ms);
  EXPECT_LE(tree.Sample().cpu_time, 150ms);
}

}  // namespace
}  // namespace ebb::meter
