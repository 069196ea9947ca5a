#pragma once
// The journal as text: one record is one line of JSON, with the fields of fields.h in their order.
// Ebb's history lies in it; it is checked by replaying it.
//
//   {"at":..,"event":"job_submitted","job":{..}}           and the other facts of event.h
//   {"at":..,"decision":{"commands":[..],"explanations":[..],"wake_at":..}}

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/journal_record.h"

namespace ebb::engine {

/// Without a newline.
std::string ToJsonLine(const JournalRecord& record);
/// Anything but exactly one record is an Error that says what is wrong with it.
Result<JournalRecord> FromJsonLine(std::string_view line);

/// "job_submitted" and the like, or "decision".
std::string_view KindOf(const JournalRecord& record);

/// Feeds the events to the engine, makes it decide wherever a decision is stored, and requires each
/// to be the stored one, byte for byte. The Error names the first record that differs. Afterwards
/// the engine is where the writer of the journal was.
Status Replay(std::span<const JournalRecord> records, Engine& engine);

}  // namespace ebb::engine
