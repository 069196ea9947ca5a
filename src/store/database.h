#pragma once
// One SQLite database file: opened safely, brought to the schema of this version, and failing in
// ways that the service can react to. The SQLite library stays behind database.cc.
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

/// What kind of thing went wrong.
enum class Failure {
  kNone,
  kFull,         ///< no space left: works again when there is
  kReadOnly,     ///< the file or the file system may not be written
  kCorrupt,      ///< the file is damaged, or is no database
  kLocked,       ///< another process has it
  kTooNew,       ///< written by a newer version of Ebb
  kInputOutput,  ///< the disk failed, or a quota or a limit of file size was reached
  kOther,
};
std::string_view Name(Failure failure);

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
    kReadUnchecked,  ///< for those who look often, beside a writer who has checked it
    kAnyVersion,     ///< read as it is, unchecked, also what an older version wrote
  };
  /// Looks whether it is a database that may be used, and at its smallest tables; a whole check
  /// takes as long as the file is large (store_check.h). `why`, where given, gets the kind of
  /// failure.
  static Result<Database> Open(const platform::Path& path, Mode mode, Failure* why = nullptr);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  /// One statement; its compiled form is kept.
  Status Run(std::string_view sql, const Values& values = {});
  /// Rows in order; an Error of `take` ends the query and is returned.
  Status Query(std::string_view sql, const Values& values,
               const std::function<Status(const Row&)>& take);
  /// The first column of the first row; nothing where there is none or it is NULL.
  Result<std::optional<std::int64_t>> Integer(std::string_view sql, const Values& values = {});
  /// Statements separated by semicolons, without values.
  Status RunScript(const std::string& sql);

  /// All of `body` or nothing of it: committed when it returns without an Error, rolled back
  /// otherwise, also when the commit itself fails. The database can be used on after any failure.
  Status Transaction(const std::function<Status()>& body);

  /// Of the statement that failed last; kNone after one that succeeded.
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
