#include "cli/next_step.h"

#include <algorithm>

#include "app/jobs/service_client.h"
#include "app/options/user_settings.h"

namespace ebb::cli {
namespace {

constexpr Duration kPatience{1000};

bool IsSettled(const app::UserSettings& settings, const store::Variables& variable) {
  const char* zone = variable("EBB_ZONE");
  return (zone && *zone) ||
         std::any_of(settings.files.begin(), settings.files.end(),
                     [](const app::SettingsFile& file) { return file.is_there; });
}

std::string ServiceLine() {
  const auto client = app::ServiceClient::Find({});
  if (!client) return "";
  if (!client->Within(kPatience).Get("/livez"))
    return "No service runs. ebb serve starts one; then ebb submit queues jobs.\n";
  const app::FoundService& place = client->place();
  return "A service runs (" + (place.store.empty() ? place.url : place.store) +
         "): ebb submit python train.py, ebb queue.\n";
}

}  // namespace

std::string NextStep() {
  const app::UserSettings& settings = app::SettingsOfUser();
  if (const Status sound = settings.Check(); !sound)
    return sound.error().Message() + "\n\nCorrect that first. ebb --help has all commands.\n";
  if (!IsSettled(settings, app::SourcesOfMachine().variable))
    return "Nothing is set up yet. Begin with\n"
           "  ebb init                     three questions: grid zone, token, what is measured\n"
           "\n"
           "ebb --help has all commands.\n";
  return "  ebb grid                     when is power clean?\n"
         "  ebb track python train.py    what does my training emit?\n"
         "  ebb run --policy window python train.py    wait for clean power, then train\n"
         "  ebb doctor                   is everything here as it should be?\n"
         "\n" +
         ServiceLine() + "ebb --help has all commands.\n";
}

}  // namespace ebb::cli
