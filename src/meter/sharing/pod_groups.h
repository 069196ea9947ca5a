#pragma once
// The pods of a Kubernetes node, found by their control groups: how much each has used so far, and
// to which pod a process belongs. Kubernetes itself is not asked: a pod's group carries its uid, as
// the kubelet names it (kubernetes: pkg/kubelet/cm, pod_container_manager_linux.go):
//
//   kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234_56.slice    systemd's driver
//   kubepods/burstable/pod1234-56                                                  cgroupfs
//
// The classes besteffort and burstable have a group of their own; guaranteed pods lie directly
// below kubepods. All of it may lie below another root (the kubelet's --cgroup-root,
// "kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod1.slice"). Both the unified hierarchy
// (cgroup v2) and those of cpuacct and memory (v1) are read.
//
// A group counts the CPU time of all processes that ever ran in it. The time of pods whose group is
// gone stays in the counts of the classes above, so it is not lost.
//
// Not thread-safe.

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ebb::meter {

/// The uid in a group's name: "1234-56" in "kubepods-burstable-pod1234_56.slice" or "pod1234-56";
/// empty if it is not the group of a pod.
std::string PodOfGroup(std::string_view name);

struct PodUse {
  std::chrono::nanoseconds cpu_time{};   ///< CPU time since the group was made
  std::optional<double> memory_bytes{};  ///< memory now, without what the kernel could drop at once
};

struct PodsUse {
  std::map<std::string, PodUse> pods;  ///< by uid
  /// CPU time of all pods together, including pods that are gone; nullopt if it cannot be read.
  std::optional<std::chrono::nanoseconds> cpu_time{};
};

class PodGroups {
 public:
  /// `cgroup_root`: "/sys/fs/cgroup", or the folder where the node's groups are visible;
  /// `proc_root` likewise.
  explicit PodGroups(std::string cgroup_root, std::string proc_root = "/proc");

  /// The reason why no pod can be seen; empty if pods can be seen.
  std::string Trouble() const;
  PodsUse Look() const;
  /// Uid of the pod that a process belongs to; empty if it belongs to none or has ended.
  std::string PodOf(pid_t pid) const;

 private:
  struct Places {
    std::string cpu, memory;  ///< roots of hierarchies; the same one in v2
    bool unified = false;
  };
  Places FindPlaces() const;
  std::vector<std::string> Tops(const std::string& root) const;
  void Walk(const std::string& directory, int depth,
            std::map<std::string, std::string>& found) const;
  std::optional<std::chrono::nanoseconds> CpuTimeOf(const std::string& directory) const;
  std::optional<double> MemoryOf(const std::string& directory) const;

  std::string proc_root_;
  std::string cgroup_root_;
  Places places_;
};

}  // namespace ebb::meter
