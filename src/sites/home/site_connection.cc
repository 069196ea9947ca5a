#include "sites/home/site_connection.h"

#include <algorithm>

namespace ebb::sites {
namespace {

// Digests of large checkpoints take a while. ssh itself notices a dead connection much earlier.
constexpr Duration kPatience{std::chrono::minutes{10}};

bool IsPlain(const std::string& text, std::string_view besides) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           besides.find(c) != std::string_view::npos;
  });
}

}  // namespace

Result<SiteConnection> SiteConnection::Open(const std::vector<std::string>& reach,
                                            const std::string& version,
                                            const std::string& service) {
  EBB_ASSIGN_OR_RETURN(auto process, platform::PipedProcess::Start(reach));
  SiteConnection connection(std::move(process));
  EBB_ASSIGN_OR_RETURN(connection.site_,
                       connection.Ask<HelloAnswer>(Hello{kProtocolVersion, version, service}));
  if (connection.site_.version != kProtocolVersion)
    return Fail({ExitCode::kConfiguration,
                 "has Ebb " + connection.site_.ebb + ", and here is " + version +
                     ": they speak different versions",
                 "", "install the same version of Ebb on both machines"});
  return connection;
}

// ssh says on its standard error why there is no connection.
Error SiteConnection::Broken(const Error& error) {
  const std::string why = process_->EndAndExplain();
  process_.reset();
  return {ExitCode::kUnavailable, why.empty() ? error.what : why, "", ""};
}

Result<Frame> SiteConnection::Exchange(const Request& request, std::string_view bytes) {
  if (!process_) return Fail({ExitCode::kUnavailable, "the connection broke", "", ""});
  platform::ByteChannel& channel = process_->channel();
  const Status sent = WriteFrame(channel, ++number_, FieldsOf(request), bytes, kPatience);
  if (!sent) return Fail(Broken(sent.error()));
  auto frame = ReadFrame(channel, kPatience);
  if (frame && frame->number == number_) return frame;
  return Fail(Broken(frame ? Error{ExitCode::kUnavailable, "answers out of order", "", ""}
                           : frame.error()));
}

Result<std::vector<std::string>> SshCommand(const std::string& ssh, const std::string& host,
                                            const std::string& ebb) {
  if (!IsPlain(host, "@.-_:%[]"))
    return Fail({ExitCode::kConfiguration, "\"" + host + "\" is not the name of a host", "host",
                 "give a name as in ~/.ssh/config, or USER@HOST"});
  // ssh hands the command to a shell on the other machine.
  if (!IsPlain(ebb, "/.-_+~"))
    return Fail({ExitCode::kConfiguration, "\"" + ebb + "\" is not a path without blanks or signs",
                 "ebb", "give the path of Ebb on the other machine, such as /usr/local/bin/ebb"});
  return std::vector<std::string>{ssh,
                                  "-T",
                                  "-x",
                                  "-a",
                                  "-o",
                                  "BatchMode=yes",
                                  "-o",
                                  "StrictHostKeyChecking=yes",
                                  "-o",
                                  "ClearAllForwardings=yes",
                                  "-o",
                                  "ConnectTimeout=20",
                                  "-o",
                                  "ServerAliveInterval=15",
                                  "-o",
                                  "ServerAliveCountMax=3",
                                  "--",
                                  host,
                                  ebb + " site session"};
}

}  // namespace ebb::sites
