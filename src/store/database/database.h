#pragma once
// One SQLite database file: opened safely, brought to the schema of this version, and reporting
// failures that the service can react to. The SQLite library stays behind database.cc.
//
// Writing: WAL, synchronous=FULL (what is committed survives a loss of power), foreign keys; one
// process at a time, held by a lock on PATH.lock. Reading: beside a writer, each reader sees one
// moment.
//
// Thread contract: one thread for each Database; open another one for another thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::store {

/// The kind of a failure.
enum class Failure {
  kNone,
  kFull,         ///< no space left: works again when there is
  kReadOnly,     ///< the file or the file system may not be written
  kCorrupt,      ///< the file is damaged, or is no database
  kLocked,       ///< another process has it open
  kTooNew,       ///< written by a newer version of Ebb
  kInputOutput,  ///< the disk failed, or a quota or limit of file size was reached
  kOther,
};

/// monostate is SQL's NULL.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
using Values = std::vector<Value>;

/// The current row of a query; columns count from 0. Valid inside the callback only.
class Row {
 public:
  bool IsNull(int column) const;
  std::int64_t Integer(int column) const;
  double Number(int column) const;
  std::string_view Text(int column) const;

 private:
  friend class Database;
  explicit Row(void* statement) : statement_(statement) {}
  void* statement_;
};

class Database {
 public:
  enum class Mode {
    kWrite,  ///< creates the file (readable by its owner only) and its directory, upgrades it
    kRead,
    kReadUnchecked,  ///< for frequent readers beside a writer that has checked the file
    kAnyVersion,     ///< read without upgrade or check, including stores of older versions
  };
  /// Checks that the file is a usable database, and its smallest tables. The time of a complete
  /// check grows with the size of the file (store_check.h). `why`, if given, gets the kind of
  /// failure.
  static Result<Database> Open(const platform::Path& path, Mode mode, Failure* why = nullptr);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  /// Runs one statement and keeps its compiled form.
  Status Run(std::string_view sql, const Values& values = {});
  /// Passes the rows to `take` in order; an Error of `take` ends the query and is returned.
  Status Query(std::string_view sql, const Values& values,
               const std::function<Status(const Row&)>& take);
  /// The first column of the first row; nothing if there is no row or it is NULL.
  Result<std::optional<std::int64_t>> Integer(std::string_view sql, const Values& values = {});
  /// Runs statements that are separated by semicolons and have no values.
  Status RunScript(const std::string& sql);

  /// Makes `body` atomic: commits when it returns without an Error, and rolls back otherwise, also
  /// when the commit itself fails. The database stays usable after any failure.
  Status Transaction(const std::function<Status()>& body);

  /// Failure of the statement that failed last; kNone after one that succeeded.
  Failure failure() const;
  const platform::Path& path() const;

  /// Copies everything into a new file, as of one moment, while others read and write. `to` is
  /// replaced only by a whole copy; a copy that failed leaves nothing.
  Status BackupTo(const platform::Path& to);

 private:
  struct Connection;
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace ebb::store
