#include "local/files/attempt_files.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <thread>
#include <utility>

#include "base/enum_names.h"
#include "base/field_text.h"
#include "base/text.h"
#include "core/run/power_choice_fields.h"
#include "local/files/attempt_fields.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/process_table.h"
#include "platform/shared_file.h"
#include "platform/signature.h"
#include "platform/system.h"

namespace ebb::local {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kEndRequestNames{"pause", "cancel", "too_long", "budget"};
constexpr const char* kBudgetEvents = "budget.events";
constexpr std::string_view kSupervisor = "supervisor ";
// The last field of an end signs all text before it.
constexpr std::string_view kSignature = ",\"signature\":\"";
constexpr std::string_view kAfterSignature = "\"}";
// A plan holds what a request may hold, escaped.
constexpr std::uint64_t kLongestFile = 64 << 20;
// An energy file is read in parts of this size: a few hundredths of a second each.
constexpr std::uint64_t kEnergyPart = 1 << 20;

Error Damaged(const fs::path& file, const std::string& what) {
  return {ExitCode::kUnavailable, "is damaged: " + what, file.string(), ""};
}

template <typename T>
Result<T> ReadFields(const fs::path& file) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadSharedFile(file, kLongestFile));
  auto value = FromFieldText<T>(text, file.string());
  if (!value) return Fail(Damaged(file, value.error().what));
  return value;
}

// Values of those lines of a file that can be read.
template <typename T>
std::vector<T> ReadLines(const fs::path& file, FieldStyle style = FieldStyle::kCompact) {
  std::vector<T> values;
  const auto text = platform::ReadSharedFile(file, kLongestFile);
  if (!text) return values;
  for (const std::string_view line : Split(*text, '\n'))
    if (auto value = FromFieldText<T>(line, file.string(), style))
      values.push_back(*std::move(value));
  return values;
}

template <typename T>
Status AppendLine(const fs::path& file, const T& value) {
  EBB_ASSIGN_OR_RETURN(auto writer, platform::LineWriter::Open(file));
  return writer.Append(ToFieldText(value));
}

// Checks the signature that WriteEnd adds.
bool IsSignedEnd(std::string_view text, const std::string& end_key) {
  const auto at = text.rfind(kSignature);
  if (at == std::string_view::npos || !text.ends_with(kAfterSignature)) return false;
  const std::string signed_text = std::string(text.substr(0, at)) + "}";
  text.remove_prefix(at + kSignature.size());
  text.remove_suffix(kAfterSignature.size());
  return platform::IsSigned(end_key, signed_text, std::string(text));
}

// ["cpu:package-0","cpu","counter",begin_ms,end_ms,microjoules], and true where it is shared, and
// then the utilisation if it is known. Earlier versions leave the last one unread.
void Get(const FieldReader& row, core::EnergyReading& reading) {
  row.At(0).Get(reading.device);
  row.At(1).Get(reading.component);
  row.At(2).Get(reading.source);
  row.At(3).Get(reading.wall.begin);
  row.At(4).Get(reading.wall.end);
  row.At(5).Get(reading.energy);
  if (row.Size() > 6) row.At(6).Get(reading.shared);
  if (reading.wall.end < reading.wall.begin) row.Fail("ends before it begins");
}

std::optional<double> UtilisationIn(const FieldReader& row) {
  if (row.Size() <= 7) return std::nullopt;
  double percent = 0;
  row.At(7).Get(percent);
  return percent >= 0 && percent <= 100 ? std::optional(percent) : std::nullopt;
}

// The processors have one figure, whichever packages they are in.
std::string UtilisedDevice(const core::EnergyReading& reading) {
  return reading.component == core::Component::kCpu ? std::string() : reading.device;
}

}  // namespace

std::string_view Name(EndRequest request) {
  return kEndRequestNames[static_cast<std::size_t>(request)];
}

std::optional<EndRequest> EndRequestFromName(std::string_view name) {
  return EnumFromName<EndRequest>(kEndRequestNames, name);
}

void WriteSupervisor(const platform::FileLock& lock) {
  const std::string text = std::string(kSupervisor) + std::to_string(platform::ProcessId()) + "\n";
  [[maybe_unused]] const ssize_t written = ::pwrite(lock.descriptor(), text.data(), text.size(), 0);
}

Result<int> SupervisorOf(const AttemptPaths& paths) {
  constexpr int kTries = 500;
  constexpr int kTriesBetweenLooks = 50;
  const std::string plan = platform::AbsolutePath(paths.plan()).string();
  for (int left = kTries; left > 0; --left) {
    const std::string text = platform::ReadSharedFile(paths.lock(), kLongestFile).value_or("");
    // Until the supervisor has written, the file names the process that started it.
    if (text.starts_with(kSupervisor)) {
      const auto pid = ParseInteger(Trim(std::string_view(text).substr(kSupervisor.size())));
      if (pid && *pid > 0) return static_cast<int>(*pid);
    }
    if (left % kTriesBetweenLooks == 1)
      if (const auto pids = platform::WithArgument(plan); !pids.empty()) return pids.front();
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return Fail({ExitCode::kUnavailable, "does not say who holds it", paths.lock().string(),
               "`pgrep -f " + plan + "` names the process; end it, or wait until it has ended"});
}

int LastAttempt(const fs::path& directory) {
  constexpr std::string_view kBegin = "attempt-";
  constexpr std::string_view kEnd = ".json";
  int last = 0;
  std::error_code ignored;
  // For a new job, asking if the directory exists costs a third of trying to open it.
  if (!fs::exists(directory, ignored)) return 0;
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
  // Environments may hold secrets.
  return platform::WriteFileAtomically(paths.plan(), ToFieldText(plan) + "\n",
                                       platform::Readers::kOwner);
}

Result<AttemptPlan> ReadPlan(const fs::path& file) {
  EBB_ASSIGN_OR_RETURN(AttemptPlan plan, ReadFields<AttemptPlan>(file));
  // Plans of earlier versions do not say how fast the grid clock goes.
  if (plan.clock.speed == 0) plan.clock.speed = 1;
  return plan;
}

Status WriteEnd(const AttemptPaths& paths, const AttemptEnd& end, const std::string& secret_key) {
  std::string text = ToFieldText(end);
  if (!secret_key.empty()) {
    const std::string signature = platform::Sign(secret_key, text);
    text.pop_back();  // removes the bracket that closes it
    text.append(kSignature).append(signature).append(kAfterSignature);
  }
  return platform::WriteFileAtomically(paths.end(), text + "\n");
}

Result<std::optional<AttemptEnd>> ReadEnd(const AttemptPaths& paths, const std::string& end_key) {
  std::error_code ignored;
  if (fs::symlink_status(paths.end(), ignored).type() == fs::file_type::not_found)
    return std::optional<AttemptEnd>();
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadSharedFile(paths.end(), kLongestFile));
  if (!end_key.empty() && !IsSignedEnd(Trim(text), end_key))
    return Fail({ExitCode::kUnavailable, "was not written by the supervisor of the attempt",
                 paths.end().string(), ""});
  auto end = FromFieldText<AttemptEnd>(text, paths.end().string());
  if (!end) return Fail(Damaged(paths.end(), end.error().what));
  return std::optional(*std::move(end));
}

std::string TextOf(const AttemptEnd& end) { return ToFieldText(end) + "\n"; }

Result<AttemptEnd> EndFrom(const std::string& text) {
  return FromFieldText<AttemptEnd>(text, "the end of an attempt");
}

Status WritePowerLimits(const AttemptPaths& paths, const std::vector<meter::PowerLimit>& limits) {
  return platform::WriteFileAtomically(paths.power(), ToFieldText(limits) + "\n");
}

Result<std::vector<meter::PowerLimit>> ReadPowerLimits(const AttemptPaths& paths) {
  std::error_code ignored;
  std::vector<meter::PowerLimit> none;
  if (!fs::exists(paths.power(), ignored)) return none;
  return ReadFields<std::vector<meter::PowerLimit>>(paths.power());
}

Status AppendDeviceFault(const AttemptPaths& paths, const DeviceFault& fault) {
  return AppendLine(paths.faults(), fault);
}

std::vector<DeviceFault> ReadDeviceFaults(const AttemptPaths& paths) {
  return ReadLines<DeviceFault>(paths.faults());
}

Status AppendPowerChoice(const fs::path& job_directory, const core::PowerChoice& choice) {
  EBB_ASSIGN_OR_RETURN(auto writer,
                       platform::LineWriter::Open(job_directory / core::kPowerChoiceFile));
  return writer.Append(ToFieldText(choice, FieldStyle::kComplete));
}

std::vector<core::PowerChoice> ReadPowerChoices(const fs::path& job_directory) {
  return ReadLines<core::PowerChoice>(job_directory / core::kPowerChoiceFile,
                                      FieldStyle::kComplete);
}

Status WriteAsked(const AttemptPaths& paths, EndRequest request) {
  return platform::WriteFileAtomically(paths.asked(), std::string(Name(request)) + "\n");
}

std::optional<EndRequest> ReadAsked(const AttemptPaths& paths) {
  const auto text = platform::ReadSharedFile(paths.asked(), kLongestFile);
  if (!text) return std::nullopt;
  return EndRequestFromName(Trim(*text));
}

Status WriteSiteState(const AttemptPaths& paths, const SiteState& state) {
  return platform::WriteFileAtomically(paths.site(), ToFieldText(state) + "\n");
}

SiteState ReadSiteState(const AttemptPaths& paths) {
  return ReadFields<SiteState>(paths.site()).value_or(SiteState{});
}

Status AppendBudgetEvent(const fs::path& job_directory, const core::BudgetEvent& event) {
  return AppendLine(job_directory / kBudgetEvents, event);
}

std::vector<core::BudgetEvent> ReadBudgetEvents(const fs::path& job_directory) {
  return ReadLines<core::BudgetEvent>(job_directory / kBudgetEvents);
}

std::string ToLine(const EnergyHeader& header) { return ToFieldText(header); }

std::string ToLine(const core::EnergyReading& reading, std::optional<double> utilisation) {
  FieldWriter writer;
  writer.BeginList();
  writer.Item(reading.device);
  writer.Item(reading.component);
  writer.Item(reading.source);
  writer.Item(reading.wall.begin);
  writer.Item(reading.wall.end);
  writer.Item(reading.energy);
  if (reading.shared || utilisation) writer.Item(reading.shared);
  if (utilisation) writer.Item(*utilisation);
  writer.EndList();
  return writer.text();
}

std::vector<core::EnergyReading> EnergyTail::Read(std::optional<Duration> since_boot) {
  std::vector<core::EnergyReading> readings;
  has_more_ =
      tail_.Read([&](std::string_view line) { TakeLine(line, since_boot, readings); }, kEnergyPart);
  return readings;
}

void EnergyTail::TakeLine(std::string_view line, std::optional<Duration> since_boot,
                          std::vector<core::EnergyReading>& readings) {
  ParsedText parsed(line);
  const FieldReader root = parsed.root();
  if (root.IsObject()) {
    EnergyHeader header;
    root.Get(header);
    if (!parsed.error().empty()) return void(++damaged_lines_);
    if (header_) return Disbelieve("it says anew which program is measured");
    header_ = std::move(header);
    return;
  }
  core::EnergyReading reading;
  Get(root, reading);
  const std::optional<double> utilisation = UtilisationIn(root);
  if (!parsed.error().empty()) return void(++damaged_lines_);
  std::optional<Time> begin, now;
  if (header_) begin = header_->wall_begin;
  // A reboot restarts the clock since boot.
  if (header_ && header_->since_boot != Duration::zero() && since_boot >= header_->since_boot)
    now = header_->wall_begin + (*since_boot - header_->since_boot);
  if (std::string why = check_.WhyNot(reading, begin, now); !why.empty())
    return Disbelieve(std::move(why));
  if (utilisation)
    utilisation_[UtilisedDevice(reading)] = *utilisation;
  else
    utilisation_.erase(UtilisedDevice(reading));
  readings.push_back(std::move(reading));
}

std::optional<double> EnergyTail::utilisation_of(const std::string& device) const {
  const auto found = utilisation_.find(device);
  return found == utilisation_.end() ? std::nullopt : std::optional(found->second);
}

void EnergyTail::Disbelieve(std::string why) {
  if (disbelieved_lines_++ == 0) why_disbelieved_ = std::move(why);
}

}  // namespace ebb::local
