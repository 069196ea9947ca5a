#include "sites/files/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/digest.h"
#include "platform/file.h"
#include "platform/shared_file.h"

namespace ebb::sites {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kPermissions = 0777;

// A full disk is nobody's fault: the job may start elsewhere, or later.
tl::unexpected<Error> Failed(const std::string& what, const fs::path& file, int code) {
  const bool is_full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  return Fail(
      {is_full ? ExitCode::kTryLater : ExitCode::kUnavailable, what + ": " + std::strerror(code),
       file.string(),
       is_full ? "make room on that disk; `du -s` of the folders there shows how much each job has"
               : ""});
}

Time TimeOf(const struct stat& info) {
  return Time{Duration{info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1'000'000}};
}

Status SetTime(const fs::path& file, Time modified) {
  const auto ms = modified.time_since_epoch().count();
  const timespec when{ms / 1000, (ms % 1000) * 1'000'000};
  const timespec times[2]{when, when};
  if (::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0)
    return Failed("cannot set its time", file, errno);
  return {};
}

Status WriteAt(const fs::path& file, std::uint64_t offset, std::string_view bytes) {
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return Failed("cannot write", file, errno);
  int code = 0;
  while (!bytes.empty() && code == 0) {
    const ssize_t written =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) code = errno;
    const auto count = static_cast<std::size_t>(std::max<ssize_t>(written, 0));
    bytes.remove_prefix(count);
    offset += count;
  }
  if (::close(descriptor) != 0 && code == 0) code = errno;
  if (code != 0) return Failed("cannot write", file, code);
  return {};
}

std::uint64_t SizeOf(const fs::path& file) {
  std::error_code none;
  const auto size = fs::file_size(file, none);
  return none ? 0 : size;
}

}  // namespace

std::function<bool(const std::string& path)> LeavesOut(std::vector<std::string> names) {
  return [names = std::move(names)](const std::string& path) {
    std::string_view name = path;
    if (name.ends_with('/')) name.remove_suffix(1);
    const auto last = name.substr(name.rfind('/') + 1);
    return std::ranges::any_of(
        names, [&](const std::string& left_out) { return left_out == name || left_out == last; });
  };
}

// Ends early once `visit` is false.
std::error_code Folder::ForEach(const Visitor& leaves_out, const Visitor& visit) const {
  std::error_code code;
  fs::recursive_directory_iterator item(root_, code), end;
  for (; !code && item != end; item.increment(code)) {
    std::error_code gone;
    const std::string path = item->path().lexically_relative(root_).generic_string();
    const bool is_folder = item->is_directory(gone) && !item->is_symlink(gone);
    if (leaves_out(is_folder ? path + "/" : path)) {
      if (is_folder) item.disable_recursion_pending();
      continue;
    }
    if (!item->is_regular_file(gone) || item->is_symlink(gone)) continue;
    if (!visit(path)) break;
  }
  return code;
}

Result<std::vector<FileFact>> Folder::List(
    const std::function<bool(const std::string&)>& leaves_out, const Limits& limits) const {
  std::vector<FileFact> files;
  std::uint64_t bytes = 0;
  bool is_too_much = false;
  const std::error_code code = ForEach(leaves_out, [&](const std::string& path) {
    FileFact file = Describe(path);
    if (file.sha256.empty()) return true;
    bytes += file.size;
    files.push_back(std::move(file));
    is_too_much = files.size() > limits.files || (limits.bytes > 0 && bytes > limits.bytes);
    return !is_too_much;
  });
  if (is_too_much)
    return Fail({ExitCode::kConfiguration,
                 "holds more than " + std::to_string(limits.files) + " files or " +
                     std::to_string(limits.bytes >> 20) + " MiB",
                 root_.string(),
                 "leave something out (leave_out), allow more (most_mb), or keep the folder on "
                 "both machines (folder: same)"});
  if (code) return Failed("cannot be read", root_, code.value());
  std::ranges::sort(files, {}, &FileFact::path);
  return files;
}

std::uint64_t Folder::Size(const std::function<bool(const std::string&)>& leaves_out,
                           const Limits& limits) const {
  std::uint64_t bytes = 0, files = 0;
  std::ignore = ForEach(leaves_out, [&](const std::string& path) {
    bytes += SizeOf(root_ / path);
    ++files;
    return files < limits.files && (limits.bytes == 0 || bytes < limits.bytes);
  });
  return bytes;
}

FileFact Folder::Describe(const std::string& path) const {
  FileFact file;
  file.path = path;
  const fs::path name = root_ / path;
  struct stat info {};
  if (::lstat(name.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return file;
  const auto digest = platform::Sha256OfFile(name);
  if (!digest) return file;
  file.size = digest->size;
  file.mode = static_cast<std::uint32_t>(info.st_mode) & kPermissions;
  file.modified = TimeOf(info);
  file.sha256 = digest->sha256;
  return file;
}

fs::path Folder::PartOf(const FileFact& file) const { return incoming_ / (file.sha256 + ".part"); }

Result<Held> Folder::Have(const FileFact& file) const {
  EBB_RETURN_IF_ERROR(CheckName(file.path));
  EBB_RETURN_IF_ERROR(CheckDigest(file.sha256));
  std::error_code none;
  if (SizeOf(root_ / file.path) == file.size && fs::exists(root_ / file.path, none) &&
      Describe(file.path).SameContent(file)) {
    ::chmod((root_ / file.path).c_str(), file.mode & kPermissions);
    std::ignore = SetTime(root_ / file.path, file.modified);
    return Held{true, file.size};
  }
  // A file whose parts are all there lacks its name only: the last byte is put again.
  return Held{false, std::min(SizeOf(PartOf(file)), file.size > 0 ? file.size - 1 : 0)};
}

Status Folder::MakeParents(const std::string& path) const {
  std::error_code code;
  fs::create_directories(root_, code);
  fs::path folder = root_;
  const fs::path parent = fs::path(path).parent_path();
  for (const fs::path& name : parent) {
    folder /= name;
    if (::mkdir(folder.c_str(), kPermissions) != 0 && errno != EEXIST)
      return Failed("cannot be made", folder, errno);
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
      return Fail({ExitCode::kUnavailable, "is not a folder", folder.string(), ""});
  }
  return {};
}

Result<std::uint64_t> Folder::Put(const FileFact& file, std::uint64_t offset,
                                  std::string_view bytes) {
  EBB_RETURN_IF_ERROR(CheckName(file.path));
  EBB_RETURN_IF_ERROR(CheckDigest(file.sha256));
  std::error_code code;
  fs::create_directories(incoming_, code);
  const fs::path part = PartOf(file);
  if (offset > SizeOf(part) || offset + bytes.size() > file.size)
    return Fail({ExitCode::kUsage, "a part does not fit", file.path, ""});
  EBB_RETURN_IF_ERROR(WriteAt(part, offset, bytes));
  const std::uint64_t have = offset + bytes.size();
  if (have < file.size) return have;
  EBB_ASSIGN_OR_RETURN(const platform::FileDigest digest, platform::Sha256OfFile(part));
  if (digest.size != file.size || digest.sha256 != file.sha256) {
    fs::remove(part, code);
    return Fail({ExitCode::kUnavailable, "came with another content than was sent", file.path,
                 "it is sent again"});
  }
  EBB_RETURN_IF_ERROR(MakeParents(file.path));
  ::chmod(part.c_str(), file.mode & kPermissions);
  EBB_RETURN_IF_ERROR(SetTime(part, file.modified));
  EBB_RETURN_IF_ERROR(platform::MoveIntoPlace(part, root_ / file.path));
  return have;
}

Status Folder::Grow(const std::string& path, std::uint64_t offset, std::string_view bytes) const {
  EBB_RETURN_IF_ERROR(CheckName(path));
  return WriteAt(root_ / path, offset, bytes);
}

Result<std::string> Folder::Get(const std::string& path, std::uint64_t offset,
                                std::uint64_t most) const {
  EBB_RETURN_IF_ERROR(CheckName(path));
  EBB_ASSIGN_OR_RETURN(const auto file, platform::SharedFile::Open(root_ / path));
  return file.Read(offset, most);
}

void Folder::RemoveOthers(const std::string& folder, const std::vector<FileFact>& files) const {
  if (!CheckName(folder)) return;
  std::error_code code;
  std::vector<fs::path> others;
  fs::recursive_directory_iterator item(root_ / folder, code), end;
  for (; !code && item != end; item.increment(code)) {
    std::error_code gone;
    const std::string path = item->path().lexically_relative(root_).generic_string();
    if (!item->is_directory(gone) && !FindFile(files, path)) others.push_back(item->path());
  }
  for (const fs::path& other : others) fs::remove(other, code);
}

}  // namespace ebb::sites
