#include "sites/home/run_files.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "local/process/grid_file.h"
#include "platform/file.h"
#include "platform/shared_file.h"

namespace ebb::sites {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kSetAside = "from-site";
constexpr std::uint64_t kLongestList = 256 << 20;

// Files of the service in the run directory, which the site has no use for, and the grid, which
// grid_there.h sends.
bool IsOurs(const std::string& path) {
  return path.starts_with("attempt-") || path == local::kGridFile || path == "incoming/" ||
         path == std::string(kSetAside) + "/";
}

std::uint64_t SizeOf(const fs::path& file) {
  std::error_code none;
  const auto size = fs::file_size(file, none);
  return none ? 0 : size;
}

}  // namespace

RunFiles::RunFiles(local::AttemptPaths paths, local::RemotePlace place)
    : paths_(std::move(paths)), place_(std::move(place)) {}

Status RunFiles::Send(FileTransfer& transfer) {
  EBB_ASSIGN_OR_RETURN(const auto run, Run().List(IsOurs, {}));
  EBB_RETURN_IF_ERROR(transfer.Send(Run(), Root::kRun, run, kCheckpoints));
  if (place_.folder.empty()) return {};
  const Folder work(place_.folder, paths_.directory / "incoming");
  EBB_ASSIGN_OR_RETURN(const auto files,
                       work.List(LeavesOut(place_.leave_out), {.bytes = place_.most_bytes}));
  EBB_RETURN_IF_ERROR(transfer.Send(work, Root::kWork, files));
  return platform::WriteFileAtomically(paths_.sent(), ToFieldText(ListAnswer{files}));
}

std::vector<ReadUpTo> RunFiles::Followed() const {
  const std::string attempt = "attempt-" + std::to_string(paths_.attempt);
  std::vector<ReadUpTo> files;
  for (const std::string& name :
       {attempt + ".energy", attempt + ".log", attempt + ".faults", attempt + ".run",
        std::string("budget.events"), std::string(core::kProgressFile)})
    files.push_back({name, SizeOf(paths_.directory / name)});
  return files;
}

Result<bool> RunFiles::Take(const LookAnswer& answer, const std::string& bytes) {
  const std::vector<ReadUpTo> followed = Followed();
  std::size_t at = 0;
  bool more = false;
  for (const LookAnswer::Part& part : answer.parts) {
    const auto asked = std::ranges::find(followed, part.path, &ReadUpTo::path);
    if (asked == followed.end() || part.offset < asked->offset || part.bytes > bytes.size() - at)
      return Fail({ExitCode::kUnavailable, "the site answers for another file", part.path, ""});
    EBB_RETURN_IF_ERROR(Run().Grow(part.path, part.offset, bytes.substr(at, part.bytes)));
    at += part.bytes;
    more = more || part.offset + part.bytes < part.size;
  }
  return more;
}

Status RunFiles::Fetch(FileTransfer& transfer, std::vector<std::string>& notes) {
  EBB_ASSIGN_OR_RETURN(const auto files, transfer.ListOf(Root::kRun));
  Folder run = Run();
  const std::vector<ReadUpTo> followed = Followed();
  for (const FileFact& file : files) {
    // A log whose older part was dropped has other bytes here.
    const bool is_followed =
        std::ranges::find(followed, file.path, &ReadUpTo::path) != followed.end();
    // The events of a budget that is watched here are more than those that were sent.
    if (is_followed && SizeOf(run.root() / file.path) >= file.size) continue;
    EBB_RETURN_IF_ERROR(CheckName(file.path));
    EBB_RETURN_IF_ERROR(transfer.Fetch(Root::kRun, file, run));
  }
  run.RemoveOthers(kCheckpoints, files);
  return place_.folder.empty() ? Status{} : FetchWork(transfer, notes);
}

Status RunFiles::FetchWork(FileTransfer& transfer, std::vector<std::string>& notes) {
  EBB_ASSIGN_OR_RETURN(const auto files, transfer.ListOf(Root::kWork));
  const auto text = platform::ReadSharedFile(paths_.sent(), kLongestList);
  const ListAnswer sent =
      text ? FromFieldText<ListAnswer>(*text, "").value_or(ListAnswer{}) : ListAnswer{};
  Folder work(place_.folder, paths_.directory / "incoming");
  Folder aside(paths_.directory / kSetAside, paths_.directory / "incoming");
  for (const FileFact& file : files) {
    EBB_RETURN_IF_ERROR(CheckName(file.path));
    const FileFact* const as_sent = FindFile(sent.files, file.path);
    if (as_sent && as_sent->SameContent(file)) continue;
    const FileFact here = work.Describe(file.path);
    if (here.SameContent(file)) continue;
    const bool changed_here = !here.sha256.empty() && !(as_sent && as_sent->SameContent(here));
    EBB_RETURN_IF_ERROR(transfer.Fetch(Root::kWork, file, changed_here ? aside : work));
    if (changed_here)
      notes.push_back(file.path + " has changed here since the job began, so what the job wrote " +
                      "on site " + place_.site + " is in " + (aside.root() / file.path).string());
  }
  return {};
}

void RunFiles::CleanUp() const {
  std::error_code ignored;
  fs::remove_all(paths_.directory / "incoming", ignored);
}

Interval RunFiles::Measured() const {
  local::EnergyTail tail(paths_.energy());
  Interval measured{};
  do {
    for (const core::EnergyReading& reading : tail.Read())
      measured.end = std::max(measured.end, reading.wall.end);
  } while (tail.has_more());
  if (tail.header()) measured.begin = tail.header()->wall_begin;
  measured.end = std::max(measured.begin, measured.end);
  return measured;
}

std::string RunFiles::WithNotes(const std::string& end, const std::vector<std::string>& notes) {
  if (notes.empty()) return end;
  auto read = local::EndFrom(end);
  if (!read) return end;
  read->warnings.insert(read->warnings.end(), notes.begin(), notes.end());
  return local::TextOf(*read);
}

}  // namespace ebb::sites
