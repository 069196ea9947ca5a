#include "platform/line_reader.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>

namespace ebb::platform {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;

}  // namespace

// zlib's functions also read files that are not compressed.
struct LineReader::Stream {
  gzFile file = nullptr;
  explicit Stream(gzFile opened) : file(opened) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { gzclose(file); }
};

LineReader::LineReader(std::unique_ptr<Stream> stream, Path path, std::size_t limit_bytes)
    : stream_(std::move(stream)), path_(std::move(path)), limit_bytes_(limit_bytes) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<LineReader> LineReader::Open(const Path& path, std::size_t limit_bytes) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return Fail({ExitCode::kConfiguration, "is a folder, not a file", path.string(), ""});
  errno = 0;
  gzFile file = gzopen(path.c_str(), "rbe");
  if (file == nullptr)
    return Fail(
        {ExitCode::kConfiguration,
         std::string("cannot be opened: ") + (errno != 0 ? std::strerror(errno) : "no memory"),
         path.string(), ""});
  auto stream = std::make_unique<Stream>(file);
  gzbuffer(file, kBlockBytes);
  return LineReader(std::move(stream), path, limit_bytes);
}

std::string LineReader::Where() const {
  return path_.string() + ":" + std::to_string(line_number_);
}

tl::unexpected<Error> LineReader::Failed(std::string what) const {
  return Fail({ExitCode::kConfiguration, std::move(what),
               path_.string() + ":" + std::to_string(line_number_ + 1), ""});
}

Result<bool> LineReader::ReadMore() {
  ahead_.erase(0, begin_);
  begin_ = 0;
  const std::size_t had = ahead_.size();
  ahead_.resize(had + kBlockBytes);
  const int got = gzread(stream_->file, ahead_.data() + had, static_cast<unsigned>(kBlockBytes));
  ahead_.resize(had + static_cast<std::size_t>(got > 0 ? got : 0));
  int state = Z_OK;
  const char* message = gzerror(stream_->file, &state);
  if (got < 0 || (got == 0 && state == Z_BUF_ERROR))
    return Failed(state == Z_BUF_ERROR ? "the gzip file is truncated here"
                                       : std::string("cannot be read further: ") +
                                             (state == Z_ERRNO ? std::strerror(errno) : message));
  return got > 0;
}

Result<bool> LineReader::Next(std::string& line) {
  std::size_t looked = begin_;
  for (;;) {
    const std::size_t end = ahead_.find('\n', looked);
    const bool ended = end != ahead_.npos;
    const std::size_t length = (ended ? end : ahead_.size()) - begin_;
    if (length > limit_bytes_)
      return Failed("the line is longer than " + std::to_string(limit_bytes_) + " bytes");
    if (ended) {
      line.assign(ahead_, begin_, length);
      begin_ = end + 1;
      break;
    }
    EBB_ASSIGN_OR_RETURN(const bool more, ReadMore());
    looked = length;
    if (more) continue;
    if (length == 0) return false;
    line.assign(ahead_, begin_, length);
    begin_ = ahead_.size();
    break;
  }
  if (line.ends_with('\r')) line.pop_back();
  ++line_number_;
  return true;
}

}  // namespace ebb::platform
