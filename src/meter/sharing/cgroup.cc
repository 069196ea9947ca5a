#include "meter/sharing/cgroup.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <vector>

#include "base/text.h"
#include "meter/small_file.h"
#include "platform/file.h"

namespace ebb::meter {
namespace {

constexpr std::size_t kMostText = 1 << 20;

std::string TextOf(const std::string& file) {
  return platform::ReadFile(file, kMostText).value_or("");
}

// The path behind "0::" in /proc/self/cgroup.
std::optional<std::string> OwnPath(const std::string& proc_root) {
  const std::string text = TextOf(proc_root + "/self/cgroup");
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with("0::/")) return std::string(line.substr(3));
  }
  return std::nullopt;
}

struct Mount {
  std::string root;  ///< group that the mount shows as its top
  std::string directory;
};

// "36 35 0:31 / /sys/fs/cgroup rw - cgroup2 cgroup rw"
std::optional<Mount> FindMount(const std::string& proc_root) {
  const std::string text = TextOf(proc_root + "/self/mountinfo");
  for (const std::string_view line : Split(text, '\n')) {
    if (line.find(" - cgroup2 ") == std::string_view::npos) continue;
    Fields fields(line);
    fields.Skip(3);
    Mount mount;
    mount.root = fields.Next();
    mount.directory = fields.Next();
    if (!mount.directory.empty()) return mount;
  }
  return std::nullopt;
}

struct Own {
  std::string directory;
  bool is_top = false;  ///< true: the top of the groups that this process can see
};

std::optional<Own> OwnGroup(const std::string& proc_root) {
  const auto mount = FindMount(proc_root);
  const auto path = OwnPath(proc_root);
  if (!mount || !path || path->find("/..") != std::string::npos) return std::nullopt;
  std::string below = *path;
  if (mount->root != "/") {
    if (!below.starts_with(mount->root)) return std::nullopt;
    below.erase(0, mount->root.size());
  }
  if (below == "/") below.clear();
  return Own{mount->directory + below, below.empty()};
}

bool IsDelegated(const std::string& directory) {
  struct stat status {};
  if (::geteuid() != 0 && ::stat(directory.c_str(), &status) == 0 && status.st_uid == ::geteuid())
    return true;
  for (const char* mark : {"user.delegate", "trusted.delegate"}) {
    char value[8] = {};
    if (::getxattr(directory.c_str(), mark, value, sizeof value - 1) > 0 && value[0] == '1')
      return true;
  }
  return false;
}

std::optional<std::string> Parent(const std::string& proc_root) {
  const auto own = OwnGroup(proc_root);
  if (!own || !(own->is_top || IsDelegated(own->directory))) return std::nullopt;
  if (::access(own->directory.c_str(), W_OK) != 0) return std::nullopt;
  // A process can be moved from here to a group below only if this file is writable.
  if (::access((own->directory + "/cgroup.procs").c_str(), W_OK) != 0) return std::nullopt;
  return own->directory;
}

// Remembers the groups whose programs left something running.
class LeftBehind {
 public:
  void Add(std::string directory) {
    const std::lock_guard lock(mutex_);
    directories_.push_back(std::move(directory));
  }
  void RemoveEmpty() {
    const std::lock_guard lock(mutex_);
    std::erase_if(directories_, [](const std::string& directory) {
      return ::rmdir(directory.c_str()) == 0 || errno == ENOENT;
    });
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> directories_;
};

LeftBehind& OurLeftBehind() {
  static LeftBehind left_behind;
  return left_behind;
}

// Removes the groups of Ebb processes that were killed, unless a process is left in them.
void RemoveOfTheDead(const std::string& parent, const std::string& proc_root) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("ebb-")) continue;
    const std::string pid(Split(std::string_view(name).substr(4), '-')[0]);
    std::error_code ignored;
    if (!std::filesystem::exists(proc_root + "/" + pid, ignored)) ::rmdir(entry.path().c_str());
  }
}

std::vector<pid_t> ProcessesIn(const std::string& directory) {
  std::vector<pid_t> members;
  const std::string text = TextOf(directory + "/cgroup.procs");
  for (const std::string_view line : Split(text, '\n'))
    if (const auto pid = ParseInteger(line); pid && *pid > 0)
      members.push_back(static_cast<pid_t>(*pid));
  return members;
}

// SIGKILL goes through cgroup.kill (Linux 5.14), which misses no process. Otherwise each process
// gets the signal.
void SendTo(const std::string& directory, int signal_number) {
  if (signal_number == SIGKILL) {
    std::ofstream kill(directory + "/cgroup.kill", std::ios::in);
    if (kill << "1" << std::flush) return;
  }
  for (const pid_t pid : ProcessesIn(directory)) ::kill(pid, signal_number);
}

std::string IdentityOf(const std::string& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) return "";
  return std::to_string(status.st_ino) + ":" + directory;
}

// The directory of the group with this identity; nullopt if that group is gone.
std::optional<std::string> DirectoryOf(const std::string& identity) {
  const auto between = identity.find(':');
  if (between == std::string::npos) return std::nullopt;
  std::string directory = identity.substr(between + 1);
  if (IdentityOf(directory) != identity) return std::nullopt;
  return directory;
}

}  // namespace

std::vector<pid_t> Cgroup::Members() const { return ProcessesIn(directory_); }
void Cgroup::SendSignal(int signal_number) const { SendTo(directory_, signal_number); }
std::string Cgroup::Identity() const { return IdentityOf(directory_); }

std::vector<pid_t> Cgroup::MembersOf(const std::string& identity) {
  const auto directory = DirectoryOf(identity);
  return directory ? ProcessesIn(*directory) : std::vector<pid_t>();
}

void Cgroup::End(const std::string& identity) {
  if (const auto directory = DirectoryOf(identity)) SendTo(*directory, SIGKILL);
}

bool Cgroup::Permitted(const std::string& proc_root) { return Parent(proc_root).has_value(); }

std::unique_ptr<Cgroup> Cgroup::Create(const std::string& proc_root) {
  static std::atomic<int> made{0};
  const auto parent = Parent(proc_root);
  if (!parent) return nullptr;
  OurLeftBehind().RemoveEmpty();
  RemoveOfTheDead(*parent, proc_root);
  const std::string directory =
      *parent + "/ebb-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
  if (::mkdir(directory.c_str(), 0755) != 0) return nullptr;
  return std::unique_ptr<Cgroup>(new Cgroup(directory));
}

Cgroup::~Cgroup() {
  if (::rmdir(directory_.c_str()) != 0) OurLeftBehind().Add(directory_);
}

std::optional<std::chrono::nanoseconds> Cgroup::CpuTime() const {
  const auto microseconds = ReadNumberOf(directory_ + "/cpu.stat", "usage_usec");
  if (!microseconds) return std::nullopt;
  return std::chrono::microseconds(*microseconds);
}

std::optional<std::int64_t> Cgroup::OomKills() const {
  return ReadNumberOf(directory_ + "/memory.events", "oom_kill");
}

std::optional<double> Cgroup::MemoryBytes() const {
  const auto bytes = ReadNumber((directory_ + "/memory.current").c_str());
  if (!bytes) return std::nullopt;
  return static_cast<double>(*bytes);
}

bool Cgroup::Holds(pid_t pid) const {
  const std::string text = TextOf(procs_file());
  const std::string wanted = std::to_string(pid);
  for (const std::string_view line : Split(text, '\n')) {
    if (line == wanted) return true;
  }
  return false;
}

}  // namespace ebb::meter
