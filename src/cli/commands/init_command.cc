// ebb init: three questions, and the settings file that every command reads.
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "app/jobs/service_place.h"
#include "app/options/missing_zone.h"
#include "app/options/run_options.h"
#include "app/options/user_settings.h"
#include "app/setup/new_settings.h"
#include "app/setup/zone_knowledge.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/say.h"
#include "meter/meters.h"
#include "platform/http.h"
#include "platform/path_facts.h"
#include "platform/process_signals.h"
#include "platform/terminal.h"
#include "signals/key_services.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb init                                     three questions, with guesses as answers
  ebb init --yes                               takes the guesses
  ebb init --yes --zone DE --token-env MY_KEY  for scripts
  ebb init --dry-run --yes                     prints the file and writes nothing

It writes ~/.config/ebb/config.yaml (ebb config path), which every command reads. A token that you
type goes into a file of its own that only you can read. Nothing is written before the last answer.
A file that is there is replaced only if you say so.)";

constexpr int kInterrupted = 130;

struct InitRequest {
  app::NewSettings wanted;
  bool scope_given = false, yes = false, overwrite = false, dry_run = false, offline = false;
  bool AsksService() const { return !offline && !dry_run; }
};

// Returns the answer that the person typed, or the offered one if they typed nothing.
Result<std::string> Ask(const std::string& question, const std::string& offered) {
  std::fprintf(stderr, "%s%s: ", question.c_str(),
               offered.empty() ? "" : (" [" + offered + "]").c_str());
  std::string line;
  if (!std::getline(std::cin, line))
    return Fail({ExitCode::kUsage, "the answer is missing, so nothing is written", "",
                 "run ebb init again"});
  const std::string answer(Trim(line));
  return answer.empty() ? offered : answer;
}

// Asks until the flag of that name accepts the answer.
Result<std::string> AskFor(const std::string& key, const std::string& question,
                           const std::string& offered) {
  for (;;) {
    EBB_ASSIGN_OR_RETURN(std::string answer, Ask(question, offered));
    if (answer.empty()) {
      std::fprintf(stderr, "Ebb needs an answer here.\n");
      continue;
    }
    Status sound = app::CheckSettingValue(key, answer);
    if (sound && key == "zone") sound = app::CheckNewZone(answer);
    if (sound) return answer;
    std::fprintf(stderr, "%s\n", sound.error().Message().c_str());
  }
}

// Asks the service once, so that a slip is found here and not by the first run.
void TellOfToken(const app::NewSettings& wanted) {
  const Time now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::fprintf(stderr, "   %s is asked whether it takes the token ...\n",
               signals::FindKeyService(wanted.token_of)->name);
  Say("   " + app::WhatComesOfToken(wanted, platform::HttpGet, now));
}

// Asks for tokens of services that are better than the sources without a token, until the user
// gives one.
Status AskToken(const InitRequest& request, app::NewSettings& wanted) {
  if (!wanted.token_env.empty() || !wanted.token_file.empty()) return {};
  const auto services = app::TokensFor(wanted.zone);
  if (services.empty()) return {};
  std::fprintf(stderr,
               "\n2. A token, for live values. Enter alone: none. The token is not shown.\n");
  for (const signals::KeyService* service : services) {
    Say("   " + std::string(service->name) + ": " + service->worth +
        ". Free tokens: " + service->address + "; " + service->variable + " is used if it is set.");
    EBB_ASSIGN_OR_RETURN(wanted.token,
                         platform::ReadSecretFromTerminal(
                             ("   token of " + std::string(service->name) + ": ").c_str()));
    if (wanted.token.empty()) {
      std::fputs("   none\n", stderr);
      continue;
    }
    wanted.token_of = service->settings;
    if (request.AsksService()) TellOfToken(wanted);
    return {};
  }
  return {};
}

Status AskScope(const InitRequest& request, app::NewSettings& wanted) {
  if (request.scope_given) return {};
  std::fprintf(stderr, "\n3. What is measured. Here Ebb reads:\n");
  for (const std::string& line : meter::MakeMeters(meter::OptionsFromEnvironment()).descriptions)
    Say("   " + line);
  EBB_ASSIGN_OR_RETURN(
      wanted.scope,
      AskFor("metering.scope", "   process (a program and its children) or machine", wanted.scope));
  return {};
}

Result<app::NewSettings> AskAll(const InitRequest& request, const std::string& path) {
  app::NewSettings wanted = request.wanted;
  std::fprintf(stderr, "Three questions; the answers go to %s. Ctrl-C writes nothing.\n\n",
               path.c_str());
  if (wanted.zone.empty()) {
    const auto& guess = app::GuessedZone();
    std::fprintf(stderr, "1. The grid zone of this machine, e.g. DE, GB, US-CAL-CISO.%s\n",
                 guess ? (" " + guess->from + " suggests " + guess->zone + ".").c_str() : "");
    EBB_ASSIGN_OR_RETURN(wanted.zone, AskFor("zone", "   zone", guess ? guess->zone : ""));
  }
  Say("   " + app::WhatIsKnownOf(wanted.zone));
  EBB_RETURN_IF_ERROR(AskToken(request, wanted));
  EBB_RETURN_IF_ERROR(AskScope(request, wanted));
  std::fputs("\n", stderr);
  return wanted;
}

Result<app::NewSettings> TakeGuesses(const InitRequest& request) {
  app::NewSettings wanted = request.wanted;
  if (!wanted.zone.empty()) return wanted;
  const auto& guess = app::GuessedZone();
  if (!guess)
    return Fail({ExitCode::kUsage, "nothing on this machine suggests a grid zone", "",
                 "give one, e.g. ebb init --yes --zone DE"});
  wanted.zone = guess->zone;
  Say("zone " + guess->zone + ": a guess by " + guess->from);
  return wanted;
}

bool HasToken(const app::NewSettings& wanted) {
  return !wanted.token.empty() || !wanted.token_env.empty() || !wanted.token_file.empty();
}

// Returns an Error if the present file must stay.
Status SettleReplacement(const InitRequest& request, const std::string& path) {
  std::error_code ignored;
  if (request.overwrite || request.dry_run || !std::filesystem::exists(path, ignored)) return {};
  const Error stays{ExitCode::kUsage, "already exists and is not changed", path,
                    "edit it, or give --overwrite"};
  if (request.yes || !platform::StdinIsTerminal()) return Fail(stays);
  EBB_ASSIGN_OR_RETURN(const std::string answer,
                       Ask(path + " already exists. Replace it? yes or no", "no"));
  return answer == "yes" || answer == "y" ? Status() : Fail(stays);
}

Result<int> Init(const InitRequest& request) {
  const store::Variables variable = app::SourcesOfMachine().variable;
  EBB_ASSIGN_OR_RETURN(const std::string path, app::UserSettingsPath(variable));
  if (!request.wanted.token_env.empty() && !request.wanted.token_file.empty())
    return Fail(
        {ExitCode::kUsage, "--token-env and --token-file are both given", "", "leave one out"});
  if (!request.yes && !platform::StdinIsTerminal())
    return Fail({ExitCode::kUsage, "standard input is not a terminal, so Ebb cannot ask", "",
                 "give the answers: ebb init --yes --zone DE, and --token-file FILE or "
                 "--token-env NAME, --scope process|machine"});
  EBB_RETURN_IF_ERROR(SettleReplacement(request, path));
  auto answered = request.yes ? TakeGuesses(request) : AskAll(request, path);
  if (!answered && answered.error().code == ExitCode::kTryLater) return kInterrupted;
  EBB_ASSIGN_OR_RETURN(const app::NewSettings wanted, std::move(answered));
  EBB_RETURN_IF_ERROR(app::CheckNewSettings(wanted));
  if (request.yes) Say(app::WhatIsKnownOf(wanted.zone));
  const bool told = !wanted.token.empty();  // one that was typed
  if (!told && HasToken(wanted) && request.AsksService()) TellOfToken(wanted);
  if (request.dry_run) {
    std::fputs(app::SettingsText(wanted, path).c_str(), stdout);
    return 0;
  }
  {
    const platform::ProcessSignals held;  // delays a Ctrl-C until both files are written
    EBB_RETURN_IF_ERROR(app::WriteSettings(wanted, path));
  }
  std::printf(
      "wrote %s\n\n"
      "ebb grid                     when is power clean?\n"
      "ebb track python train.py    what does my training emit?\n"
      "ebb doctor                   is everything here as it should be?\n",
      path.c_str());
  return 0;
}

}  // namespace

void AddInitCommand(Parser& parser) {
  Command& command =
      parser.Add("init", "set up Ebb: three questions, one settings file", kExamples);
  auto request = std::make_shared<InitRequest>();
  const auto into = [request](std::string app::NewSettings::*field) {
    return [request, field](const std::string& text) { request->wanted.*field = text; };
  };
  command.Flag({"zone", "ZONE", "the grid zone (default: a guess, which is offered)"},
               into(&app::NewSettings::zone));
  command.Flag({"token-file", "FILE", "file whose first line is a token of a service (--token-of)"},
               [request](const std::string& text) {
                 // The settings would take it from where they are.
                 request->wanted.token_file =
                     text.starts_with("~/") ? text : platform::AbsolutePath(text).string();
               });
  command.Flag({"token-env", "NAME", "environment variable that holds the token"},
               into(&app::NewSettings::token_env));
  command.Flag(
      {"token-of", "electricity_maps|entsoe|eia", "whose token it is (default electricity_maps)"},
      into(&app::NewSettings::token_of));
  command.Flag({"scope", "process|machine", "what is measured (default process)"},
               [request](const std::string& text) {
                 request->wanted.scope = text;
                 request->scope_given = true;
               });
  command.Switch({"yes", "", "ask nothing: take the given answers, and guesses for the rest"},
                 [request] { request->yes = true; });
  command.Switch({"overwrite", "", "replace an existing settings file"},
                 [request] { request->overwrite = true; });
  command.Switch({"dry-run", "", "print the file, and write nothing"},
                 [request] { request->dry_run = true; });
  command.Switch({"offline", "", "do not ask the service whether it takes the token"},
                 [request] { request->offline = true; });
  command.Action([request] { return Init(*request); });
}

}  // namespace ebb::cli
