#pragma once
// The pods of a Kubernetes node by their control groups: what each has used so far, and which one a
// process is of. Nothing is asked of Kubernetes: a pod's group carries its uid, as the kubelet
// names it (kubernetes: pkg/kubelet/cm, pod_container_manager_linux.go):
//
//   kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234_56.slice    systemd's driver
//   kubepods/burstable/pod1234-56                                                  cgroupfs
//
// the classes besteffort and burstable between, guaranteed pods without; below another root (the
// kubelet's --cgroup-root, "kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod1.slice") as
// well. In the unified hierarchy (cgroup v2), or in those of cpuacct and memory (v1).
//
// A group counts CPU time of all that ever ran in it; what pods used whose group is gone stays in
// the counts of the classes above, so nothing is lost that can be told apart.
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

/// "1234-56" of "kubepods-burstable-pod1234_56.slice" or "pod1234-56"; empty: no pod's group.
std::string PodOfGroup(std::string_view name);

struct PodUse {
  std::chrono::nanoseconds cpu_time{};   ///< since the group was made
  std::optional<double> memory_bytes{};  ///< now, without what the kernel could drop at once
};

struct PodsUse {
  std::map<std::string, PodUse> pods;  ///< by uid
  /// Of all pods together, those that are gone too; nothing: it cannot be read.
  std::optional<std::chrono::nanoseconds> cpu_time{};
};

class PodGroups {
 public:
  /// `cgroup_root`: "/sys/fs/cgroup", or where the node's is seen; `proc_root` likewise.
  explicit PodGroups(std::string cgroup_root, std::string proc_root = "/proc");

  /// Why no pod can be seen; empty: they can.
  std::string Trouble() const;
  PodsUse Look() const;
  /// Uid of the pod that a process is of; empty: of none, or it has ended.
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
