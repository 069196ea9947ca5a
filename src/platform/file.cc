#include "platform/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "platform/descriptor.h"

namespace ebb::platform {
namespace {

Error SystemError(const Path& path, std::string_view doing) {
  const int code = errno;
  std::string next;
  if (code == ENOSPC) next = "free some disk space";
  if (code == EACCES || code == EPERM || code == EROFS) next = "check the permissions";
  return {ExitCode::kUnavailable, std::string(doing) + ": " + std::strerror(code), path.string(),
          next};
}

Status WriteAll(int descriptor, std::string_view content, const Path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Fail(SystemError(path, "cannot write"));
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Error TooLarge(const std::string& name, std::uint64_t limit_bytes) {
  return {ExitCode::kConfiguration, "is larger than " + std::to_string(limit_bytes >> 20) + " MiB",
          name, "is it the right file?"};
}

}  // namespace

Result<std::string> ReadFile(const Path& path, std::uint64_t limit_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return Fail(SystemError(path, "cannot open"));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Fail(SystemError(path, "cannot stat"));
  if (S_ISDIR(info.st_mode))
    return Fail({ExitCode::kConfiguration, "is a directory, not a file", path.string(), ""});
  std::string content;
  if (info.st_size > 0) content.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(SystemError(path, "cannot read"));
    if (count == 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
    if (content.size() > limit_bytes) return Fail(TooLarge(path.string(), limit_bytes));
  }
}

Result<std::string> Compress(const std::string& data) {
  z_stream stream{};
  // 16 + 15: gzip framing with the largest window; 8: zlib's default memory level.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return Fail({ExitCode::kUnavailable, "zlib cannot start", "", ""});
  const std::unique_ptr<z_stream, int (*)(z_stream*)> cleanup(&stream, deflateEnd);
  std::string packed(deflateBound(&stream, data.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    return Fail({ExitCode::kUnavailable, "zlib cannot compress it", "", ""});
  packed.resize(stream.total_out);
  return packed;
}

Result<std::string> MaybeGunzip(std::string data, const std::string& name,
                                std::uint64_t limit_bytes) {
  if (data.size() < 2 || data[0] != '\x1f' || data[1] != '\x8b') return data;
  z_stream stream{};
  // 16 + 15: gzip framing with the largest window.
  if (inflateInit2(&stream, 16 + 15) != Z_OK)
    return Fail({ExitCode::kUnavailable, "zlib cannot start", name, ""});
  const std::unique_ptr<z_stream, int (*)(z_stream*)> cleanup(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(data.data());
  stream.avail_in = static_cast<uInt>(data.size());
  std::string plain;
  char buffer[1 << 16];
  int state = Z_OK;
  while (state != Z_STREAM_END || stream.avail_in > 0) {
    // A gzip file may hold several members; the next one begins where the last ended.
    if (state == Z_STREAM_END) inflateReset(&stream);
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    state = inflate(&stream, Z_NO_FLUSH);
    plain.append(buffer, sizeof buffer - stream.avail_out);
    if (plain.size() > limit_bytes) return Fail(TooLarge(name, limit_bytes));
    if (state != Z_OK && state != Z_STREAM_END) {
      const bool truncated = state == Z_BUF_ERROR;
      return Fail({ExitCode::kConfiguration,
                   truncated ? "the gzip file is truncated after " + std::to_string(plain.size()) +
                                   " bytes of content"
                             : "the gzip file is damaged after " + std::to_string(plain.size()) +
                                   " bytes of content",
                   name, "download or copy it again"});
    }
  }
  return plain;
}

Result<std::string> ReadFileMaybeGzip(const Path& path, std::uint64_t limit_bytes) {
  EBB_ASSIGN_OR_RETURN(std::string data, ReadFile(path, limit_bytes));
  return MaybeGunzip(std::move(data), path.string(), limit_bytes);
}

Status MoveIntoPlace(const Path& temporary, const Path& path) {
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    Error error = SystemError(path, "cannot move into place");
    ::unlink(temporary.c_str());
    return Fail(std::move(error));
  }
  const Path directory = path.has_parent_path() ? path.parent_path() : Path(".");
  const Descriptor parent(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.valid()) ::fsync(parent.get());
  return {};
}

namespace {

Status WriteInPieces(const Path& path, const std::function<std::string_view()>& next,
                     Readers readers) {
  const Path temporary = path.string() + ".tmp" + std::to_string(::getpid());
  const auto remove_and_fail = [&](Error error) {
    ::unlink(temporary.c_str());
    return Fail(std::move(error));
  };
  const mode_t mode = readers == Readers::kOwner ? 0600 : 0644;
  // A crash may have left this file, or a program in the same folder may have put a link there.
  ::unlink(temporary.c_str());
  Descriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file.valid()) return Fail(SystemError(path, "cannot create"));
  // A replaced file keeps its permissions.
  struct stat replaced {};
  if (readers == Readers::kAll && ::stat(path.c_str(), &replaced) == 0)
    ::fchmod(file.get(), replaced.st_mode & 0777);
  for (std::string_view piece = next(); !piece.empty(); piece = next())
    if (auto written = WriteAll(file.get(), piece, path); !written)
      return remove_and_fail(written.error());
  if (::fsync(file.get()) != 0) return remove_and_fail(SystemError(path, "cannot flush to disk"));
  if (file.Close() != 0) return remove_and_fail(SystemError(path, "cannot close"));
  return MoveIntoPlace(temporary, path);
}

}  // namespace

Status WriteFileAtomically(const Path& path, std::string_view content, Readers readers) {
  return WriteInPieces(
      path, [&] { return std::exchange(content, {}); }, readers);
}

Status WriteFileAtomically(const Path& path, const std::function<std::string_view()>& next) {
  return WriteInPieces(path, next, Readers::kAll);
}

Status CheckWritableByOwnerOnly(const Path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return Fail(SystemError(path, "cannot stat"));
  if (info.st_uid != ::geteuid() && info.st_uid != 0)
    return Fail({ExitCode::kConfiguration, "belongs to another user, so it is not read",
                 path.string(), "make it yours with chown, or move it away"});
  const bool by_group = (info.st_mode & S_IWGRP) != 0 && info.st_gid != ::getegid();
  if (by_group || (info.st_mode & S_IWOTH) != 0)
    return Fail({ExitCode::kConfiguration, "can be written by others, so it is not read",
                 path.string(), "chmod go-w " + path.string()});
  return {};
}

Status EnsureWritableDirectory(const Path& path, Readers readers) {
  std::error_code code;
  if (readers == Readers::kOwner) {
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), code);
    ::mkdir(path.c_str(), 0700);  // the check below reports the reason of a failure
  }
  if (!code) std::filesystem::create_directories(path, code);
  if (code)
    return Fail({ExitCode::kUnavailable, "cannot create the directory: " + code.message(),
                 path.string(), "choose a directory that you can write to"});
  const Path probe = path / (".ebb-probe-" + std::to_string(::getpid()));
  const Descriptor file(::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return Fail(SystemError(path, "the directory is not writable"));
  ::unlink(probe.c_str());
  return {};
}

LineWriter::LineWriter(int descriptor, Path path)
    : descriptor_(descriptor), path_(std::move(path)) {}

LineWriter::LineWriter(LineWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

LineWriter& LineWriter::operator=(LineWriter&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

LineWriter::~LineWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<LineWriter> LineWriter::Open(const Path& path) {
  // A program that runs in the folder may have put a link or a pipe at this path (shared_file.h).
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  if (descriptor < 0) return Fail(SystemError(path, "cannot open for appending"));
  LineWriter writer(descriptor, path);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)))
    return Fail({ExitCode::kUnavailable, "is not a file, so nothing is appended to it",
                 path.string(), "remove it"});
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  char last = '\n';
  if (size > 0 && ::pread(descriptor, &last, 1, size - 1) != 1)
    return Fail(SystemError(path, "cannot read"));
  if (last != '\n') EBB_RETURN_IF_ERROR(WriteAll(descriptor, "\n", path));
  return writer;
}

Status LineWriter::Flush() {
  if (::fdatasync(descriptor_) != 0) return Fail(SystemError(path_, "cannot flush to disk"));
  return {};
}

Status LineWriter::Append(std::string_view line) {
  std::string whole(line);
  whole += '\n';
  return WriteAll(descriptor_, whole, path_);
}

}  // namespace ebb::platform
