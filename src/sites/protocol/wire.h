#pragma once
// Messages on their way: a line of JSON and the bytes that follow it.
//
// Thread contract: one thread.

#include <string>

#include "platform/byte_channel.h"
#include "sites/protocol/messages.h"

namespace ebb::sites {

/// One message as it was read or is to be written.
struct Frame {
  std::int64_t number = 0;
  std::string text;   ///< the whole line
  std::string bytes;  ///< what follows it
};

/// Writes a message: `fields` are those of its kind, without braces; may be empty.
Status WriteFrame(platform::ByteChannel& channel, std::int64_t number, const std::string& fields,
                  std::string_view bytes, Duration patience);
/// Reads a message, waiting at most this long for each part of it.
Result<Frame> ReadFrame(platform::ByteChannel& channel, Duration patience);

/// The fields of a value, without braces.
template <typename T>
std::string FieldsOf(const T& value) {
  const std::string text = ToFieldText(value);
  return text.substr(1, text.size() - 2);
}
template <>
std::string FieldsOf(const Request& request);

/// The request in a frame.
Result<Request> RequestIn(const Frame& frame);
/// An answer that says why something was not done.
std::string FieldsOfError(const Error& error);
/// The Error in an answer, if it is one.
Status CheckAnswer(const Frame& frame);

}  // namespace ebb::sites
