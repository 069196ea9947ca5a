#pragma once
// Two descriptors to another process, such as the standard input and output of ssh: whole lines and
// blocks of bytes of a stated length, each awaited for a limited time.
//
// Thread contract: one thread.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "platform/descriptor.h"

namespace ebb::platform {

class ByteChannel {
 public:
  /// Takes over the descriptors, which may be the same one.
  ByteChannel(int input, int output);

  /// Writes all bytes. Fails if the other end has gone, or takes nothing for `patience`.
  Status Write(std::string_view bytes, Duration patience);
  /// The next line without its newline. Fails at the end of the input, if a line is longer than
  /// `limit_bytes`, and if nothing comes for `patience`.
  Result<std::string> ReadLine(std::size_t limit_bytes, Duration patience);
  /// Exactly `size` bytes.
  Result<std::string> ReadBytes(std::size_t size, Duration patience);
  /// Bytes that have come already; they can be read without waiting.
  bool has_read_ahead() const { return !ahead_.empty(); }
  int input() const { return input_.get(); }

 private:
  Status ReadMore(Duration patience);

  Descriptor input_, output_;
  std::string ahead_;  // bytes that were read and not handed out
};

}  // namespace ebb::platform
