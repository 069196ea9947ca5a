#include "meter/cpu/cpu_info.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "meter/small_file.h"
#include "platform/file.h"

namespace ebb::meter {
namespace {

// "model name\t: AMD EPYC ..." -> {"model name", "AMD EPYC ..."}.
std::pair<std::string_view, std::string_view> KeyAndValue(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  return {Trim(line.substr(0, colon)), Trim(line.substr(colon + 1))};
}

bool HasWord(std::string_view text, std::string_view word) {
  const auto words = Split(text, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "MemTotal:       24669684 kB" within the text, in bytes.
std::optional<double> MemoryField(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const auto kib = Fields(text.substr(at + name.size())).NextNumber();
  if (!kib) return std::nullopt;
  return static_cast<double>(*kib) * 1024.0;
}

}  // namespace

CpuInfo ReadCpuInfo(const std::string& proc_root) {
  CpuInfo info;
  const auto text = platform::ReadFile(proc_root + "/cpuinfo", 64 << 20);
  int processors = 0;
  std::set<std::string_view> packages;
  for (const std::string_view line : Split(text ? std::string_view(*text) : "", '\n')) {
    const auto [key, value] = KeyAndValue(line);
    if (key == "processor") ++processors;
    if (key == "physical id") packages.insert(value);
    if (key == "model name" && info.model_name.empty()) info.model_name = value;
    if (key == "flags" && processors == 1) info.virtual_machine = HasWord(value, "hypervisor");
  }
  if (info.model_name.empty()) info.model_name = "unknown CPU";
  info.logical_processors = std::max(1, processors);
  info.packages = std::max(1, static_cast<int>(packages.size()));
  return info;
}

std::optional<std::chrono::nanoseconds> ReadBusyTime(const std::string& proc_root) {
  char buffer[256];
  const auto text = ReadSmallFile((proc_root + "/stat").c_str(), buffer);
  if (!text || !text->starts_with("cpu ")) return std::nullopt;
  Fields fields(*text);
  fields.Skip(1);
  const auto user = fields.NextNumber();
  const auto nice = fields.NextNumber();
  const auto system = fields.NextNumber();
  fields.Skip(2);  // idle, iowait
  const auto irq = fields.NextNumber();
  const auto softirq = fields.NextNumber();
  if (!user || !nice || !system || !irq || !softirq) return std::nullopt;
  return FromClockTicks(*user + *nice + *system + *irq + *softirq);
}

std::optional<double> ReadTotalMemoryBytes(const std::string& proc_root) {
  char buffer[512];
  const auto text = ReadSmallFile((proc_root + "/meminfo").c_str(), buffer);
  return text ? MemoryField(*text, "MemTotal:") : std::nullopt;
}

std::optional<double> ReadUsedMemoryBytes(const std::string& proc_root) {
  char buffer[512];
  const auto text = ReadSmallFile((proc_root + "/meminfo").c_str(), buffer);
  if (!text) return std::nullopt;
  const auto total = MemoryField(*text, "MemTotal:");
  const auto available = MemoryField(*text, "MemAvailable:");
  if (!total || !available) return std::nullopt;
  return std::max(0.0, *total - *available);
}

std::chrono::nanoseconds FromClockTicks(std::int64_t ticks) {
  static const std::int64_t nanoseconds_per_tick = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  return std::chrono::nanoseconds(ticks * nanoseconds_per_tick);
}

}  // namespace ebb::meter
