#include "framework/cli/sqlite.h"

#include <sqlite3.h>

namespace lvtext {
namespace {

constexpr int kWaitMilliseconds = 5000;

void check(sqlite3* handle, int result) {
  if (result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE) return;
  const char* what = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(result);
  throw SqliteFailure(result & 0xFF, what ? what : "SQLite failed");
}

}  // namespace

bool SqliteFailure::damaged() const {
  // SQLITE_ERROR is what statements get that do not fit the tables that are there.
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR ||
         code == SQLITE_MISMATCH || code == SQLITE_CONSTRAINT;
}

SqliteDatabase::SqliteDatabase(const std::filesystem::path& file) {
  const int result =
      sqlite3_open_v2(file.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  if (result != SQLITE_OK) {
    const std::string message = handle_ ? sqlite3_errmsg(handle_) : "cannot open";
    sqlite3_close(handle_);
    throw SqliteFailure(result & 0xFF, message);
  }
  sqlite3_busy_timeout(handle_, kWaitMilliseconds);
}

SqliteDatabase::~SqliteDatabase() {
  sqlite3_close(handle_);
}

void SqliteDatabase::run(const std::string& statements) {
  check(handle_, sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, nullptr));
}

int64_t SqliteDatabase::number(const std::string& query) {
  SqliteStatement statement(*this, query);
  return statement.next() ? statement.number(0) : 0;
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, const std::string& text)
    : database_(database) {
  check(database.handle(),
        sqlite3_prepare_v2(database.handle(), text.c_str(), -1, &handle_, nullptr));
}

SqliteStatement::~SqliteStatement() {
  sqlite3_finalize(handle_);
}

void SqliteStatement::bind(int index, const std::string& text) {
  check(database_.handle(), sqlite3_bind_text64(handle_, index, text.data(), text.size(),
                                                SQLITE_TRANSIENT, SQLITE_UTF8));
}

void SqliteStatement::bind(int index, int64_t number) {
  check(database_.handle(), sqlite3_bind_int64(handle_, index, number));
}

bool SqliteStatement::next() {
  const int result = sqlite3_step(handle_);
  check(database_.handle(), result);
  return result == SQLITE_ROW;
}

void SqliteStatement::reset() {
  check(database_.handle(), sqlite3_reset(handle_));
}

std::string SqliteStatement::text(int index) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, index));
  return bytes ? std::string(bytes, sqlite3_column_bytes(handle_, index)) : std::string();
}

int64_t SqliteStatement::number(int index) const {
  return sqlite3_column_int64(handle_, index);
}

}  // namespace lvtext
