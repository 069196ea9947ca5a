#include "store/database/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/text.h"
#include "platform/digest_chain.h"
#include "platform/file_lock.h"
#include "platform/system.h"
#include "store/database/schema.h"

namespace ebb::store {
namespace {

constexpr int kBusyMilliseconds = 5000;

sqlite3_stmt* Handle(void* statement) { return static_cast<sqlite3_stmt*>(statement); }

Failure FailureOf(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return Failure::kFull;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return Failure::kReadOnly;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Failure::kCorrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Failure::kLocked;
    case SQLITE_IOERR:
      return Failure::kInputOutput;
    default:
      return Failure::kOther;
  }
}

ExitCode CodeFor(Failure failure) {
  if (failure == Failure::kLocked) return ExitCode::kTryLater;
  if (failure == Failure::kTooNew || failure == Failure::kCorrupt) return ExitCode::kConfiguration;
  return ExitCode::kUnavailable;
}

std::string AdviceFor(Failure failure) {
  switch (failure) {
    case Failure::kFull:
      return "free some disk space; nothing is lost meanwhile, and it goes on by itself";
    case Failure::kReadOnly:
      return "check the permissions of the file and its directory";
    case Failure::kCorrupt:
      return "look with ebb store check, and restore a backup (docs/store.md)";
    case Failure::kLocked:
      return "wait for the other process";
    case Failure::kTooNew:
      return "use the version of ebb that wrote it";
    case Failure::kInputOutput:
      return "check the disk, its quota, and limits of file size";
    default:
      return "";
  }
}

Error StoreError(Failure failure, std::string what, const platform::Path& path) {
  return {CodeFor(failure), std::move(what), path.string(), AdviceFor(failure)};
}

// Creates a file that only its owner can read: environments of jobs may hold secrets. The log files
// of SQLite take the mode of the file.
Status CreateFile(const platform::Path& path) {
  std::error_code code;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), code);
  if (code)
    return Fail({ExitCode::kUnavailable, "cannot create the directory: " + code.message(),
                 path.parent_path().string(), "choose another with --store"});
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return Fail({ExitCode::kUnavailable, std::string("cannot open: ") + std::strerror(errno),
                 path.string(), "check the permissions, or choose another with --store"});
  ::close(file);
  return {};
}

}  // namespace

bool Row::IsNull(int column) const {
  return sqlite3_column_type(Handle(statement_), column) == SQLITE_NULL;
}
std::int64_t Row::Integer(int column) const {
  return sqlite3_column_int64(Handle(statement_), column);
}
double Row::Number(int column) const { return sqlite3_column_double(Handle(statement_), column); }
std::string_view Row::Text(int column) const {
  const auto* text = sqlite3_column_text(Handle(statement_), column);
  const int bytes = sqlite3_column_bytes(Handle(statement_), column);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(bytes)};
}

namespace {

// ebb_links(BEFORE, RECORDS): links.h.
void Links(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto text = [&](int i) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(arguments[i]));
    return std::string_view(bytes ? bytes : "",
                            static_cast<std::size_t>(sqlite3_value_bytes(arguments[i])));
  };
  std::string link(text(0));
  for (const std::string_view record : Split(text(1), '\n'))
    link = platform::NextLink(link, record);
  sqlite3_result_text(context, link.data(), static_cast<int>(link.size()), SQLITE_TRANSIENT);
}

}  // namespace

struct Database::Connection {
  explicit Connection(platform::Path where) : path(std::move(where)) {}
  ~Connection() {
    for (auto& [sql, statement] : statements) sqlite3_finalize(statement);
    sqlite3_close(handle);
  }

  Error LastError(std::string_view doing) {
    failure = FailureOf(sqlite3_extended_errcode(handle));
    return StoreError(failure, std::string(doing) + ": " + sqlite3_errmsg(handle), path);
  }
  Status Open(Mode mode);
  Status Check();
  Result<bool> HasTable(const std::string& name);
  Status CheckTable(const std::string& name);
  Status Migrate(Mode mode);
  Result<sqlite3_stmt*> Prepare(std::string_view sql);
  Result<sqlite3_stmt*> Bind(std::string_view sql, const Values& values);
  Status Script(const char* sql);

  platform::Path path;
  std::optional<platform::FileLock> lock;
  sqlite3* handle = nullptr;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements;
  Failure failure = Failure::kNone;
};

Status Database::Connection::Script(const char* sql) {
  failure = Failure::kNone;
  if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Fail(LastError("cannot use the store"));
}

Status Database::Connection::Open(Mode mode) {
  std::error_code code;
  failure = Failure::kOther;
  if (std::filesystem::is_directory(path, code))
    return Fail({ExitCode::kUsage, "is a directory", path.string(), "name the file in it"});
  if (mode != Mode::kWrite && !std::filesystem::exists(path, code))
    return Fail({ExitCode::kUnavailable, "there is no store", path.string(),
                 "start the service, or name another store with --store"});
  if (mode == Mode::kWrite) {
    failure = Failure::kReadOnly;
    EBB_RETURN_IF_ERROR(CreateFile(path));
    auto taken = platform::FileLock::Take(path.string() + ".lock");
    if (!taken) {
      if (taken.error().code == ExitCode::kTryLater) failure = Failure::kLocked;
      return Fail(taken.error());
    }
    lock = *std::move(taken);
  }
  const int flags = (mode == Mode::kWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (sqlite3_open_v2(path.c_str(), &handle, flags, nullptr) != SQLITE_OK)
    return Fail(LastError("cannot open"));
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  if (sqlite3_create_function_v2(handle, "ebb_links", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                 nullptr, &Links, nullptr, nullptr, nullptr) != SQLITE_OK)
    return Fail(LastError("cannot open"));
  EBB_RETURN_IF_ERROR(Script("PRAGMA foreign_keys=ON"));
  if (mode != Mode::kWrite) return Script("PRAGMA query_only=ON");
  if (sqlite3_db_readonly(handle, "main") == 1) {
    failure = Failure::kReadOnly;
    return Fail(StoreError(failure, "may not be written", path));
  }
  // The mode must be set before the first table is made, and cannot be set afterwards. It lets
  // pages be given back in small pieces.
  EBB_RETURN_IF_ERROR(Script("PRAGMA auto_vacuum=INCREMENTAL"));
  // The log is copied into the file every 32 MB instead of every 4, because submissions wait for
  // it.
  return Script("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=8192");
}

// Takes as long as with an empty store: other tables are checked when they are read.
Status Database::Connection::Check() {
  for (const std::string table : {"sqlite_schema", "meta", "snapshots", "sweeps"}) {
    EBB_ASSIGN_OR_RETURN(const bool exists, HasTable(table));
    if (exists) EBB_RETURN_IF_ERROR(CheckTable(table));
  }
  return {};
}

Result<bool> Database::Connection::HasTable(const std::string& name) {
  const Values values{name};
  EBB_ASSIGN_OR_RETURN(sqlite3_stmt* const statement,
                       Bind("SELECT 1 FROM sqlite_schema WHERE name = ?", values));
  const int step = sqlite3_step(statement);
  sqlite3_reset(statement);
  if (step != SQLITE_ROW && step != SQLITE_DONE) return Fail(LastError("cannot be read"));
  return step == SQLITE_ROW || name == "sqlite_schema";
}

Status Database::Connection::CheckTable(const std::string& name) {
  EBB_ASSIGN_OR_RETURN(sqlite3_stmt* const statement,
                       Bind("PRAGMA quick_check('" + name + "')", {}));
  const int step = sqlite3_step(statement);
  const std::string said =
      step == SQLITE_ROW ? std::string(Row(statement).Text(0)) : sqlite3_errmsg(handle);
  if (step != SQLITE_ROW && step != SQLITE_DONE) return Fail(LastError("cannot be read"));
  sqlite3_reset(statement);
  if (said == "ok") return {};
  failure = Failure::kCorrupt;
  return Fail(StoreError(failure, "is damaged: " + said, path));
}

Status Database::Connection::Migrate(Mode mode) {
  EBB_ASSIGN_OR_RETURN(sqlite3_stmt* const statement, Bind("PRAGMA user_version", {}));
  if (sqlite3_step(statement) != SQLITE_ROW) return Fail(LastError("cannot be read"));
  int version = sqlite3_column_int(statement, 0);
  sqlite3_reset(statement);
  if (version > SchemaVersion()) {
    failure = Failure::kTooNew;
    return Fail(StoreError(failure,
                           "has version " + std::to_string(version) +
                               ", and this ebb knows versions up to " +
                               std::to_string(SchemaVersion()),
                           path));
  }
  if (version == SchemaVersion() || mode == Mode::kAnyVersion) return {};
  if (mode != Mode::kWrite) {
    failure = Failure::kOther;
    return Fail({ExitCode::kTryLater,
                 "has version " + std::to_string(version) + ", older than this ebb", path.string(),
                 "start the service, which upgrades it"});
  }
  for (; version < SchemaVersion(); ++version) {
    const std::string sql = "BEGIN IMMEDIATE;" +
                            std::string(Migrations()[static_cast<std::size_t>(version)]) +
                            "PRAGMA user_version=" + std::to_string(version + 1) + ";COMMIT;";
    if (auto done = Script(sql.c_str()); !done) {
      sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
      return Fail(done.error());
    }
  }
  return {};
}

Result<sqlite3_stmt*> Database::Connection::Prepare(std::string_view sql) {
  failure = Failure::kNone;
  if (const auto found = statements.find(sql); found != statements.end()) {
    sqlite3_reset(found->second);
    return found->second;
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(handle, sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
    return Fail(LastError("cannot prepare"));
  statements.emplace(sql, statement);
  return statement;
}

Result<sqlite3_stmt*> Database::Connection::Bind(std::string_view sql, const Values& values) {
  EBB_ASSIGN_OR_RETURN(sqlite3_stmt* const statement, Prepare(sql));
  EBB_CHECK(sqlite3_bind_parameter_count(statement) == static_cast<int>(values.size()));
  int code = SQLITE_OK;
  for (std::size_t i = 0; i < values.size() && code == SQLITE_OK; ++i) {
    const int at = static_cast<int>(i) + 1;
    if (const auto* integer = std::get_if<std::int64_t>(&values[i])) {
      code = sqlite3_bind_int64(statement, at, *integer);
    } else if (const auto* number = std::get_if<double>(&values[i])) {
      code = sqlite3_bind_double(statement, at, *number);
    } else if (const auto* text = std::get_if<std::string>(&values[i])) {
      // The values outlive the execution of the statement, so SQLite need not copy them.
      code = sqlite3_bind_text64(statement, at, text->data(), text->size(), SQLITE_STATIC,
                                 SQLITE_UTF8);
    } else {
      code = sqlite3_bind_null(statement, at);
    }
  }
  if (code != SQLITE_OK) return Fail(LastError("cannot bind"));
  return statement;
}

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Database> Database::Open(const platform::Path& path, Mode mode, Failure* why) {
  auto connection = std::make_unique<Connection>(path);
  const auto opened = [&]() -> Status {
    EBB_RETURN_IF_ERROR(connection->Open(mode));
    const bool checks = mode == Mode::kWrite || mode == Mode::kRead;
    if (checks) EBB_RETURN_IF_ERROR(connection->Check());
    return connection->Migrate(mode);
  }();
  if (why) *why = opened ? Failure::kNone : connection->failure;
  if (!opened) return Fail(opened.error());
  return Database(std::move(connection));
}

Status Database::Query(std::string_view sql, const Values& values,
                       const std::function<Status(const Row&)>& take) {
  EBB_ASSIGN_OR_RETURN(sqlite3_stmt* const statement, connection_->Bind(sql, values));
  int code = SQLITE_ROW;
  Status taken;
  while (taken && (code = sqlite3_step(statement)) == SQLITE_ROW) taken = take(Row(statement));
  if (taken && code != SQLITE_DONE) taken = Fail(connection_->LastError("cannot use the store"));
  sqlite3_reset(statement);
  return taken;
}

Status Database::Run(std::string_view sql, const Values& values) {
  return Query(sql, values, [](const Row&) { return Status{}; });
}

Result<std::optional<std::int64_t>> Database::Integer(std::string_view sql, const Values& values) {
  std::optional<std::int64_t> result;
  bool first = true;
  EBB_RETURN_IF_ERROR(Query(sql, values, [&](const Row& row) -> Status {
    if (std::exchange(first, false) && !row.IsNull(0)) result = row.Integer(0);
    return {};
  }));
  return result;
}

Status Database::RunScript(const std::string& sql) { return connection_->Script(sql.c_str()); }

Status Database::Transaction(const std::function<Status()>& body) {
  Status done = Run("BEGIN IMMEDIATE");
  if (!done) return done;
  done = body();
  if (done) done = Run("COMMIT");
  // SQLite rolls back by itself after some failures.
  if (!done && sqlite3_get_autocommit(connection_->handle) == 0) {
    const Failure failure = connection_->failure;
    std::ignore = Run("ROLLBACK");
    connection_->failure = failure;
  }
  return done;
}

Failure Database::failure() const { return connection_->failure; }
const platform::Path& Database::path() const { return connection_->path; }

Status Database::BackupTo(const platform::Path& to) {
  const platform::Path temporary = to.string() + ".tmp" + std::to_string(platform::ProcessId());
  EBB_RETURN_IF_ERROR(CreateFile(temporary));
  Connection copy(temporary);
  const auto give_up = [&](Error error) {
    std::error_code code;
    std::filesystem::remove(temporary, code);
    return Fail(std::move(error));
  };
  if (sqlite3_open_v2(temporary.c_str(), &copy.handle, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
    return give_up(copy.LastError("cannot open"));
  sqlite3_backup* const backup =
      sqlite3_backup_init(copy.handle, "main", connection_->handle, "main");
  if (!backup) return give_up(copy.LastError("cannot copy"));
  // Copies everything in one step; writers go on meanwhile, in the log.
  const int step = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (step != SQLITE_DONE) return give_up(copy.LastError("cannot copy"));
  if (auto plain = copy.Script("PRAGMA journal_mode=DELETE"); !plain) return give_up(plain.error());
  sqlite3_close(copy.handle);
  copy.handle = nullptr;
  // SQLite would take a log that an earlier file left there for the copy's log.
  std::error_code code;
  for (const char* ending : {"-wal", "-shm"}) std::filesystem::remove(to.string() + ending, code);
  if (auto moved = platform::MoveIntoPlace(temporary, to); !moved) return give_up(moved.error());
  return {};
}

}  // namespace ebb::store
