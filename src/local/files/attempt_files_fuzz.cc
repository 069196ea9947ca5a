// Fuzzes each file of an attempt with any bytes: its reader reports damage, or the values that it
// reads are the same after writing and reading them again. Run: build/fuzz/bin/attempt_files_fuzz
// -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "base/check.h"
#include "core/fields.h"
#include "local/files/attempt_files.h"
#include "platform/file.h"

namespace {

using namespace ebb;
namespace fs = std::filesystem;

// A job's directory for the whole life of this program.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "ebb-attempt-files-XXXXXX").string();
    EBB_CHECK(::mkdtemp(name.data()) != nullptr);
    directory_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  const fs::path& directory() const { return directory_; }

 private:
  fs::path directory_;
};

// Writes without the flush of platform::WriteFileAtomically, because it is called often.
void Put(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}
std::string TextOf(const fs::path& file) { return *platform::ReadFile(file, 64 << 20); }

// Reads a file with this text and returns its values as `write` writes them.
template <typename Read, typename Write>
void TryFile(const fs::path& file, const std::string& text, Read read, Write write) {
  Put(file, text);
  const auto value = read();
  if (!value) {
    EBB_CHECK(!value.error().what.empty() && value.error().where == file.string());
    return;
  }
  EBB_CHECK(write(*value).has_value());
  const std::string written = TextOf(file);
  const auto again = read();
  EBB_CHECK(again && write(*again).has_value() && TextOf(file) == written);
}

void TryBudgetEvents(const fs::path& directory, const std::string& text) {
  const fs::path file = directory / "budget.events";
  Put(file, text);
  const auto events = local::ReadBudgetEvents(directory);
  fs::remove(file);
  for (const core::BudgetEvent& event : events) {
    EBB_CHECK(!core::BudgetText(event).empty());
    EBB_CHECK(local::AppendBudgetEvent(directory, event).has_value());
  }
  const auto again = local::ReadBudgetEvents(directory);
  EBB_CHECK(again.size() == events.size());
  for (std::size_t i = 0; i < events.size(); ++i)
    EBB_CHECK(ToFieldText(again[i]) == ToFieldText(events[i]));
}

// The accepted lines of the file, written anew.
std::string LinesOf(local::EnergyTail& tail) {
  std::string lines;
  const auto readings = tail.Read();
  if (tail.header()) lines += local::ToLine(*tail.header()) + '\n';
  for (const core::EnergyReading& reading : readings) {
    EBB_CHECK(reading.wall.begin <= reading.wall.end);
    lines += local::ToLine(reading) + '\n';
  }
  return lines;
}

void TryEnergy(const local::AttemptPaths& paths, const std::string& text) {
  Put(paths.energy(), text);
  local::EnergyTail tail(paths.energy());
  const std::string written = LinesOf(tail);
  Put(paths.energy(), written);
  local::EnergyTail again(paths.energy());
  EBB_CHECK(LinesOf(again) == written && again.damaged_lines() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scratch scratch;
  const local::AttemptPaths paths{scratch.directory(), 1};
  const std::string text(reinterpret_cast<const char*>(data), size);
  TryFile(
      paths.plan(), text, [&] { return local::ReadPlan(paths.plan()); },
      [&](const auto& plan) { return local::WritePlan(paths, plan); });
  TryFile(
      paths.end(), text, [&] { return local::ReadEnd(paths, ""); },
      [&](const auto& end) { return local::WriteEnd(paths, end.value(), ""); });
  TryFile(
      paths.power(), text, [&] { return local::ReadPowerLimits(paths); },
      [&](const auto& limits) { return local::WritePowerLimits(paths, limits); });
  TryBudgetEvents(scratch.directory(), text);
  TryEnergy(paths, text);
  return 0;
}
