#pragma once
// An emissions.csv that many runs and processes share, CodeCarbon's among them. A write never
// loses or shifts a value in it:
//  - rows are written by column name, in the order of the file's own header, whatever its order and
//    whatever further columns it has;
//  - a file with fewer columns (CodeCarbon before 3.2) is rewritten with all 38, its rows carried
//    over by name, further columns behind; the original stays beside it as .bak;
//  - a file whose rows do not fit its header, or that is no emissions file, is set aside as .bak
//    and a new one begun, as CodeCarbon does;
//  - an empty file is a new one, and a last line without newline is closed off first.
// Writers are kept apart by a lock (platform/locked_file.h); rewriting is atomic.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/run/csv_write.h"
#include "report/run/codecarbon_csv.h"

namespace ebb::report {

using core::CsvWrite;

/// Returns one sentence for each thing that it did besides writing the row.
Result<std::vector<std::string>> WriteEmissionsRow(const std::filesystem::path& file,
                                                   const EmissionsFields& fields, CsvWrite write);

}  // namespace ebb::report
