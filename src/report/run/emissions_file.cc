#include "report/run/emissions_file.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/csv.h"
#include "base/text.h"
#include "platform/file.h"
#include "platform/locked_file.h"
#include "platform/path_facts.h"

namespace ebb::report {
namespace {

using platform::Path;
using Columns = std::vector<std::string>;
using Records = std::vector<CsvRecord>;

bool Has(const Columns& columns, std::string_view name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

bool HasAllColumns(const Columns& header) {
  return std::all_of(EmissionsColumns().begin(), EmissionsColumns().end(),
                     [&](const std::string& column) { return Has(header, column); });
}

// The first unused name of file.bak, file.bak2, ...: no backup replaces another.
Path FreeBackupName(const Path& file) {
  Path backup = file.string() + ".bak";
  for (int number = 2; platform::Exists(backup); ++number)
    backup = file.string() + ".bak" + std::to_string(number);
  return backup;
}

// The reason why rows cannot be carried over by name; "" if they can.
std::string WhyNotByName(const Records& records) {
  const Columns& header = records.front().fields;
  if (!Has(header, "timestamp") || !Has(header, "emissions")) return "is not an emissions file";
  if (std::set<std::string>(header.begin(), header.end()).size() != header.size())
    return "has a column twice";
  for (const CsvRecord& record : records)
    if (record.fields.size() != header.size())
      return "line " + std::to_string(record.line) + " has " +
             std::to_string(record.fields.size()) + " fields, its header " +
             std::to_string(header.size());
  return "";
}

// Writes one row once.
class RowWriter {
 public:
  RowWriter(Path path, platform::LockedFile& file, std::string text, const EmissionsFields& fields)
      : path_(std::move(path)), file_(file), text_(std::move(text)), fields_(fields) {}

  Status Write(CsvWrite write) {
    const auto records = ParseCsv(text_, path_.string());
    if (!records) return SetAside(records.error().Message());
    if (records->empty()) return Begin();
    const Columns& header = records->front().fields;
    if (!HasAllColumns(header)) {
      const std::string why_not = WhyNotByName(*records);
      return why_not.empty() ? CarryOver(*records, write) : SetAside(why_not);
    }
    const CsvRecord* old = write == CsvWrite::kUpdate ? RowOfThisRun(*records) : nullptr;
    return old ? ReplaceRow(*old, header) : AppendRow(header);
  }
  std::vector<std::string> TakeNotices() { return std::move(notices_); }

 private:
  Status Begin() {
    const std::string content =
        CsvLine(EmissionsColumns()) + "\n" + EmissionsLine(EmissionsColumns(), fields_) + "\n";
    return text_.empty() ? file_.Append(content) : file_.Replace(content);
  }

  Status AppendRow(const Columns& header) {
    const std::string line_break = text_.find("\r\n") != std::string::npos ? "\r\n" : "\n";
    const std::string before = text_.ends_with('\n') ? "" : line_break;
    return file_.Append(before + EmissionsLine(header, fields_) + line_break);
  }

  Status ReplaceRow(const CsvRecord& old, const Columns& header) {
    const auto begin = static_cast<std::size_t>(old.text.data() - text_.data());
    return file_.Replace(text_.substr(0, begin) + EmissionsLine(header, fields_) +
                         text_.substr(begin + old.text.size()));
  }

  // The last row of this run: in a file that was appended to, earlier rows are the run's past.
  const CsvRecord* RowOfThisRun(const Records& records) const {
    const Columns& header = records.front().fields;
    const auto column = static_cast<std::size_t>(std::find(header.begin(), header.end(), "run_id") -
                                                 header.begin());
    const auto run_id = fields_.find("run_id");
    if (run_id == fields_.end()) return nullptr;
    for (auto record = records.rbegin(); record != records.rend() - 1; ++record)
      if (record->fields.size() == header.size() && record->fields[column] == run_id->second)
        return &*record;
    return nullptr;
  }

  Status CarryOver(const Records& records, CsvWrite write) {
    const Columns old_columns = records.front().fields;
    Columns columns = EmissionsColumns();
    for (const std::string& column : old_columns)
      if (!Has(columns, column)) columns.push_back(column);
    std::string content = CsvLine(columns) + "\n";
    for (std::size_t i = 1; i < records.size(); ++i) {
      EmissionsFields row;
      for (std::size_t c = 0; c < old_columns.size(); ++c)
        row[old_columns[c]] = records[i].fields[c];
      content += EmissionsLine(columns, row) + "\n";
    }
    const Path backup = FreeBackupName(path_);
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(backup, text_));
    notices_.push_back(path_.string() + " had " + std::to_string(old_columns.size()) +
                       " columns: its " + std::to_string(records.size() - 1) +
                       " rows were carried over by name into " + std::to_string(columns.size()) +
                       "; the original is kept as " + backup.string());
    text_ = std::move(content);
    const auto carried = ParseCsv(text_, path_.string());
    if (!carried) return Fail(carried.error());
    const CsvRecord* old = write == CsvWrite::kUpdate ? RowOfThisRun(*carried) : nullptr;
    if (old) return ReplaceRow(*old, columns);
    return file_.Replace(text_ + EmissionsLine(columns, fields_) + "\n");
  }

  Status SetAside(const std::string& why) {
    const Path backup = FreeBackupName(path_);
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(backup, text_));
    notices_.push_back(path_.string() + " cannot be added to (" + why + "): it is kept as " +
                       backup.string() + ", and a new one begun");
    return Begin();
  }

  Path path_;
  platform::LockedFile& file_;
  std::string text_;
  const EmissionsFields& fields_;
  std::vector<std::string> notices_;
};

}  // namespace

Result<std::vector<std::string>> WriteEmissionsRow(const Path& file, const EmissionsFields& fields,
                                                   CsvWrite write) {
  EBB_ASSIGN_OR_RETURN(platform::LockedFile locked, platform::LockedFile::Open(file));
  EBB_ASSIGN_OR_RETURN(std::string text, locked.Read());
  RowWriter writer(file, locked, std::move(text), fields);
  EBB_RETURN_IF_ERROR(writer.Write(write));
  return writer.TakeNotices();
}

}  // namespace ebb::report
