#include "engine/journal_json.h"

#include "engine/fields.h"

namespace ebb::engine {
namespace {

constexpr std::string_view kDecision = "decision";

}  // namespace

std::string_view KindOf(const JournalRecord& record) {
  const auto* event = std::get_if<Event>(&record);
  return event ? kFactNames[event->fact.index()] : kDecision;
}

std::string ToJsonLine(const JournalRecord& record) {
  FieldWriter writer;
  if (const auto* event = std::get_if<Event>(&record)) {
    writer.Put(*event);
  } else {
    const Decision& decision = std::get<Decision>(record);
    writer.BeginObject();
    writer.Must("at", decision.at);
    writer.Must(kDecision, decision);
    writer.EndObject();
  }
  return writer.text();
}

Result<JournalRecord> FromJsonLine(std::string_view line) {
  ParsedText parsed(line);
  FieldReader reader = parsed.root();
  JournalRecord record;
  if (!parsed.error().empty()) {
    // The line is not JSON.
  } else if (reader.Has(kDecision)) {
    Decision& decision = record.emplace<Decision>();
    reader.Must("at", decision.at);
    reader.Must(kDecision, decision);
  } else {
    reader.Get(record.emplace<Event>());
  }
  if (parsed.error().empty()) return record;
  return Fail({ExitCode::kConfiguration, parsed.error(), "journal record", ""});
}

}  // namespace ebb::engine
