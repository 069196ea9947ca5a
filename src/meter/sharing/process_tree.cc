#include "meter/sharing/process_tree.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>

#include "meter/cpu/cpu_info.h"
#include "meter/small_file.h"

namespace ebb::meter {
namespace {

using std::chrono::nanoseconds;

// Entries of a directory whose names are numbers: processes of /proc, threads of a process.
std::vector<pid_t> NumberedEntries(const char* path) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path), ::closedir);
  if (!directory) return numbers;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name(entry->d_name);
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

nanoseconds FromTimeval(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

nanoseconds TimeOf(int whose) {
  rusage usage{};
  ::getrusage(whose, &usage);
  return FromTimeval(usage.ru_utime) + FromTimeval(usage.ru_stime);
}

nanoseconds TimeOfWaitedChildren() { return TimeOf(RUSAGE_CHILDREN); }

}  // namespace

struct ProcessTree::Stat {
  pid_t pid = 0;
  pid_t parent = 0;
  std::int64_t threads = 1;
  std::int64_t start_ticks = 0;
  Time own{};
  Time waited{};
  double resident_bytes = 0;
};

ProcessTree::ProcessTree(std::string proc_root, std::vector<pid_t> roots)
    : proc_root_(std::move(proc_root)), roots_(std::move(roots)), buffer_(4096) {}

bool ProcessTree::Start() {
  processes_.clear();
  index_.clear();
  self_ = {};
  self_.waited = TimeOfWaitedChildren();
  for (const pid_t root : roots_) pending_.push_back(root);
  VisitDescendants();
  // If this process is in the tree itself, it has its own account for the children it waits for.
  const bool is_inside = Find(::getpid()) != nullptr;
  parent_of_root_ =
      !is_inside && std::any_of(processes_.begin(), processes_.end(), [](const Process& process) {
        return process.parent == ::getpid();
      });
  total_ = {};
  return !processes_.empty();
}

TreeUsage ProcessTree::Sample() {
  Look();
  return {total_, resident_bytes_, living_};
}

// One look at the whole tree. Parents are read before their children: a child that ends in between
// is then missing here and shows up in its parent's waited-for time now or at the next look, never
// earlier, which is what the debts in SettleEnded rely on.
void ProcessTree::Look() {
  ++look_;
  living_ = 0;
  resident_bytes_ = 0;
  if (parent_of_root_) LookAtOwnChildren();
  if (!has_children_lists_) ScanAll();
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].looked_at == look_) continue;
    if (Visit(processes_[i].pid, processes_[i].start_ticks)) VisitDescendants();
  }
  SettleEnded();
  SettleWaited(self_);
  for (Process& process : processes_) SettleWaited(process);
}

bool ProcessTree::Visit(pid_t pid, std::int64_t expected_start_ticks) {
  Stat stat;
  if (!ReadStat(pid, stat) || stat.start_ticks != expected_start_ticks) return false;
  Update(stat);
  PushChildren(pid, stat.threads);
  return true;
}

void ProcessTree::VisitDescendants() {
  while (!pending_.empty()) {
    const pid_t pid = pending_.back();
    pending_.pop_back();
    const Process* known = Find(pid);
    if (known && known->looked_at == look_) continue;
    Stat stat;
    if (!ReadStat(pid, stat)) continue;
    Update(stat);
    PushChildren(pid, stat.threads);
  }
}

void ProcessTree::Update(const Stat& stat) {
  ++living_;
  resident_bytes_ += stat.resident_bytes;
  Process* process = Find(stat.pid);
  if (!process || process->start_ticks != stat.start_ticks) {
    // The process is new in the tree, so all of its time was spent in the tree. An ended process
    // that had the same pid stays in the list, without index, until SettleEnded.
    index_[stat.pid] = processes_.size();
    process = &processes_.emplace_back();
    process->pid = stat.pid;
    process->start_ticks = stat.start_ticks;
  }
  process->looked_at = look_;
  process->parent = stat.parent;
  total_ += std::max(Time{}, stat.own - process->own);
  process->waited_growth = std::max(Time{}, stat.waited - process->waited);
  process->own = std::max(process->own, stat.own);
  process->waited = std::max(process->waited, stat.waited);
}

void ProcessTree::PushChildren(pid_t pid, std::int64_t threads) {
  if (!has_children_lists_) {
    for (const auto& [parent, child] : scanned_) {
      if (parent == pid) pending_.push_back(child);
    }
    return;
  }
  char path[512];
  std::vector<pid_t> thread_ids{pid};
  if (threads > 1) {
    std::snprintf(path, sizeof path, "%s/%d/task", proc_root_.c_str(), pid);
    thread_ids = NumberedEntries(path);
  }
  for (const pid_t thread : thread_ids) {
    std::snprintf(path, sizeof path, "%s/%d/task/%d/children", proc_root_.c_str(), pid, thread);
    errno = 0;
    const auto text = ReadWhole(path);
    if (!text && errno == ENOENT && thread == pid) {
      // Here the process is gone, or this kernel has no lists of children.
      Stat stat;
      if (!ReadStat(pid, stat)) return;
      has_children_lists_ = false;
      ScanAll();
      return PushChildren(pid, threads);
    }
    Fields fields(text.value_or(""));
    while (const auto child = fields.NextNumber()) pending_.push_back(static_cast<pid_t>(*child));
  }
}

// A list that fills the buffer may end in the middle of a number.
std::optional<std::string_view> ProcessTree::ReadWhole(const char* path) {
  for (;;) {
    const auto text = ReadSmallFile(path, buffer_);
    if (!text || text->size() < buffer_.size()) return text;
    buffer_.resize(2 * buffer_.size());
  }
}

bool ProcessTree::ReadStat(pid_t pid, Stat& stat) {
  char path[512];
  char content[1024];
  std::snprintf(path, sizeof path, "%s/%d/stat", proc_root_.c_str(), pid);
  const auto text = ReadSmallFile(path, content);
  if (!text) return false;
  // The name in parentheses may itself hold blanks and parentheses.
  const auto name_end = text->rfind(')');
  if (name_end == std::string_view::npos) return false;
  Fields fields(text->substr(name_end + 1));
  const auto parent = fields.Skip(1).NextNumber();
  const auto user = fields.Skip(9).NextNumber();
  const auto system = fields.NextNumber();
  const auto waited_user = fields.NextNumber();
  const auto waited_system = fields.NextNumber();
  const auto threads = fields.Skip(2).NextNumber();
  const auto start = fields.Skip(1).NextNumber();
  const auto resident_pages = fields.Skip(1).NextNumber();
  if (!parent || !user || !system || !waited_user || !waited_system || !threads || !start ||
      !resident_pages)
    return false;
  static const double page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  stat.pid = pid;
  stat.parent = static_cast<pid_t>(*parent);
  stat.threads = *threads;
  stat.start_ticks = *start;
  stat.own = FromClockTicks(*user + *system);
  stat.waited = FromClockTicks(*waited_user + *waited_system);
  // A process that measures itself may be over before a tick has passed.
  if (pid == ::getpid() && proc_root_ == "/proc") {
    stat.own = TimeOf(RUSAGE_SELF);
    stat.waited = TimeOfWaitedChildren();
  }
  stat.resident_bytes = static_cast<double>(*resident_pages) * page_bytes;
  return true;
}

void ProcessTree::ScanAll() {
  scanned_.clear();
  for (const pid_t pid : NumberedEntries(proc_root_.c_str())) {
    Stat stat;
    if (ReadStat(pid, stat)) scanned_.emplace_back(stat.parent, pid);
  }
}

void ProcessTree::LookAtOwnChildren() {
  const Time waited = TimeOfWaitedChildren();
  self_.waited_growth = waited - self_.waited;
  self_.waited = waited;
}

// Charges the time that was counted for ended processes to the process that will have waited for
// them.
void ProcessTree::SettleEnded() {
  for (const Process& process : processes_) {
    if (process.looked_at == look_) continue;
    if (Process* heir = NearestLiving(process)) heir->debt += process.own + process.waited;
  }
  std::erase_if(processes_, [this](const Process& process) { return process.looked_at != look_; });
  index_.clear();
  for (std::size_t i = 0; i < processes_.size(); ++i) index_[processes_[i].pid] = i;
}

// The time of children that a process has waited for is new, except for the part that was counted
// while they lived. A debt that is not claimed by the second look never will be: the parent did not
// wait.
void ProcessTree::SettleWaited(Process& process) {
  const Time from_older = std::min(process.older_debt, process.waited_growth);
  process.waited_growth -= from_older;
  const Time from_new = std::min(process.debt, process.waited_growth);
  total_ += process.waited_growth - from_new;
  process.waited_growth = {};
  process.older_debt = process.debt - from_new;
  process.debt = {};
}

ProcessTree::Process* ProcessTree::NearestLiving(const Process& ended) {
  const pid_t self = ::getpid();
  pid_t parent = ended.parent;
  // Chains are as short as the tree is deep; the bound guards against a loop through a reused pid.
  for (std::size_t step = 0; step <= processes_.size(); ++step) {
    if (parent == self && parent_of_root_) return &self_;
    Process* process = Find(parent);
    if (!process) return nullptr;
    if (process->looked_at == look_) return process;
    parent = process->parent;
  }
  return nullptr;
}

ProcessTree::Process* ProcessTree::Find(pid_t pid) {
  const auto found = index_.find(pid);
  return found == index_.end() ? nullptr : &processes_[found->second];
}

}  // namespace ebb::meter
