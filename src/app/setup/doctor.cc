#include "app/setup/doctor.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>

#include "app/jobs/service_client.h"
#include "app/options/missing_zone.h"
#include "app/options/when.h"
#include "app/run/trainer_command.h"
#include "base/enum_names.h"
#include "base/json_node.h"
#include "base/text.h"
#include "base/units_text.h"
#include "meter/cpu/rapl.h"
#include "meter/gpu/gpu_inventory.h"
#include "meter/gpu/nvml_library.h"
#include "meter/gpu/rocm.h"
#include "meter/meters.h"
#include "meter/sharing/cgroup.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/program_lookup.h"
#include "platform/system.h"
#include "platform/user_name.h"
#include "signals/choose_source.h"
#include "signals/feeds/signal_cache.h"
#include "signals/make_feed.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kHealthNames{"fine", "advice", "problem"};
constexpr Duration kPatience{3000};     // time for any address to answer
constexpr Duration kFirstAnswer{4000};  // time for the first answer of the grid signal
constexpr std::uint64_t kTooFull = 100'000'000, kNearlyFull = 1'000'000'000;
constexpr std::uint64_t kLongestCache = 64 << 20;
constexpr int kEarliestYear = 2024;  // the year in which Ebb was written
// The latest error of an address.
class Trouble {
 public:
  void Note(std::string what) {
    const std::lock_guard lock(mutex_);
    last_ = std::move(what);
  }
  std::string Text() const {
    const std::lock_guard lock(mutex_);
    return last_.empty() ? "" : "; " + last_;
  }

 private:
  mutable std::mutex mutex_;
  std::string last_;
};

class Doctor {
 public:
  explicit Doctor(const DoctorRequest& request) : request_(request) {}

  std::vector<Finding> Examine() {
    Settings();
    Signal();
    Cpu();
    Nvidia();
    Amd();
    ControlGroups();
    Service();
    Store();
    Disk();
    Clock();
    Trainer();
    return std::move(findings_);
  }

 private:
  void Add(Finding finding) { findings_.push_back(std::move(finding)); }
  void Fine(std::string topic, std::string text) {
    Add({std::move(topic), Health::kFine, std::move(text), ""});
  }
  void Advise(std::string topic, std::string text, std::string remedy) {
    Add({std::move(topic), Health::kAdvice, std::move(text), std::move(remedy)});
  }
  void Report(std::string topic, std::string text, std::string remedy) {
    Add({std::move(topic), Health::kProblem, std::move(text), std::move(remedy)});
  }
  void Report(std::string topic, const Error& error) {
    Report(std::move(topic), error.where.empty() ? error.what : error.where + ": " + error.what,
           error.next.empty() ? "correct it" : error.next);
  }

  void Settings() {
    bool any = false;
    for (const SettingsFile& file : settings_.files) {
      any = any || file.is_there;
      if (file.problem)
        Report("settings", *file.problem);
      else if (file.is_there)
        Fine("settings", file.path + " is read");
    }
    if (!any) Advise("settings", "there is no settings file", "ebb init writes one");
  }

  void Signal() {
    const auto flags = WithSettings(request_.flags, SettingsFor::kRun);
    if (!flags) return;  // no command has a signal before that problem is solved
    RunOptions options;
    const Status applied = ApplyFlags(*flags, options);
    metering_ = options.metering;
    if (!applied) return Report("signal", applied.error());
    Zone(options.scheduler.signal);
    if (const Status valid = Validate(options); !valid) return Report("signal", valid.error());
    AskSignal(options.scheduler.signal);
  }

  void Zone(const signals::SignalOptions& signal) {
    if (signal.zone.empty())
      return Report("zone", "no grid zone is known, and nothing on this machine suggests one",
                    "ebb init asks for it; --zone or EBB_ZONE gives it for once");
    const bool guessed = signal.zone_origin.find("a guess") != std::string::npos;
    if (guessed)
      return Advise("zone", signal.zone + " is a guess by " + GuessedZone()->from,
                    "ebb init settles it");
    Fine("zone", signal.zone + (signal.zone_origin.empty() ? "" : ", from " + signal.zone_origin));
  }

  // Works without the cache, so that nothing is written and the answer is a present one.
  void AskSignal(signals::SignalOptions signal) {
    const std::string cache = signal.cache_directory == "auto" ? signals::DefaultCacheDirectory()
                                                               : signal.cache_directory;
    signal.cache_directory = "";
    const auto begin = std::chrono::steady_clock::now();
    const auto late = [begin] { return std::chrono::steady_clock::now() - begin > kFirstAnswer; };
    // The feed keeps trying; this records the errors meanwhile. The feed's thread makes the
    // requests.
    const auto trouble = std::make_shared<Trouble>();
    const auto http_get = [trouble](platform::HttpRequest request) {
      request.timeout = std::min(request.timeout, kPatience);
      auto answer = platform::HttpGet(request);
      if (!answer)
        trouble->Note(answer.error().what);
      else if (answer->status / 100 != 2)
        trouble->Note("it answers " + std::to_string(answer->status));
      return answer;
    };
    const auto feed = signals::MakeFeed(signal, http_get, late);
    if (!feed) return Report("signal", feed.error());
    const Time now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const std::string what = signals::Describe((*feed)->identity());
    const auto view = (*feed)->Observe(now, std::chrono::hours{24});
    if (!view) {
      Error error = view.error();
      error.what = what + ": " + error.what + trouble->Text() +
                   CachedNote(cache, signal, (*feed)->identity(), now);
      if (error.next.empty()) error.next = "check the network and the token";
      return Report("signal", error);
    }
    if (const auto state = (*feed)->State(now)) {
      if (state->freshness == runtime::Freshness::kFresh)
        return Fine("signal", what + ": live, " + state->text);
      return Report("signal",
                    what + ": " + state->text + trouble->Text() +
                        CachedNote(cache, signal, (*feed)->identity(), now),
                    "check the network and the token");
    }
    if (signals::IsLive(signal.source)) return Fine("signal", what);
    if (signal.source == signals::SignalSource::kProfile ||
        signal.source == signals::SignalSource::kYearlyAverage)
      return Advise("signal", what + ": a model, not the grid of today",
                    "for live values of " + signal.zone +
                        ", get a token of Electricity Maps and run ebb init; sources: " +
                        signals::DescribeChain(signal));
    Fine("signal", what);
  }

  // A note on the cache: "; the cache holds an answer of 40min ago", which replaces live answers
  // for a while.
  static std::string CachedNote(const std::string& directory, const signals::SignalOptions& signal,
                                const core::SignalIdentity& identity, Time now) {
    if (directory.empty()) return "";
    const auto path =
        signals::CachePath(directory, std::string(signals::Name(signal.source)), identity);
    const auto text = platform::ReadFile(path, kLongestCache);
    const auto cached = text ? signals::CachedSignalFromText(*text, path.string())
                             : Result<signals::CachedSignal>(Fail(text.error()));
    if (!cached) return "; nothing is cached";
    return "; the cache holds an answer of " + FormatDuration(now - cached->answered_at) + " ago";
  }

  void Cpu() {
    const meter::MeterOptions options = MeterOptionsFor(metering_);
    const meter::RaplScan rapl = meter::ScanRapl(options.rapl_root);
    if (!options.use_rapl)
      Fine("cpu", "modelled, as it is set (--rapl none)");
    else if (!rapl.packages.empty())
      Fine("cpu", "RAPL counters of " + Count(rapl.packages.size(), "package"));
    else if (rapl.not_permitted)
      Advise(
          "cpu", "modelled: RAPL counters are there, and only root may read them",
          std::string(meter::kAllowRapl) +
              " lets your group read them until the next boot; docs/metering.md, Permission, has "
              "a rule that stays");
    else
      Advise("cpu", "modelled: " + rapl.note,
             "give the watts of all processors at full load with --cpu-tdp, or "
             "metering.cpu_tdp_w in the settings, if you know them");
  }

  static std::string Count(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  }

  void Nvidia() {
    const meter::MeterOptions options = MeterOptionsFor(metering_);
    const bool driver = platform::Exists(options.proc_root + "/driver/nvidia/version");
    if (!meter::NvmlLibrary::IsInstalled(options.nvml_library)) {
      if (driver)
        Report("gpu (NVIDIA)",
               "the driver is loaded, and " + options.nvml_library +
                   " is not installed, so GPUs are not measured",
               "install the driver's libraries of the same version; in a container, start it with "
               "the utility capability (NVIDIA_DRIVER_CAPABILITIES=compute,utility)");
      else
        Fine("gpu (NVIDIA)", "none here");
      return;
    }
    meter::GpuSearch search;
    search.nvml_library = options.nvml_library;
    search.cuda_visible_devices = options.cuda_visible_devices;
    const auto found = meter::FindAllGpus(search);
    if (!found) {
      const Error& error = found.error();
      if (!driver)
        return Advise("gpu (NVIDIA)", "NVML is installed, and no driver is loaded: " + error.what,
                      "load the driver (nvidia-smi), if there is a GPU");
      return Report("gpu (NVIDIA)", error.what,
                    error.next.empty() ? "nvidia-smi says more; after an upgrade of the driver, "
                                         "reboot"
                                       : error.next);
    }
    for (const std::string& note : found->notes) Advise("gpu (NVIDIA)", note, "docs/devices.md");
    for (const meter::GpuDevice& device : found->devices)
      if (!device.fault.empty())
        Report("gpu (NVIDIA)", device.model + " " + device.uuid + ": " + device.fault,
               "nvidia-smi says more");
    Fine("gpu (NVIDIA)", Count(found->devices.size(), "device") + ", " +
                             Count(found->energies.size(), "energy counter"));
  }

  void Amd() {
    const meter::MeterOptions options = MeterOptionsFor(metering_);
    if (!platform::Exists(options.kfd_device)) return Fine("gpu (AMD)", "none here");
    const meter::GpuScan scan = meter::ScanRocmGpus(options.rocm_libraries, {});
    if (scan.meter)
      Fine("gpu (AMD)", Count(scan.gpu_models.size(), "GPU") + " by ROCm SMI");
    else
      Report("gpu (AMD)",
             "the driver is loaded, and GPUs are not measured: " + Join(scan.notes, "; "),
             "install librocm_smi64, and add yourself to the groups render and video");
  }

  void ControlGroups() {
    if (meter::Cgroup::Permitted())
      Fine("control groups", "programs get one of their own, so daemons are counted too");
    else
      Advise("control groups", "not permitted: a daemon that a program leaves may be missed",
             "systemd-run --user --scope -p Delegate=yes ebb track ..., if you need it");
  }

  void Service() {
    const auto client = ServiceClient::Find(request_.place);
    if (!client) return Report("service", client.error());
    const FoundService& place = client->place();
    const std::string where = place.store.empty() ? place.url : "of store " + place.store;
    const auto answer = client->Within(kPatience).Get("/api/v1/openapi.json");
    if (!answer) {
      const Error& error = answer.error();
      if (place.was_given)
        return Report("service", place.origin + " names one: " + error.Message(),
                      "start it, or correct " + place.origin);
      return Advise(
          "service", "none runs: " + error.what + " (" + where + ")",
          "not needed for ebb run and track; ebb serve starts one for ebb submit. Of a unit, "
          "systemctl status ebb says why it does not run");
    }
    const auto json = ParseJson(*answer, "");
    const JsonNode* info = json ? json->Find("info") : nullptr;
    Add(JudgeVersion(where, info ? info->TextOf("version") : "", request_.version));
  }

  void Store() {
    auto path = StorePathOf(request_.place.store);
    if (!path) return Report("store", path.error());
    // This user may be that of the machine's service, whose store is in another place.
    const auto service = FindService(request_.place, SourcesOfMachine());
    if (service && !service->store.empty()) path = service->store;
    std::error_code error;
    const fs::path directory = fs::path(*path).parent_path();
    if (!fs::exists(*path, error)) return Fine("store", *path + ": not there yet");
    if (!platform::IsWritableDirectory(directory))
      return Report(
          "store",
          *path + " belongs to " + platform::OwnerOf(*path) + ", and you cannot write there",
          "run ebb as that user, or name a store of your own with EBB_STORE");
    const auto others =
        fs::status(*path, error).permissions() & (fs::perms::group_all | fs::perms::others_all);
    if (others != fs::perms::none)
      return Report("store", *path + " can be read by others, and holds environments of jobs",
                    "chmod 600 " + *path);
    Fine("store", *path);
    const auto space = fs::space(directory, error);
    if (!error) Add(JudgeSpace("the store", directory.string(), space.available));
  }

  void Disk() {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const auto space = fs::space(here, error);
    if (error) return;
    if (!platform::IsWritableDirectory(here))
      Advise("disk", here.string() + ": runs cannot be written here",
             "work in another directory, or give --output-dir");
    Add(JudgeSpace("runs", here.string(), space.available));
  }

  void Clock() {
    const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const int year = static_cast<int>(std::chrono::year_month_day(now).year());
    Add(JudgeClock(year, platform::ClockIsKept()));
    if (const auto zone = ZoneOfUser(""); zone)
      Fine("time zone", zone->name());
    else
      Report("time zone", zone.error());
  }

  void Trainer() {
    platform::ChildOptions program;
    program.argv = {TrainerProgram()};
    const Status found = platform::CheckStart(program);
    if (found)
      Fine("ebb-train", TrainerProgram());
    else
      Advise("ebb-train", "not there: " + found.error().what,
             "only ebb train needs it: build with LibTorch, or name it with EBB_TRAIN_PROGRAM");
  }

  const DoctorRequest& request_;
  const UserSettings& settings_ = SettingsOfUser();
  config::MeteringConfig metering_;
  std::vector<Finding> findings_;
};

}  // namespace

std::string_view Name(Health health) { return kHealthNames[static_cast<std::size_t>(health)]; }

Finding JudgeClock(int year, bool kept) {
  if (year < kEarliestYear)
    return {"clock", Health::kProblem, "shows the year " + std::to_string(year),
            "set it: sudo timedatectl set-ntp true"};
  if (!kept)
    return {"clock", Health::kAdvice, "the kernel does not know that anything keeps it in step",
            "sudo timedatectl set-ntp true; in a container or virtual machine, its host may keep "
            "the clock"};
  return {"clock", Health::kFine, "kept in step"};
}

Finding JudgeSpace(const std::string& what, const std::string& where, std::uint64_t free_bytes) {
  const std::string text =
      where + " has " + BytesText(static_cast<double>(free_bytes)) + " free for " + what;
  const std::string remedy = "free some disk space";
  if (free_bytes < kTooFull) return {"disk", Health::kProblem, text, remedy};
  if (free_bytes < kNearlyFull) return {"disk", Health::kAdvice, text, remedy};
  return {"disk", Health::kFine, text};
}

Finding JudgeVersion(const std::string& where, const std::string& theirs, const std::string& ours) {
  if (theirs == ours) return {"service", Health::kFine, where + ": runs, version " + theirs};
  return {"service", Health::kAdvice,
          where + ": runs version " + (theirs.empty() ? "that it does not tell" : theirs) +
              ", and this is " + ours,
          "restart it: systemctl --user restart ebb, or end and start ebb serve; jobs go on"};
}

std::vector<Finding> Examine(const DoctorRequest& request) { return Doctor(request).Examine(); }

}  // namespace ebb::app
