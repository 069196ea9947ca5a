#include "meter/sharing/pod_groups.h"

#include <gtest/gtest.h>

#include <string>

#include "meter/scratch_root_for_test.h"

namespace ebb::meter {
namespace {

constexpr const char* kUid = "0f6a1e52-95b5-4c1c-9a3d-6d8d3a1c2b4f";

TEST(PodGroups, AGroupNamesItsPodInBothDrivers) {
  EXPECT_EQ(PodOfGroup("kubepods-burstable-pod0f6a1e52_95b5_4c1c_9a3d_6d8d3a1c2b4f.slice"), kUid);
  EXPECT_EQ(PodOfGroup("kubepods-pod0f6a1e52_95b5_4c1c_9a3d_6d8d3a1c2b4f.slice"), kUid);
  EXPECT_EQ(PodOfGroup("kubelet-kubepods-besteffort-pod0f6a1e52_95b5_4c1c_9a3d_6d8d3a1c2b4f.slice"),
            kUid);
  EXPECT_EQ(PodOfGroup(std::string("pod") + kUid), kUid);
  EXPECT_EQ(PodOfGroup("poda81260d5ba1c6a8bd65a2fa0a4b4d2f9"),  // a static pod: a digest
            "a81260d5ba1c6a8bd65a2fa0a4b4d2f9");
  for (const char* other :
       {"", "pod", "pods", "podman-1234.scope", "kubepods.slice", "kubepods-burstable.slice",
        "cri-containerd-0f6a1e52.scope", "pod.slice"})
    EXPECT_EQ(PodOfGroup(other), "") << other;
}

class PodGroupsTest : public ::testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) { root_.Write(file, text); }
  PodGroups Groups() const { return PodGroups(root_.path() + "/cgroup", root_.path() + "/proc"); }
  // Makes a group of the unified hierarchy.
  void Unified(const std::string& group, long long microseconds, long long bytes = 0,
               long long droppable = 0) {
    Write("cgroup/" + group + "/cpu.stat",
          "usage_usec " + std::to_string(microseconds) + "\nuser_usec 1\nsystem_usec 2\n");
    if (bytes == 0) return;
    Write("cgroup/" + group + "/memory.current", std::to_string(bytes) + "\n");
    Write("cgroup/" + group + "/memory.stat",
          "anon 1\ninactive_file " + std::to_string(droppable) + "\nactive_file 3\n");
  }
  ScratchRoot root_;
};

TEST_F(PodGroupsTest, SystemdsGroupsAreFoundInAllClasses) {
  Write("cgroup/cgroup.controllers", "cpu memory\n");
  Unified("kubepods.slice", 9000);
  Unified("kubepods.slice/kubepods-podaaaaaaaa_1.slice", 1000, 500, 100);
  Unified("kubepods.slice/kubepods-podaaaaaaaa_1.slice/cri-containerd-77.scope", 999);
  Unified("kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podbbbbbbbb_2.slice", 2000);
  Unified("kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podcccccccc_3.slice", 3000);
  Unified("system.slice/containerd.service", 7);
  const PodsUse use = Groups().Look();
  EXPECT_EQ(Groups().Trouble(), "");
  ASSERT_EQ(use.pods.size(), 3U);
  EXPECT_EQ(use.pods.at("aaaaaaaa-1").cpu_time, std::chrono::microseconds{1000});
  EXPECT_EQ(use.pods.at("aaaaaaaa-1").memory_bytes, 400);
  EXPECT_EQ(use.pods.at("bbbbbbbb-2").cpu_time, std::chrono::microseconds{2000});
  EXPECT_FALSE(use.pods.at("bbbbbbbb-2").memory_bytes);
  EXPECT_EQ(use.cpu_time, std::chrono::microseconds{9000});
}

TEST_F(PodGroupsTest, CgroupfsAndAnotherRootAreFound) {
  Write("cgroup/cgroup.controllers", "cpu memory\n");
  Unified("kubepods", 50);
  Unified(std::string("kubepods/burstable/pod") + kUid, 20);
  Unified("kubepods/podaaaaaaaa", 30);
  EXPECT_EQ(Groups().Look().pods.size(), 2U);
  // Names of groups as in a cluster made by kind.
  Unified("kubelet.slice/kubelet-kubepods.slice", 60);
  Unified("kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-poddddddddd.slice", 60);
  const PodsUse use = Groups().Look();
  EXPECT_EQ(use.pods.size(), 3U);
  EXPECT_EQ(use.cpu_time, std::chrono::microseconds{110});
}

TEST_F(PodGroupsTest, TheFirstVersionHasHierarchiesOfTheirOwn) {
  Write(std::string("cgroup/cpu,cpuacct/kubepods/pod") + kUid + "/cpuacct.usage", "123456789\n");
  Write("cgroup/cpu,cpuacct/kubepods/cpuacct.usage", "200000000\n");
  Write(std::string("cgroup/memory/kubepods/pod") + kUid + "/memory.usage_in_bytes", "5000\n");
  Write(std::string("cgroup/memory/kubepods/pod") + kUid + "/memory.stat",
        "cache 1\ntotal_inactive_file 1000\n");
  const PodsUse use = Groups().Look();
  ASSERT_EQ(use.pods.size(), 1U);
  EXPECT_EQ(use.pods.at(kUid).cpu_time, std::chrono::nanoseconds{123456789});
  EXPECT_EQ(use.pods.at(kUid).memory_bytes, 4000);
  EXPECT_EQ(use.cpu_time, std::chrono::nanoseconds{200000000});
}

TEST_F(PodGroupsTest, AProcessIsOfThePodOfItsGroup) {
  Write("proc/17/cgroup", std::string("0::/kubepods/burstable/pod") + kUid + "/0123abcd\n");
  Write("proc/18/cgroup", "0::/system.slice/sshd.service\n");
  Write("proc/19/cgroup", std::string("5:memory:/kubepods/pod") + kUid + "/77\n1:cpu:/\n0::/\n");
  EXPECT_EQ(Groups().PodOf(17), kUid);
  EXPECT_EQ(Groups().PodOf(18), "");
  EXPECT_EQ(Groups().PodOf(19), kUid);
  EXPECT_EQ(Groups().PodOf(20), "");
}

TEST_F(PodGroupsTest, WhereNothingIsItSaysSo) {
  EXPECT_NE(Groups().Trouble().find("no control groups"), std::string::npos);
  Write("cgroup/cgroup.controllers", "cpu\n");
  EXPECT_NE(Groups().Trouble().find("kubepods"), std::string::npos);
  EXPECT_TRUE(Groups().Look().pods.empty());
}

}  // namespace
}  // namespace ebb::meter
