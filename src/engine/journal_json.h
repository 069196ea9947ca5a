#pragma once
// The journal as text: one record is one line of JSON, with the fields of fields.h in their order.
// It holds Ebb's history, and a replay checks it.
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

/// The record as one line, without a newline.
std::string ToJsonLine(const JournalRecord& record);
/// Reads a line that holds exactly one record. The Error says what is wrong with the line.
Result<JournalRecord> FromJsonLine(std::string_view line);

/// Kind of the record: "decision", or the fact's name such as "job_submitted".
std::string_view KindOf(const JournalRecord& record);

/// Feeds the events to the engine, makes it decide at each stored decision, and requires both
/// decisions to be equal byte for byte. The Error names the first record that differs. Afterwards
/// the engine has the state of the engine that wrote the journal.
Status Replay(std::span<const JournalRecord> records, Engine& engine);

}  // namespace ebb::engine
