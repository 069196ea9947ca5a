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
  /// `limit_bytes` is the longest line that is taken.
  static Result<LineReader> Open(const Path& path, std::size_t limit_bytes = kLongestLineBytes);
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  /// The next line without its end ("\n" or "\r\n"); false after the last. An Error for a line over
  /// the limit and for a truncated or damaged gzip file.
  Result<bool> Next(std::string& line);
  /// Of the line that Next gave last, from 1.
  std::size_t line_number() const { return line_number_; }
  /// "file:line", for messages.
  std::string Where() const;

  static constexpr std::size_t kLongestLineBytes = 64 << 20;

 private:
  struct Stream;
  LineReader(std::unique_ptr<Stream> stream, Path path, std::size_t limit_bytes);
  tl::unexpected<Error> Failed(std::string what) const;
  /// More of the file at the end of `ahead_`; false at its end.
  Result<bool> ReadMore();

  std::unique_ptr<Stream> stream_;
  Path path_;
  std::size_t limit_bytes_;
  std::string ahead_;      ///< read, not yet given
  std::size_t begin_ = 0;  ///< of what is not yet given in ahead_
  std::size_t line_number_ = 0;
};

}  // namespace ebb::platform
