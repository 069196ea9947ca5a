#include "meter/sharing/pod_groups.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "meter/small_file.h"

namespace ebb::meter {
namespace {

namespace fs = std::filesystem;
using std::chrono::nanoseconds;

constexpr std::string_view kPodMark = "pod", kSlice = ".slice";
constexpr std::size_t kShortestUid = 8;
// Levels below the root: the kubelet's own group, kubepods, the class, the pod.
constexpr int kDeepest = 5;

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool IsUid(std::string_view text) {
  return text.size() >= kShortestUid &&
         std::ranges::all_of(text, [](char c) { return IsHex(c) || c == '-'; });
}

// True for the names of groups between the root and the pods.
bool LeadsToPods(std::string_view name) {
  return name.find("kubepods") != std::string_view::npos ||
         name.find("kubelet") != std::string_view::npos || name == "burstable" ||
         name == "besteffort" || name == "guaranteed";
}

bool IsTop(std::string_view name) {
  return name == "kubepods" || name == "kubepods.slice" || name.ends_with("-kubepods.slice");
}

std::vector<fs::path> DirectoriesIn(const std::string& directory) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) found.push_back(at->path());
  }
  return found;
}

}  // namespace

std::string PodOfGroup(std::string_view name) {
  const bool is_slice = name.ends_with(kSlice);
  if (is_slice) name.remove_suffix(kSlice.size());
  if (is_slice) {
    const auto mark = name.rfind("-pod");
    if (mark == std::string_view::npos) return "";
    name.remove_prefix(mark + 1);
  }
  if (!name.starts_with(kPodMark)) return "";
  std::string uid(name.substr(kPodMark.size()));
  if (is_slice) std::ranges::replace(uid, '_', '-');
  return IsUid(uid) ? uid : "";
}

PodGroups::PodGroups(std::string cgroup_root, std::string proc_root)
    : proc_root_(std::move(proc_root)), cgroup_root_(std::move(cgroup_root)) {
  places_ = FindPlaces();
}

PodGroups::Places PodGroups::FindPlaces() const {
  std::error_code error;
  if (fs::exists(cgroup_root_ + "/cgroup.controllers", error))
    return {cgroup_root_, cgroup_root_, true};
  Places places;
  for (const char* name : {"cpuacct", "cpu,cpuacct"})
    if (places.cpu.empty() && fs::is_directory(cgroup_root_ + "/" + name, error))
      places.cpu = cgroup_root_ + "/" + name;
  if (fs::is_directory(cgroup_root_ + "/memory", error)) places.memory = cgroup_root_ + "/memory";
  return places;
}

std::string PodGroups::Trouble() const {
  if (places_.cpu.empty()) return "there are no control groups at " + cgroup_root_;
  if (Tops(places_.cpu).empty())
    return "there is no group of pods (kubepods) below " + places_.cpu + " yet";
  return "";
}

// The groups that hold all pods.
std::vector<std::string> PodGroups::Tops(const std::string& root) const {
  std::vector<std::string> tops, open{root};
  for (int depth = 0; depth < 2; ++depth)
    for (const std::string& directory : std::exchange(open, {}))
      for (const fs::path& path : DirectoriesIn(directory)) {
        const std::string name = path.filename().string();
        if (IsTop(name))
          tops.push_back(path.string());
        else if (LeadsToPods(name))
          open.push_back(path.string());
      }
  return tops;
}

void PodGroups::Walk(const std::string& directory, int depth,
                     std::map<std::string, std::string>& found) const {
  if (depth > kDeepest) return;
  for (const fs::path& path : DirectoriesIn(directory)) {
    const std::string name = path.filename().string();
    if (std::string uid = PodOfGroup(name); !uid.empty())
      found.try_emplace(std::move(uid), path.string());
    else if (LeadsToPods(name))
      Walk(path.string(), depth + 1, found);
  }
}

std::optional<nanoseconds> PodGroups::CpuTimeOf(const std::string& directory) const {
  if (places_.unified) {
    const auto microseconds = ReadNumberOf(directory + "/cpu.stat", "usage_usec");
    return microseconds ? std::optional<nanoseconds>(std::chrono::microseconds(*microseconds))
                        : std::nullopt;
  }
  const auto used = ReadNumber((directory + "/cpuacct.usage").c_str());
  return used ? std::optional(nanoseconds(*used)) : std::nullopt;
}

// Memory as in the kubelet's working set: file pages that were not used lately do not count,
// because the kernel can drop them.
std::optional<double> PodGroups::MemoryOf(const std::string& directory) const {
  const std::string usage = places_.unified ? "/memory.current" : "/memory.usage_in_bytes";
  const auto bytes = ReadNumber((directory + usage).c_str());
  if (!bytes) return std::nullopt;
  const char* droppable = places_.unified ? "inactive_file" : "total_inactive_file";
  const auto dropped = ReadNumberOf(directory + "/memory.stat", droppable).value_or(0);
  return static_cast<double>(std::max<std::int64_t>(0, *bytes - dropped));
}

PodsUse PodGroups::Look() const {
  PodsUse use;
  if (places_.cpu.empty()) return use;
  std::map<std::string, std::string> groups, of_memory;
  const std::vector<std::string> tops = Tops(places_.cpu);
  // The total of all pods is read last, so that it is never less than its parts.
  for (const std::string& top : tops) Walk(top, 1, groups);
  if (places_.unified)
    of_memory = groups;
  else if (!places_.memory.empty())
    for (const std::string& top : Tops(places_.memory)) Walk(top, 1, of_memory);
  for (const auto& [uid, directory] : groups) {
    const auto cpu_time = CpuTimeOf(directory);
    if (!cpu_time) continue;  // the group is gone meanwhile
    const auto memory = of_memory.find(uid);
    use.pods[uid] = {*cpu_time,
                     memory == of_memory.end() ? std::nullopt : MemoryOf(memory->second)};
  }
  for (const std::string& top : tops)
    if (const auto cpu_time = CpuTimeOf(top))
      use.cpu_time = use.cpu_time.value_or(nanoseconds{}) + *cpu_time;
  return use;
}

std::string PodGroups::PodOf(pid_t pid) const {
  char buffer[8192];
  const std::string file = proc_root_ + "/" + std::to_string(pid) + "/cgroup";
  const auto text = ReadSmallFile(file.c_str(), buffer);
  if (!text) return "";
  for (const std::string_view line : Split(*text, '\n'))
    for (const std::string_view part : Split(line, '/'))
      if (std::string uid = PodOfGroup(part); !uid.empty()) return uid;
  return "";
}

}  // namespace ebb::meter
