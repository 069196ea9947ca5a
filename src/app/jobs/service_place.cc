#include "app/jobs/service_place.h"

#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "web/api/access.h"

namespace ebb::app {
namespace {

constexpr const char* kServerVariable = "EBB_SERVER";
constexpr const char* kTokenFileVariable = "EBB_TOKEN_FILE";
constexpr const char* kStoreVariable = "EBB_STORE";
constexpr const char* kPublicUrlName = "ebb.url";
constexpr std::uint64_t kLongestUrl = 4096;

std::string TextOf(const store::Variables& variable, const char* name) {
  const char* text = variable(name);
  return text ? text : "";
}

FoundService AtUrl(std::string url, std::string token_file, std::string origin) {
  while (url.ends_with('/')) url.pop_back();
  FoundService found;
  found.url = std::move(url);
  found.token_file = std::move(token_file);
  found.origin = std::move(origin);
  return found;
}

FoundService AtStore(const platform::Path& store, const std::string& token_file,
                     std::string origin) {
  FoundService found;
  found.store = platform::AbsolutePath(store).string();
  found.token_file = token_file.empty() ? TokenFileOf(found.store) : token_file;
  found.origin = std::move(origin);
  return found;
}

FoundService Given(FoundService found) {
  found.was_given = true;
  return found;
}

bool IsThere(const platform::Path& store) {
  std::error_code ignored;
  return std::filesystem::exists(store, ignored) ||
         std::filesystem::exists(TokenFileOf(store.string()), ignored);
}

std::string Setting(const ServiceSources& sources, std::string_view key) {
  const config::Setting* setting = sources.settings ? sources.settings->Find(key) : nullptr;
  return setting ? setting->value : "";
}

// The token in the settings is only for the address in the same file.
FoundService AtUrlOfSettings(const config::Setting& server, const std::string& token_file,
                             const ServiceSources& sources) {
  const config::Setting* own = sources.settings->Find("service.token_file");
  const bool is_beside = own && own->file == server.file;
  return AtUrl(server.value, token_file.empty() && is_beside ? own->value : token_file,
               server.Where());
}

// Finds a service without asking anybody; the last place, the usual address, always counts as
// found.
FoundService FindOnMachine(const std::string& token_file, const ServiceSources& sources) {
  std::vector<std::string> tried{std::string(kServerVariable) + ": not set"};
  if (sources.settings)
    for (const SettingsFile& file : sources.settings->files)
      tried.push_back("service.server in " + file.path +
                      (file.is_there ? ": not set" : ": not there"));
  const auto with_tried = [&](FoundService found) {
    found.tried = std::move(tried);
    return found;
  };
  const auto own = store::DefaultStorePath(sources.variable);
  if (own && IsThere(*own)) return with_tried(AtStore(*own, token_file, "store " + own->string()));
  for (const platform::Path& path : store::OwnStorePaths(sources.variable))
    tried.push_back("store " + path.string() + ": not there");
  if (web::ReadToken(TokenFileOf(sources.machine_store)))
    return with_tried(AtStore(sources.machine_store, token_file, "store " + sources.machine_store));
  if (const auto url = platform::ReadFile(sources.machine_address, kLongestUrl))
    return with_tried(AtUrl(std::string(Trim(*url)), "", sources.machine_address));
  tried.push_back(sources.machine_address + ": not there");
  return with_tried(AtUrl(sources.usual_address, "", "the usual address"));
}

}  // namespace

ServiceSources SourcesOfMachine() {
  ServiceSources sources;
  sources.variable = [](const char* name) -> const char* { return std::getenv(name); };
  sources.settings = &SettingsOfUser();
  return sources;
}

bool IsNamedOrOwn(const FoundService& found) { return found.was_given || !found.store.empty(); }

Result<FoundService> FindService(const ServicePlace& place, const ServiceSources& sources) {
  if (!place.server.empty()) return Given(AtUrl(place.server, place.token_file, "--server"));
  const std::string token_file =
      place.token_file.empty() ? TextOf(sources.variable, kTokenFileVariable) : place.token_file;
  if (!place.store.empty()) return Given(AtStore(place.store, token_file, "--store"));
  if (const auto url = TextOf(sources.variable, kServerVariable); !url.empty())
    return Given(AtUrl(url, token_file, kServerVariable));
  if (const auto store = TextOf(sources.variable, kStoreVariable); !store.empty())
    return Given(AtStore(store, token_file, kStoreVariable));
  if (sources.settings) {
    EBB_RETURN_IF_ERROR(sources.settings->Check());
    if (const config::Setting* server = sources.settings->Find("service.server"))
      return Given(AtUrlOfSettings(*server, token_file, sources));
    if (const config::Setting* store = sources.settings->Find("service.store"))
      return Given(AtStore(store->value,
                           token_file.empty() ? Setting(sources, "service.token_file") : token_file,
                           store->Where()));
  }
  return FindOnMachine(token_file, sources);
}

Result<std::string> StorePathOf(const std::string& given) {
  if (!given.empty()) return platform::AbsolutePath(given).string();
  const ServiceSources sources = SourcesOfMachine();
  const bool of_environment = !TextOf(sources.variable, kStoreVariable).empty() ||
                              !TextOf(sources.variable, "STATE_DIRECTORY").empty();
  if (!of_environment) {
    EBB_RETURN_IF_ERROR(sources.settings->Check());
    if (auto store = Setting(sources, "service.store"); !store.empty()) return store;
  }
  EBB_ASSIGN_OR_RETURN(const platform::Path path, store::DefaultStorePath(sources.variable));
  return path.string();
}

std::string UrlFileOf(const std::string& store) { return store + ".url"; }
std::string TokenFileOf(const std::string& store) { return store + ".token"; }

std::string PublicUrlFile(const store::Variables& variable) {
  std::string directory = TextOf(variable, "RUNTIME_DIRECTORY");
  directory = directory.substr(0, directory.find(':'));
  return directory.starts_with('/') ? directory + "/" + kPublicUrlName : "";
}

}  // namespace ebb::app
