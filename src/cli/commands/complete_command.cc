// ebb complete LIST, for completion scripts (manual_page.cc): the words that may stand at a place,
// one per line. It prints no errors: a message would break the line that the user is typing.

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/jobs/service_client.h"
#include "cli/command_line.h"
#include "cli/manual_page.h"
#include "config/run/train_config.h"
#include "plan/make_policy.h"
#include "signals/feeds/profile_feed.h"
#include "signals/signal_options.h"

namespace ebb::cli {
namespace {

// A completion answers a key press, so it may take this long at most.
constexpr Duration kPatience{1000};

// True for plain words. Only these are offered, because shells expand the words that they are
// offered, and users choose names freely.
bool IsPlain(const std::string& word) {
  return !word.empty() && word.front() != '-' &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

void AddJobs(const app::ServiceClient& client, const std::string& path,
             std::vector<std::string>& words) {
  const auto answer = client.Get(path);
  if (!answer) return;
  const auto json = nlohmann::json::parse(*answer, nullptr, false);
  if (!json.is_object() || !json.contains("jobs") || !json["jobs"].is_array()) return;
  for (const auto& job : json["jobs"]) {
    if (job.contains("id") && job["id"].is_number_integer()) words.push_back(job["id"].dump());
    if (job.contains("name") && job["name"].is_string()) words.push_back(job["name"]);
  }
}

// Ids of jobs: those that have not ended, then those that ended last.
std::vector<std::string> Jobs() {
  std::vector<std::string> words;
  const auto found = app::ServiceClient::Find({});
  if (!found) return words;
  const app::ServiceClient client = found->Within(kPatience);
  AddJobs(client, "/api/v1/jobs?limit=200&stage=waiting,starting,running,pausing,paused", words);
  AddJobs(client, "/api/v1/history?limit=50", words);
  return words;
}

std::vector<std::string> Signals() {
  std::vector<std::string> words = signals::SignalSourceNames();
  words.insert(words.end(), {"auto", "live"});
  return words;
}

std::vector<std::string> WordsOf(const std::string& list) {
  if (list == kJobWords) return Jobs();
  if (list == kZoneWords) return signals::ProfileZones();
  if (list == kSignalWords) return Signals();
  if (list == kGatePolicyWords) return plan::GatePolicyKindNames();
  if (list != kPolicyWords) return {};
  const auto names = plan::PolicyNames();
  return {names.begin(), names.end()};
}

}  // namespace

void AddCompleteCommand(Parser& parser) {
  Command& command = parser.Add("complete", "words for completion scripts", "");
  command.Hide();
  auto list = std::make_shared<std::string>();
  command.Positional("LIST", "which words", list.get());
  command.Action([list]() -> Result<int> {
    std::string text;
    for (const std::string& word : WordsOf(*list))
      if (IsPlain(word)) text += word + "\n";
    std::fputs(text.c_str(), stdout);
    return 0;
  });
}

}  // namespace ebb::cli
