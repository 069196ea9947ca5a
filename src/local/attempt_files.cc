#include "local/attempt_files.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/enum_names.h"
#include "base/field_text.h"
#include "base/text.h"
#include "core/fields.h"
#include "platform/file.h"

namespace ebb::local {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kWishNames{"pause", "cancel", "too_long", "budget"};
constexpr const char* kBudgetEvents = "budget.events";
constexpr std::string_view kSupervisor = "supervisor ";
// A plan holds what a request may hold, escaped.
constexpr std::uint64_t kLongestFile = 64 << 20;
// So much of an energy file is taken in at a time: a few hundredths of a second.
constexpr std::uint64_t kEnergyPart = 1 << 20;

std::int64_t Milliseconds(Time time) { return time.time_since_epoch().count(); }

// The library would cut a fraction off and let a large number overflow.
template <typename T>
T Whole(const Json& json) {
  const bool fits = json.is_number_unsigned()
                        ? std::in_range<T>(json.get<std::uint64_t>())
                        : json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
  if (!fits) throw std::out_of_range("is no whole number in range: " + json.dump());
  return json.get<T>();
}
template <typename T>
T WholeOr(const Json& json, const char* key, T otherwise) {
  return json.contains(key) ? Whole<T>(json.at(key)) : otherwise;
}
Time TimeFrom(const Json& json) { return Time{Duration{Whole<std::int64_t>(json)}}; }

Error Damaged(const fs::path& file, const std::string& what) {
  return {ExitCode::kUnavailable, "is damaged: " + what, file.string(), ""};
}

// Everything that is thrown means that the file does not say what it should.
template <typename Read>
auto Parse(const fs::path& file, Read read) -> Result<decltype(read(Json()))> {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file, kLongestFile));
  try {
    return read(Json::parse(text));
  } catch (const std::exception& error) {
    return Fail(Damaged(file, error.what()));
  }
}

std::string Dump(const Json& json) {
  // A command line or a path may hold any bytes; JSON cannot: what is not UTF-8 is refused when a
  // job is submitted, and replaced here.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What is not there is nothing; a field that makes no sense is as if it was not there.
template <typename T>
T ValueAt(const Json& json, const char* key) {
  if (!json.contains(key)) return {};
  return FromFieldText<T>(json.at(key).dump(), key).value_or(T{});
}
template <typename T>
Json JsonOf(const T& value) {
  return Json::parse(ToFieldText(value));
}

AttemptPlan PlanFrom(const Json& json) {
  AttemptPlan plan;
  plan.job = Whole<core::JobId>(json.at("job"));
  plan.identity = WholeOr<std::int64_t>(json, "identity", 0);
  plan.attempt = Whole<int>(json.at("attempt"));
  plan.pool = Whole<int>(json.at("pool"));
  for (const Json& slot : json.at("slots")) plan.slots.push_back(Whole<int>(slot));
  plan.gpus = json.value("gpus", std::vector<std::string>());
  plan.since = TimeFrom(json.at("since_ms"));
  plan.command = json.at("command").get<std::vector<std::string>>();
  plan.working_directory = json.at("working_directory");
  for (const Json& entry : json.at("environment"))
    plan.environment.emplace_back(entry.at(0), entry.at(1));
  plan.grace = Duration{Whole<std::int64_t>(json.at("grace_ms"))};
  if (const std::string cap = json.value("power_cap", ""); !cap.empty())
    if (const auto parsed = core::ParsePowerCap(cap)) plan.power_cap = *parsed;
  plan.log_limit_bytes = WholeOr<std::uint64_t>(json, "log_limit_bytes", 0);
  plan.name = json.value("name", "");
  plan.submitted = TimeFrom(json.value("submitted_ms", Json(0)));
  plan.since_wall = TimeFrom(json.value("since_wall_ms", Json(0)));
  plan.since_boot = Duration{WholeOr<std::int64_t>(json, "since_boot_ms", 0)};
  plan.clock.replayed = json.value("replayed", false);
  plan.clock.speed = json.value("speed", 1.0);
  plan.store = json.value("store", "");
  plan.tracking = ValueAt<core::Tracking>(json, "tracking");
  plan.budget = ValueAt<core::Budget>(json, "budget");
  plan.used_before = ValueAt<core::BudgetUse>(json, "used_before");
  plan.metering = json.at("metering").get<std::map<std::string, std::string>>();
  return plan;
}

AttemptEnd EndFrom(const Json& json) {
  AttemptEnd end;
  end.started = json.at("started");
  end.status = {Whole<int>(json.at("exit_code")), json.at("by_signal")};
  core::Attempt& attempt = end.attempt;
  attempt.number = Whole<int>(json.at("attempt"));
  attempt.wall = {TimeFrom(json.at("wall_ms").at(0)), TimeFrom(json.at("wall_ms").at(1))};
  attempt.outcome = core::AttemptOutcomeFromName(json.at("outcome").get<std::string>())
                        .value_or(core::AttemptOutcome::kFailed);
  attempt.exit_code = end.status.code;
  attempt.cpu_utilisation_percent = json.at("cpu_percent");
  attempt.ram_used_gb = json.at("ram_gb");
  attempt.gpu_utilisation_percent = json.at("gpu_percent");
  end.warnings = json.at("warnings").get<std::vector<std::string>>();
  end.detail = json.at("detail");
  end.from_outside = json.value("from_outside", false);
  return end;
}

EnergyHeader HeaderFrom(const Json& json) {
  return {Whole<int>(json.at("program_pid")), json.at("program_identity"),
          TimeFrom(json.at("wall_begin_ms")), json.value("cgroup", ""),
          Duration{WholeOr<std::int64_t>(json, "since_boot_ms", 0)}};
}

// ["cpu:package-0","cpu","counter",begin_ms,end_ms,microjoules], and true where it is shared
std::optional<core::EnergyReading> ReadingFrom(const Json& json) {
  core::EnergyReading reading;
  reading.device = json.at(0);
  const auto component = core::ComponentFromName(json.at(1).get<std::string>());
  const auto source = core::EnergySourceFromName(json.at(2).get<std::string>());
  reading.wall = {TimeFrom(json.at(3)), TimeFrom(json.at(4))};
  reading.energy = Energy::Microjoules(Whole<std::int64_t>(json.at(5)));
  reading.shared = json.size() > 6 && json.at(6).get<bool>();
  if (!component || !source || reading.wall.end < reading.wall.begin) return std::nullopt;
  reading.component = *component;
  reading.source = *source;
  return reading;
}

}  // namespace

void WriteSupervisor(const platform::FileLock& lock) {
  const std::string text = std::string(kSupervisor) + std::to_string(::getpid()) + "\n";
  [[maybe_unused]] const ssize_t written = ::pwrite(lock.descriptor(), text.data(), text.size(), 0);
}

Result<int> SupervisorOf(const AttemptPaths& paths) {
  constexpr int kTries = 500;
  constexpr int kTriesBetweenLooks = 50;
  for (int left = kTries; left > 0; --left) {
    const std::string text = platform::ReadFile(paths.lock(), kLongestFile).value_or("");
    // Until the supervisor has written, the file names the process that started it.
    if (text.starts_with(kSupervisor)) {
      const auto pid = ParseInteger(Trim(std::string_view(text).substr(kSupervisor.size())));
      if (pid && *pid > 0) return static_cast<int>(*pid);
    }
    if (left % kTriesBetweenLooks == 1)
      if (const auto holder = platform::FileLock::FindHolder(paths.lock())) return *holder;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return Fail({ExitCode::kUnavailable, "does not say who holds it", paths.lock().string(),
               "fuser names the process; end it, or wait until it has ended"});
}

int LastAttempt(const fs::path& directory) {
  constexpr std::string_view kBegin = "attempt-";
  constexpr std::string_view kEnd = ".json";
  int last = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    int number = 0;
    const char* end = name.data() + name.size() - kEnd.size();
    const auto [stop, error] = std::from_chars(name.data() + kBegin.size(), end, number);
    if (error == std::errc() && stop == end) last = std::max(last, number);
  }
  return last;
}

Status WritePlan(const AttemptPaths& paths, const AttemptPlan& plan) {
  Json json{{"job", plan.job},
            {"identity", plan.identity},
            {"attempt", plan.attempt},
            {"pool", plan.pool},
            {"slots", plan.slots},
            {"gpus", plan.gpus},
            {"since_ms", Milliseconds(plan.since)},
            {"command", plan.command},
            {"working_directory", plan.working_directory},
            {"environment", Json::array()},
            {"grace_ms", plan.grace.count()},
            {"log_limit_bytes", plan.log_limit_bytes},
            {"name", plan.name},
            {"submitted_ms", Milliseconds(plan.submitted)},
            {"since_wall_ms", Milliseconds(plan.since_wall)},
            {"since_boot_ms", plan.since_boot.count()},
            {"replayed", plan.clock.replayed},
            {"speed", plan.clock.speed},
            {"store", plan.store},
            {"metering", plan.metering}};
  if (!plan.tracking.empty()) json["tracking"] = JsonOf(plan.tracking);
  if (!plan.budget.empty()) {
    json["budget"] = JsonOf(plan.budget);
    json["used_before"] = JsonOf(plan.used_before);
  }
  if (plan.power_cap) json["power_cap"] = core::Describe(*plan.power_cap);
  for (const auto& [name, value] : plan.environment)
    json["environment"].push_back(Json::array({name, value}));
  // Environments may hold secrets.
  return platform::WriteFileAtomically(paths.plan(), Dump(json) + "\n", platform::Readers::kOwner);
}

Result<AttemptPlan> ReadPlan(const fs::path& file) { return Parse(file, PlanFrom); }

Status WriteEnd(const AttemptPaths& paths, const AttemptEnd& end) {
  const core::Attempt& attempt = end.attempt;
  const Json json{{"attempt", attempt.number},
                  {"started", end.started},
                  {"exit_code", end.status.code},
                  {"by_signal", end.status.by_signal},
                  {"outcome", core::Name(attempt.outcome)},
                  {"wall_ms", {Milliseconds(attempt.wall.begin), Milliseconds(attempt.wall.end)}},
                  {"cpu_percent", attempt.cpu_utilisation_percent},
                  {"ram_gb", attempt.ram_used_gb},
                  {"gpu_percent", attempt.gpu_utilisation_percent},
                  {"warnings", end.warnings},
                  {"detail", end.detail},
                  {"from_outside", end.from_outside}};
  return platform::WriteFileAtomically(paths.end(), Dump(json) + "\n");
}

Result<std::optional<AttemptEnd>> ReadEnd(const AttemptPaths& paths) {
  std::error_code ignored;
  if (!fs::exists(paths.end(), ignored)) return std::optional<AttemptEnd>();
  EBB_ASSIGN_OR_RETURN(AttemptEnd end, Parse(paths.end(), EndFrom));
  return std::optional(std::move(end));
}

Status WritePowerLimits(const AttemptPaths& paths, const std::vector<meter::PowerLimit>& limits) {
  Json json = Json::array();
  for (const meter::PowerLimit& limit : limits)
    json.push_back({{"uuid", limit.uuid}, {"old_mw", limit.old_mw}, {"new_mw", limit.new_mw}});
  return platform::WriteFileAtomically(paths.power(), Dump(json) + "\n");
}

Result<std::vector<meter::PowerLimit>> ReadPowerLimits(const AttemptPaths& paths) {
  std::error_code ignored;
  std::vector<meter::PowerLimit> none;
  if (!fs::exists(paths.power(), ignored)) return none;
  return Parse(paths.power(), [](const Json& json) {
    std::vector<meter::PowerLimit> limits;
    for (const Json& limit : json)
      limits.push_back({limit.at("uuid"), Whole<unsigned>(limit.at("old_mw")),
                        Whole<unsigned>(limit.at("new_mw"))});
    return limits;
  });
}

Status AppendDeviceFault(const AttemptPaths& paths, const DeviceFault& fault) {
  EBB_ASSIGN_OR_RETURN(auto writer, platform::LineWriter::Open(paths.faults()));
  return writer.Append(Dump(
      {{"wall_ms", Milliseconds(fault.wall)}, {"device", fault.device}, {"what", fault.what}}));
}

std::vector<DeviceFault> ReadDeviceFaults(const AttemptPaths& paths) {
  std::vector<DeviceFault> faults;
  const auto text = platform::ReadFile(paths.faults(), kLongestFile);
  if (!text) return faults;
  for (const std::string_view line : Split(*text, '\n')) {
    const Json json = Json::parse(line, nullptr, false);
    const auto is = [&](const char* key, auto check) {
      return json.is_object() && json.contains(key) && (json[key].*check)();
    };
    if (!is("device", &Json::is_string) || !is("what", &Json::is_string) ||
        !is("wall_ms", &Json::is_number_integer))
      continue;
    faults.push_back(
        {Time{Duration{json["wall_ms"].get<std::int64_t>()}}, json["device"], json["what"]});
  }
  return faults;
}

Status WriteAsked(const AttemptPaths& paths, EndWish wish) {
  return platform::WriteFileAtomically(
      paths.asked(), std::string(kWishNames[static_cast<std::size_t>(wish)]) + "\n");
}

std::optional<EndWish> ReadAsked(const AttemptPaths& paths) {
  const auto text = platform::ReadFile(paths.asked(), kLongestFile);
  if (!text) return std::nullopt;
  return EnumFromName<EndWish>(kWishNames, Trim(*text));
}

Status AppendBudgetEvent(const fs::path& job_directory, const core::BudgetEvent& event) {
  EBB_ASSIGN_OR_RETURN(auto writer, platform::LineWriter::Open(job_directory / kBudgetEvents));
  return writer.Append(ToFieldText(event));
}

std::vector<core::BudgetEvent> ReadBudgetEvents(const fs::path& job_directory) {
  std::vector<core::BudgetEvent> events;
  const fs::path file = job_directory / kBudgetEvents;
  const auto text = platform::ReadFile(file, kLongestFile);
  if (!text) return events;
  for (const std::string_view line : Split(*text, '\n')) {
    if (line.empty()) continue;
    if (const auto event = FromFieldText<core::BudgetEvent>(line, file.string()))
      events.push_back(*event);
  }
  return events;
}

std::string ToLine(const EnergyHeader& header) {
  return Dump({{"program_pid", header.program_pid},
               {"program_identity", header.program_identity},
               {"wall_begin_ms", Milliseconds(header.wall_begin)},
               {"cgroup", header.cgroup},
               {"since_boot_ms", header.since_boot.count()}});
}

std::string ToLine(const core::EnergyReading& reading) {
  Json json = Json::array({reading.device, core::Name(reading.component),
                           core::Name(reading.source), Milliseconds(reading.wall.begin),
                           Milliseconds(reading.wall.end), reading.energy.microjoules()});
  if (reading.shared) json.push_back(true);
  return Dump(json);
}

std::vector<core::EnergyReading> EnergyTail::Read() {
  std::vector<core::EnergyReading> readings;
  has_more_ = tail_.Read([&](std::string_view line) { TakeLine(line, readings); }, kEnergyPart);
  return readings;
}

void EnergyTail::TakeLine(std::string_view line, std::vector<core::EnergyReading>& readings) {
  const Json json = Json::parse(line, nullptr, false);
  try {
    if (json.is_object()) {
      header_ = HeaderFrom(json);
    } else if (auto reading = ReadingFrom(json)) {
      readings.push_back(*std::move(reading));
    } else {
      ++damaged_lines_;
    }
  } catch (const std::exception&) {
    ++damaged_lines_;
  }
}

}  // namespace ebb::local
