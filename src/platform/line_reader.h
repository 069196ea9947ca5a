#pragma once
// Reads a text file line by line, gzip or plain, in memory that does not grow with the file. One
// thread at a time.

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::platform {

class LineReader {
 public:
  /// `limit_bytes` is the length of the longest line that is accepted.
  static Result<LineReader> Open(const Path& path, std::size_t limit_bytes = kLongestLineBytes);
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  /// The next line without its end ("\n" or "\r\n"); false after the last. Fails for a line over
  /// the limit and for a truncated or damaged gzip file.
  Result<bool> Next(std::string& line);
  /// The number of the line that Next returned last, counted from 1.
  std::size_t line_number() const { return line_number_; }
  /// "file:line", for messages.
  std::string Where() const;

  static constexpr std::size_t kLongestLineBytes = 64 << 20;

 private:
  struct Stream;
  LineReader(std::unique_ptr<Stream> stream, Path path, std::size_t limit_bytes);
  tl::unexpected<Error> Failed(std::string what) const;
  /// Appends more of the file to `ahead_`; false at the end of the file.
  Result<bool> ReadMore();

  std::unique_ptr<Stream> stream_;
  Path path_;
  std::size_t limit_bytes_;
  std::string ahead_;      ///< text read but not yet returned
  std::size_t begin_ = 0;  ///< start of the unreturned text in ahead_
  std::size_t line_number_ = 0;
};

}  // namespace ebb::platform
