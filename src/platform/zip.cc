#include "platform/zip.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

namespace ebb::platform {
namespace {

constexpr std::string_view kFileMark = "PK\x03\x04", kDirectoryMark = "PK\x01\x02",
                           kEndMark = "PK\x05\x06";
constexpr std::size_t kFileBytes = 30, kDirectoryBytes = 46, kEndBytes = 22;
constexpr std::size_t kMostCommentBytes = 0xffff;

// Reads a little-endian whole number. The caller has checked that `data` holds its bytes.
std::size_t Number(std::string_view data, std::size_t at, std::size_t bytes) {
  std::size_t number = 0;
  for (std::size_t i = bytes; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(data[at + i]);
  return number;
}

bool Has(std::string_view data, std::size_t at, std::size_t bytes) {
  return at <= data.size() && bytes <= data.size() - at;
}

std::string Shown(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  return name;
}

struct Listed {
  std::string name;
  std::size_t flags, method, sum, packed_bytes, bytes, begin;
};

class Reader {
 public:
  Reader(std::string_view data, const std::string& name, std::uint64_t limit_bytes)
      : data_(data), name_(name), limit_bytes_(limit_bytes) {}

  Result<std::vector<ZipEntry>> Read() {
    std::vector<ZipEntry> entries;
    EBB_ASSIGN_OR_RETURN(const auto listed, Directory());
    std::uint64_t bytes = 0;
    for (const Listed& entry : listed) {
      bytes += entry.bytes;
      if (bytes > limit_bytes_)
        return Fail(Bad("holds more than " + std::to_string(limit_bytes_ >> 20) + " MB"));
      if (entry.name.ends_with('/')) continue;  // a folder
      EBB_ASSIGN_OR_RETURN(std::string content, Content(entry));
      entries.push_back({Shown(entry.name), std::move(content)});
    }
    return entries;
  }

 private:
  Error Bad(std::string what) const {
    return {ExitCode::kConfiguration, "the zip archive " + std::move(what), name_,
            "download it again"};
  }

  Result<std::vector<Listed>> Directory() const {
    const std::size_t earliest =
        data_.size() - std::min(data_.size(), kEndBytes + kMostCommentBytes);
    const auto end = data_.rfind(kEndMark);
    if (end == std::string_view::npos || end < earliest || !Has(data_, end, kEndBytes))
      return Fail(Bad("ends early: its directory is not there"));
    const std::size_t count = Number(data_, end + 10, 2);
    std::size_t at = Number(data_, end + 16, 4);
    if (count > kMostZipEntries)
      return Fail(Bad("has more than " + std::to_string(kMostZipEntries) + " files"));
    std::vector<Listed> listed;
    for (std::size_t i = 0; i < count; ++i) {
      if (!Has(data_, at, kDirectoryBytes) || data_.substr(at, 4) != kDirectoryMark)
        return Fail(Bad("has a damaged directory"));
      const std::size_t name_bytes = Number(data_, at + 28, 2);
      if (!Has(data_, at + kDirectoryBytes, name_bytes))
        return Fail(Bad("has a damaged directory"));
      listed.push_back({std::string(data_.substr(at + kDirectoryBytes, name_bytes)),
                        Number(data_, at + 8, 2), Number(data_, at + 10, 2),
                        Number(data_, at + 16, 4), Number(data_, at + 20, 4),
                        Number(data_, at + 24, 4), Number(data_, at + 42, 4)});
      at += kDirectoryBytes + name_bytes + Number(data_, at + 30, 2) + Number(data_, at + 32, 2);
    }
    return listed;
  }

  Result<std::string> Content(const Listed& entry) const {
    constexpr std::size_t kEncrypted = 1;
    const bool is_there =
        Has(data_, entry.begin, kFileBytes) && data_.substr(entry.begin, 4) == kFileMark;
    if (!is_there) return Fail(Bad("lacks its file " + Shown(entry.name)));
    const std::size_t begin = entry.begin + kFileBytes + Number(data_, entry.begin + 26, 2) +
                              Number(data_, entry.begin + 28, 2);
    if (!Has(data_, begin, entry.packed_bytes))
      return Fail(Bad("lacks a part of " + Shown(entry.name)));
    if (entry.flags & kEncrypted) return Fail(Bad("is encrypted"));
    const std::string_view packed = data_.substr(begin, entry.packed_bytes);
    std::string content;
    if (entry.method == 0) {
      content = packed;
    } else if (entry.method == 8) {
      EBB_ASSIGN_OR_RETURN(content, Inflated(packed, entry));
    } else {
      return Fail(Bad("is packed by a method that is not known"));
    }
    const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                             static_cast<uInt>(content.size()));
    if (content.size() != entry.bytes || sum != entry.sum)
      return Fail(Bad("is damaged: the sum of " + Shown(entry.name) + " does not fit"));
    return content;
  }

  Result<std::string> Inflated(std::string_view packed, const Listed& entry) const {
    z_stream stream{};
    if (inflateInit2(&stream, -15) != Z_OK)  // no framing
      return Fail({ExitCode::kUnavailable, "zlib cannot start", name_, ""});
    const std::unique_ptr<z_stream, int (*)(z_stream*)> cleanup(&stream, inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string plain;
    char buffer[1 << 16];
    int state = Z_OK;
    while (state == Z_OK && plain.size() <= entry.bytes) {
      stream.next_out = reinterpret_cast<Bytef*>(buffer);
      stream.avail_out = sizeof buffer;
      state = inflate(&stream, Z_NO_FLUSH);
      plain.append(buffer, sizeof buffer - stream.avail_out);
    }
    if (state != Z_STREAM_END) return Fail(Bad("is damaged within " + Shown(entry.name)));
    return plain;
  }

  const std::string_view data_;
  const std::string& name_;
  const std::uint64_t limit_bytes_;
};

}  // namespace

bool IsZip(std::string_view data) {
  return data.starts_with(kFileMark) || data.starts_with(kEndMark);
}

Result<std::vector<ZipEntry>> Unzip(std::string_view data, const std::string& name,
                                    std::uint64_t limit_bytes) {
  return Reader(data, name, limit_bytes).Read();
}

}  // namespace ebb::platform
