#include "cli/notify_flags.h"

#include <cstdlib>

#include "base/text.h"
#include "platform/file.h"
#include "platform/system.h"

namespace ebb::cli {
namespace {

constexpr std::size_t kMostWebhooks = 10;
constexpr std::uint64_t kLongestFile = 64 << 10;
constexpr double kHighestGPerKwh = 10'000;

// The words of a text with blanks, commas or line breaks between them.
std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,", at), text.size());
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Result<std::vector<std::string>> UrlsOf(const NotifyFlags& flags) {
  std::vector<std::string> urls = WordsOf(flags.urls);
  if (const char* variable = std::getenv(kNotifyVariable); variable && flags.urls.empty())
    urls = WordsOf(variable);
  if (flags.file.empty()) return urls;
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(flags.file, kLongestFile));
  for (std::string& url : WordsOf(text)) urls.push_back(std::move(url));
  return urls;
}

Result<std::string> SecretOf(const NotifyFlags& flags) {
  std::string secret;
  if (!flags.secret_file.empty()) {
    EBB_ASSIGN_OR_RETURN(const std::string text,
                         platform::ReadFile(flags.secret_file, kLongestFile));
    secret = Trim(text);
    if (secret.empty())
      return Fail({ExitCode::kConfiguration, "holds no secret", flags.secret_file, ""});
  } else if (!flags.secret_env.empty()) {
    const char* variable = std::getenv(flags.secret_env.c_str());
    if (!variable || !*variable)
      return Fail({ExitCode::kConfiguration,
                   "the environment variable " + flags.secret_env + " is not set", "",
                   "set it to the key of the signature, or use --notify-secret-file"});
    secret = variable;
  }
  return secret;
}

Result<web::NoticeOptions> NoticesOf(const NotifyFlags& flags) {
  web::NoticeOptions notices;
  for (const std::string& name : WordsOf(flags.events)) {
    const auto event = web::NoticeEventFromName(name);
    if (!event)
      return Fail({ExitCode::kUsage,
                   "--notify-events: \"" + name + "\" is not an event" +
                       SuggestionText(name, web::NoticeEventNames()),
                   "", Join(web::NoticeEventNames(), ", ")});
    notices.events.insert(*event);
  }
  if (flags.low_carbon.empty()) return notices;
  const auto limit = ParseNumber(flags.low_carbon);
  if (!limit || *limit <= 0 || *limit > kHighestGPerKwh)
    return Fail({ExitCode::kUsage, "--notify-below: \"" + flags.low_carbon + "\" is not accepted",
                 "", "give g/kWh, e.g. 150"});
  notices.low_carbon = Intensity{*limit};
  return notices;
}

}  // namespace

void AddNotifyFlags(Command& command, NotifyFlags& flags) {
  const auto flag = [&](const char* name, const char* value, const char* help, std::string& field) {
    command.Flag({name, value, help, "Notifications"},
                 [&field](const std::string& text) { field = text; });
  };
  flag("notify", "URL", "webhook that receives events (default $EBB_NOTIFY; several: with commas)",
       flags.urls);
  flag("notify-file", "FILE", "file with the webhook: for addresses that hold a secret",
       flags.file);
  flag("notify-events", "LIST",
       "events to send: low_carbon, budget, deadline_at_risk, ... (default all)", flags.events);
  flag("notify-below", "G_PER_KWH",
       "low_carbon: at or below this (default: the lowest quarter of the day before and ahead)",
       flags.low_carbon);
  flag("notify-secret-env", "NAME", "environment variable with the key that signs the messages",
       flags.secret_env);
  flag("notify-secret-file", "FILE", "file with that key", flags.secret_file);
}

Result<web::NotifierOptions> NotifierOptionsOf(const NotifyFlags& flags) {
  web::NotifierOptions options;
  EBB_ASSIGN_OR_RETURN(options.notices, NoticesOf(flags));
  EBB_ASSIGN_OR_RETURN(const std::string secret, SecretOf(flags));
  EBB_ASSIGN_OR_RETURN(const std::vector<std::string> urls, UrlsOf(flags));
  if (urls.size() > kMostWebhooks)
    return Fail({ExitCode::kUsage, "more than 10 webhooks", "--notify", ""});
  for (const std::string& url : urls) {
    EBB_RETURN_IF_ERROR(web::CheckWebhookUrl(url, !secret.empty()));
    web::WebhookOptions webhook;
    webhook.url = url;
    webhook.secret = secret;
    options.webhooks.push_back(std::move(webhook));
  }
  options.service = platform::HostName();
  return options;
}

}  // namespace ebb::cli
