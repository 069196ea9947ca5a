#include "sites/protocol/wire.h"

namespace ebb::sites {
namespace {

// The fields that every message has.
struct Envelope {
  std::int64_t number = 0;
  std::uint64_t bytes = 0;
};
template <typename Archive, Like<Envelope> Value>
void Visit(Archive& archive, Value& value) {
  auto& [number, bytes] = value;
  archive.Must("number", number);
  archive("bytes", bytes);
}

struct Refusal {
  std::string error;  // empty: it is none
  int code = 0;
  std::string where, next;
};
template <typename Archive, Like<Refusal> Value>
void Visit(Archive& archive, Value& value) {
  auto& [error, code, where, next] = value;
  archive("error", error);
  archive("code", code);
  archive("where", where);
  archive("next", next);
}

constexpr const char* kMessage = "a message of the site";

struct Asked {
  Request request;
};
template <typename Archive, Like<Asked> Value>
void Visit(Archive& archive, Value& value) {
  VisitKinds(archive, "ask", kRequestNames, value.request);
}

}  // namespace

Status WriteFrame(platform::ByteChannel& channel, std::int64_t number, const std::string& fields,
                  std::string_view bytes, Duration patience) {
  std::string line = "{" + FieldsOf(Envelope{number, bytes.size()});
  if (!fields.empty()) line += "," + fields;
  line += "}\n";
  line.append(bytes);
  return channel.Write(line, patience);
}

Result<Frame> ReadFrame(platform::ByteChannel& channel, Duration patience) {
  Frame frame;
  EBB_ASSIGN_OR_RETURN(frame.text, channel.ReadLine(kLongestLine, patience));
  EBB_ASSIGN_OR_RETURN(const Envelope envelope, FromFieldText<Envelope>(frame.text, kMessage));
  if (envelope.bytes > kMostBytes)
    return Fail({ExitCode::kUnavailable, "announces more bytes than agreed", kMessage, ""});
  frame.number = envelope.number;
  EBB_ASSIGN_OR_RETURN(frame.bytes, channel.ReadBytes(envelope.bytes, patience));
  return frame;
}

template <>
std::string FieldsOf(const Request& request) {
  return FieldsOf(Asked{request});
}

Result<Request> RequestIn(const Frame& frame) {
  EBB_ASSIGN_OR_RETURN(Asked asked, FromFieldText<Asked>(frame.text, kMessage));
  return std::move(asked.request);
}

std::string FieldsOfError(const Error& error) {
  return FieldsOf(Refusal{error.what.empty() ? "failed" : error.what, static_cast<int>(error.code),
                          error.where, error.next});
}

Status CheckAnswer(const Frame& frame) {
  EBB_ASSIGN_OR_RETURN(Refusal refusal, FromFieldText<Refusal>(frame.text, kMessage));
  if (refusal.error.empty()) return {};
  return Fail({static_cast<ExitCode>(refusal.code), std::move(refusal.error),
               std::move(refusal.where), std::move(refusal.next)});
}

}  // namespace ebb::sites
