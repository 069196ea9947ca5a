#include "signals/traces/operator_text.h"

#include "platform/file.h"
#include "signals/traces/entsoe_areas.h"
#include "signals/traces/entsoe_csv.h"
#include "signals/traces/entsoe_document.h"
#include "signals/traces/oasis_csv.h"
#include "signals/traces/operator_csv.h"
#include "signals/traces/xml_tree.h"

namespace ebb::signals {
namespace {

Status ReadOne(std::string_view text, const std::string& path, const std::string& zone,
               OperatorParts& parts) {
  if (LooksLikeXml(text)) {
    EBB_ASSIGN_OR_RETURN(const EntsoeDocument document, ParseEntsoeDocument(text, path));
    return AddEntsoeForecasts(document, path, parts);
  }
  if (IsOasisCsv(text)) return ReadOasisForecasts(text, path, parts);
  if (!IsEntsoeCsv(text)) return ReadOperatorCsv(text, path, parts);
  const EntsoeArea* area = AreaOfZone(zone);
  return ReadEntsoeCsv(text, path, area ? std::string(area->balance) : "", parts);
}

}  // namespace

Result<std::vector<platform::ZipEntry>> FilesIn(std::string text, const std::string& path) {
  std::vector<platform::ZipEntry> files;
  if (platform::IsZip(text)) {
    EBB_ASSIGN_OR_RETURN(files, platform::Unzip(text, path, platform::kDefaultReadLimitBytes));
    for (platform::ZipEntry& file : files) file.name = path + " (" + file.name + ")";
  } else {
    files.push_back({path, std::move(text)});
  }
  for (const platform::ZipEntry& file : files)
    if (LooksLikeXml(file.data) && file.data.find("OASISReport") != std::string::npos)
      return Fail(OasisRefusal(file.data, file.name));
  return files;
}

Status ReadOperatorText(std::string text, const std::string& path, const std::string& zone,
                        OperatorParts& parts) {
  EBB_ASSIGN_OR_RETURN(const auto files, FilesIn(std::move(text), path));
  for (const platform::ZipEntry& file : files)
    EBB_RETURN_IF_ERROR(ReadOne(file.data, file.name, zone, parts));
  return {};
}

}  // namespace ebb::signals
