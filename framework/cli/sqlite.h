// A SQLite database file as far as the index of runs needs one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace lvtext {

/// A failed call of SQLite. Callers turn it into something that a user can act on.
struct SqliteFailure : std::runtime_error {
  SqliteFailure(int result, const std::string& message)
      : std::runtime_error(message), code(result) {}
  int code;  ///< SQLite's primary result code
  /// True if the file itself is at fault (damaged, no database, another layout), not its place.
  bool damaged() const;
};

class SqliteDatabase {
 public:
  /// Opens or creates the file; waits up to 5 s for other processes. Throws SqliteFailure.
  explicit SqliteDatabase(const std::filesystem::path& file);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;
  /// Runs statements without results. Throws SqliteFailure.
  void run(const std::string& statements);
  /// The first column of the first row as a number.
  int64_t number(const std::string& query);
  sqlite3* handle() { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

/// One prepared statement.
class SqliteStatement {
 public:
  SqliteStatement(SqliteDatabase& database, const std::string& text);
  ~SqliteStatement();
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;
  /// Sets parameter `index`, from 1.
  void bind(int index, const std::string& text);
  void bind(int index, int64_t number);
  /// The next row; false after the last.
  bool next();
  /// Makes the statement ready to run again.
  void reset();
  /// Column `index` of the present row, from 0.
  std::string text(int index) const;
  int64_t number(int index) const;

 private:
  SqliteDatabase& database_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace lvtext
