#pragma once
// Reads operators' forecasts from any known format: our CSV (operator_csv.h), documents of ENTSO-E
// (entsoe_document.h), its CSV files (entsoe_csv.h), those of California's OASIS (oasis_csv.h); and
// zip archives of such files. The beginning of the file tells the format, not its name. Pure but
// for the time zone database.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/zip.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

/// The files of a zip archive; for any other text, `text` itself. An XML file in which OASIS says
/// why it has no answer is an Error.
Result<std::vector<platform::ZipEntry>> FilesIn(std::string text, const std::string& path);

/// `zone` is a zone of intensity ("DE"), which chooses one of several areas; "": not known.
Status ReadOperatorText(std::string text, const std::string& path, const std::string& zone,
                        OperatorParts& parts);

}  // namespace ebb::signals
