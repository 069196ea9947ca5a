#include "config/cluster/plugin_token.h"

#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/json_node.h"

namespace ebb::config {
namespace {

constexpr std::chrono::minutes kAskBefore{2};  // before its token expires
constexpr std::chrono::seconds kAskAgainAfter{10};

struct Token {
  std::string text;
  std::optional<Time> expires;
};

Result<Token> Ask(const Plugin& plugin, const RunPlugin& run) {
  EBB_ASSIGN_OR_RETURN(const std::string printed, run(plugin.command, plugin.environment));
  EBB_ASSIGN_OR_RETURN(const JsonNode credential, ParseJson(printed, plugin.command.front()));
  const JsonNode* status = credential.Find("status");
  if (!status || status->TextOf("token").empty())
    return Fail({ExitCode::kConfiguration, "printed no token", plugin.command.front(),
                 "plugins that give certificates are not supported; user of " + plugin.user_of});
  return Token{status->TextOf("token"), status->TimeOf("expirationTimestamp")};
}

// The place where the asking thread puts its answer. An Answer may outlive the PluginToken that
// started the thread.
struct Answer {
  std::mutex mutex;
  std::optional<Result<Token>> came;
};

class PluginToken {
 public:
  PluginToken(Plugin plugin, RunPlugin run, PluginClocks clocks)
      : plugin_(std::move(plugin)), run_(std::move(run)), clocks_(std::move(clocks)) {}

  Result<std::string> Get() {
    TakeAnswer();
    if (!token_) return First();
    const Time now = clocks_.now();
    const bool holds = !token_->expires || now < *token_->expires;
    if (holds && (!token_->expires || now + kAskBefore < *token_->expires)) return token_->text;
    if (!answer_ && clocks_.since_boot() >= ask_at_) AskAside();
    if (holds) return token_->text;
    return Fail(failure_ ? *failure_
                         : Error{ExitCode::kUnavailable, "has given no new token yet",
                                 plugin_.command.front(), "its last one has expired"});
  }

 private:
  Result<std::string> First() {
    if (failure_ && clocks_.since_boot() < ask_at_) return Fail(*failure_);
    Take(Ask(plugin_, run_));
    if (!token_) return Fail(*failure_);
    return token_->text;
  }

  void AskAside() {
    answer_ = std::make_shared<Answer>();
    std::thread([answer = answer_, plugin = plugin_, run = run_] {
      auto token = Ask(plugin, run);
      const std::lock_guard lock(answer->mutex);
      answer->came = std::move(token);
    }).detach();
  }

  void TakeAnswer() {
    if (!answer_) return;
    std::optional<Result<Token>> came;
    {
      const std::lock_guard lock(answer_->mutex);
      came = std::move(answer_->came);
    }
    if (!came) return;
    answer_.reset();
    Take(*std::move(came));
  }

  void Take(Result<Token> came) {
    failure_.reset();
    if (came) {
      token_ = *std::move(came);
      return;
    }
    failure_ = std::move(came.error());
    ask_at_ = clocks_.since_boot() + kAskAgainAfter;
  }

  const Plugin plugin_;
  const RunPlugin run_;
  const PluginClocks clocks_;
  std::optional<Token> token_;
  std::optional<Error> failure_;  // error of the latest call of the plugin
  Duration ask_at_ = Duration::min();
  std::shared_ptr<Answer> answer_;  // set while a plugin's answer is awaited
};

}  // namespace

std::function<Result<std::string>()> TokenFromPlugin(Plugin plugin, RunPlugin run,
                                                     PluginClocks clocks) {
  auto token = std::make_shared<PluginToken>(std::move(plugin), std::move(run), std::move(clocks));
  return [token] { return token->Get(); };
}

}  // namespace ebb::config
