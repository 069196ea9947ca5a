#pragma once
// A connection with another machine that has Ebb: one ssh process that runs `ebb site session`
// there. Requests wait for their answers.
//
// Thread contract: one thread.

#include <optional>
#include <string>
#include <vector>

#include "platform/piped_process.h"
#include "sites/protocol/wire.h"

namespace ebb::sites {

class SiteConnection {
 public:
  /// Connects. An Error: the machine cannot be reached, ssh refuses it, or Ebb is not there or of a
  /// version that speaks otherwise. `version`: of Ebb here; `service`: that asks.
  static Result<SiteConnection> Open(const std::vector<std::string>& reach,
                                     const std::string& version, const std::string& service = "");

  const HelloAnswer& site() const { return site_; }
  /// True if the connection is of no use any more. What became of the last request is unknown then.
  bool is_broken() const { return !process_; }

  /// Asks, and waits for the answer. `bytes` go with the request; those of the answer come in
  /// `came`.
  template <typename Answer>
  Result<Answer> Ask(const Request& request, std::string_view bytes = {},
                     std::string* came = nullptr) {
    EBB_ASSIGN_OR_RETURN(Frame frame, Exchange(request, bytes));
    EBB_RETURN_IF_ERROR(CheckAnswer(frame));
    if (came) *came = std::move(frame.bytes);
    return FromFieldText<Answer>(frame.text, "an answer of the site");
  }

 private:
  explicit SiteConnection(platform::PipedProcess process) : process_(std::move(process)) {}
  Result<Frame> Exchange(const Request& request, std::string_view bytes);
  Error Broken(const Error& error);

  std::optional<platform::PipedProcess> process_;  // nothing: it broke
  HelloAnswer site_;
  std::int64_t number_ = 0;
};

/// The command that connects with a machine by OpenSSH, with the user's own keys and known_hosts.
/// The command of ssh asks nothing at the terminal, and refuses a machine whose host key is not
/// known or has changed. An Error: a text is not the name of a host, or not a path that a shell
/// leaves as it is.
Result<std::vector<std::string>> SshCommand(const std::string& ssh, const std::string& host,
                                            const std::string& ebb);

}  // namespace ebb::sites
