#include "meter/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace ebb::meter {
namespace {

std::optional<std::int64_t> ParseCount(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string_view> ReadSmallFile(const char* path, std::span<char> buffer) {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::size_t length = 0;
  while (length < buffer.size()) {
    const ssize_t count = ::read(descriptor, buffer.data() + length, buffer.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int cause = errno;
      ::close(descriptor);
      errno = cause;
      return std::nullopt;
    }
    if (count == 0) break;
    length += static_cast<std::size_t>(count);
  }
  ::close(descriptor);
  return std::string_view(buffer.data(), length);
}

std::optional<std::int64_t> ReadNumber(const char* path) {
  char buffer[64];
  const auto text = ReadSmallFile(path, buffer);
  if (!text) return std::nullopt;
  const auto value = ParseCount(Trim(*text));
  if (!value) errno = EINVAL;
  return value;
}

std::optional<std::int64_t> ReadNumberOf(const std::string& path, std::string_view key) {
  char buffer[8192];
  const auto text = ReadSmallFile(path.c_str(), buffer);
  if (!text) return std::nullopt;
  Fields fields(*text);
  for (std::string_view field = fields.Next(); !field.empty(); field = fields.Next()) {
    const auto value = fields.NextNumber();
    if (field == key) return value;
  }
  return std::nullopt;
}

std::string ReadLine(const std::string& path) {
  char buffer[256];
  const auto text = ReadSmallFile(path.c_str(), buffer);
  if (!text) return {};
  return std::string(Trim(text->substr(0, text->find('\n'))));
}

std::string FormatFigure(double value) { return FormatExact(std::round(value * 100) / 100); }

std::string_view Fields::Next() {
  const auto first = rest_.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) {
    rest_ = {};
    return {};
  }
  const auto end = rest_.find_first_of(" \t\n", first);
  const std::string_view field = rest_.substr(first, end - first);
  rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end);
  return field;
}

Fields& Fields::Skip(int count) {
  for (int i = 0; i < count; ++i) Next();
  return *this;
}

std::optional<std::int64_t> Fields::NextNumber() { return ParseCount(Next()); }

}  // namespace ebb::meter
