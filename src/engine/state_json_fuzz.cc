// Reads any bytes as the lines of a snapshot. They must be refused with a reason, or give a state
// from which an engine can continue and which writes and reads back the same. Run:
// build/fuzz/bin/state_json_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "engine/state_json.h"
#include "plan/make_policy.h"

namespace {

using namespace ebb;

Result<engine::Memory> Read(std::string_view text) {
  engine::SnapshotReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    EBB_RETURN_IF_ERROR(reader.Add(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.Finish();
}

std::string Write(const engine::Engine& engine) {
  std::string text;
  engine::WriteSnapshot(engine, [&](std::string_view line) { (text += line) += '\n'; });
  return text;
}

engine::Engine Restored(engine::Memory memory) {
  engine::Engine engine({}, *plan::MakePolicy("run-now", {}));
  engine.Restore(std::move(memory));
  return engine;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto memory = Read({reinterpret_cast<const char*>(data), size});
  if (!memory) {
    EBB_CHECK(!memory.error().what.empty());
    return 0;
  }
  const engine::Engine engine = Restored(*std::move(memory));
  const std::string text = Write(engine);
  auto again = Read(text);
  EBB_CHECK(again.has_value());
  EBB_CHECK(Write(Restored(*std::move(again))) == text);
  engine.state().FreeDevices();
  return 0;
}
