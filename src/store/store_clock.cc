#include "store/store_clock.h"

#include <cmath>
#include "base/field_text.h"
#include "base/text.h"

namespace ebb::store {
namespace {

constexpr const char* kKey = "grid_clock";

std::string ToText(const StoreClock& clock) {
  FieldWriter writer;
  writer.BeginObject();
  writer("replayed", clock.replayed);
  writer("start_ms", clock.start);
  writer("speed", clock.speed);
  writer("skip_waits", clock.skip_waits);
  writer.EndObject();
  return writer.text();
}

Result<StoreClock> FromText(const std::string& text) {
  ParsedText parsed(text);
  StoreClock clock;
  if (parsed.error().empty()) {
    FieldReader reader = parsed.root();
    reader("replayed", clock.replayed);
    reader("start_ms", clock.start);
    reader("speed", clock.speed);
    reader("skip_waits", clock.skip_waits);
  }
  if (parsed.error().empty()) return clock;
  return Fail({ExitCode::kConfiguration, parsed.error(), "stored grid clock",
               "look with ebb store check, or restore a backup"});
}

std::string Describe(const StoreClock& clock) {
  if (!clock.replayed) return "the clock of today";
  std::string text = "a replay";
  if (clock.start) text += " from " + FormatTime(*clock.start);
  if (clock.speed != 1) text += " at " + FormatExact(clock.speed) + " times its speed";
  return text + (clock.skip_waits ? " that skips waits" : "");
}

std::string FlagsFor(const StoreClock& clock) {
  if (!clock.replayed) return "leave out --grid-start, --grid-speed and --skip-waits";
  std::string flags = "give";
  if (clock.start) flags += " --grid-start " + FormatTime(*clock.start);
  if (clock.speed != 1) flags += " --grid-speed " + FormatExact(clock.speed);
  return flags + (clock.skip_waits ? " --skip-waits" : "");
}

// A replay that continues need not repeat where it began.
bool IsSame(const StoreClock& kept, const StoreClock& given) {
  return kept.replayed == given.replayed && kept.speed == given.speed &&
         kept.skip_waits == given.skip_waits && (!given.start || given.start == kept.start);
}

}  // namespace

Status ClaimClock(ServiceStore& store, const StoreClock& clock) {
  EBB_ASSIGN_OR_RETURN(const auto text, GetMeta(store.database(), kKey));
  if (!text) {
    store.SetMeta(kKey, ToText(clock));
    return {};
  }
  EBB_ASSIGN_OR_RETURN(const StoreClock kept, FromText(*text));
  if (IsSame(kept, clock)) return {};
  return Fail({ExitCode::kConfiguration,
               "belongs to " + Describe(kept) + ", not to " + Describe(clock),
               store.database().path().string(),
               "give this one a store of its own with --store FILE, or " + FlagsFor(kept)});
}

Result<Duration> OnWall(Database& database, Duration grid) {
  EBB_ASSIGN_OR_RETURN(const auto text, GetMeta(database, kKey));
  if (!text) return grid;
  EBB_ASSIGN_OR_RETURN(const StoreClock kept, FromText(*text));
  return kept.replayed ? Duration{std::llround(static_cast<double>(grid.count()) / kept.speed)}
                       : grid;
}

Result<bool> IsReplayed(Database& database) {
  EBB_ASSIGN_OR_RETURN(const auto text, GetMeta(database, kKey));
  if (!text) return false;
  EBB_ASSIGN_OR_RETURN(const StoreClock kept, FromText(*text));
  return kept.replayed;
}

Result<Time> TimeOfStore(Database& database, Time wall) {
  EBB_ASSIGN_OR_RETURN(const auto text, GetMeta(database, kKey));
  if (!text) return wall;
  EBB_ASSIGN_OR_RETURN(const StoreClock kept, FromText(*text));
  if (!kept.replayed) return wall;
  EBB_ASSIGN_OR_RETURN(const auto last,
                       database.Integer("SELECT at_ms FROM journal ORDER BY seq DESC LIMIT 1"));
  return last ? Time{Duration{*last}} : kept.start.value_or(wall);
}

Result<Time> TimeOfStore(ServiceStore& store, Time wall) {
  return TimeOfStore(store.database(), wall);
}

}  // namespace ebb::store
