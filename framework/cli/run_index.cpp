#include "framework/cli/run_index.h"

#include <sqlite3.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/cli/sqlite.h"
#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndexFile = "index.sqlite";
/// Of the table below; an index of another version is made again.
constexpr int64_t kIndexVersion = 2;
constexpr const char* kTable =
    "CREATE TABLE runs (folder TEXT PRIMARY KEY, stamp TEXT NOT NULL, identity TEXT NOT NULL,"
    " label TEXT NOT NULL, kind TEXT NOT NULL, component TEXT NOT NULL, bytes INTEGER NOT NULL,"
    " without_weights INTEGER NOT NULL, inputs TEXT NOT NULL, seal TEXT NOT NULL) WITHOUT ROWID;";

struct Entry {
  std::string stamp;
  FoundRun run;
};
using Entries = std::map<std::string, Entry>;

std::string inputs_of(const FoundRun& run) {
  return nlohmann::json(run.inputs).dump();
}

/// Of a whole row: SQLite notices a damaged page, but not a changed letter.
std::string seal_of(const Entry& entry) {
  const FoundRun& run = entry.run;
  return sha256(nlohmann::json{run.name(), entry.stamp, run.identity, run.label, run.kind,
                               run.component, run.bytes, run.without_weights, inputs_of(run)}
                    .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::vector<std::string> folders_in(const fs::path& runs) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(runs, failed)) {
    if (is_run(entry.path())) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Entries read_entries(SqliteDatabase& database, const fs::path& runs) {
  Entries entries;
  SqliteStatement rows(database,
                       "SELECT folder, stamp, identity, label, kind, component, bytes,"
                       " without_weights, inputs, seal FROM runs");
  while (rows.next()) {
    Entry entry;
    const std::string name = rows.text(0);
    entry.stamp = rows.text(1);
    entry.run.folder = runs / name;
    entry.run.identity = rows.text(2);
    entry.run.label = rows.text(3);
    entry.run.kind = rows.text(4);
    entry.run.component = rows.text(5);
    entry.run.bytes = static_cast<uint64_t>(rows.number(6));
    entry.run.state = "finished";
    entry.run.without_weights = rows.number(7) != 0;
    const auto inputs = nlohmann::json::parse(rows.text(8), nullptr, /*allow_exceptions=*/false);
    const bool sound =
        inputs.is_object() && std::all_of(inputs.begin(), inputs.end(),
                                          [](const auto& value) { return value.is_string(); });
    if (sound) entry.run.inputs = inputs.get<std::map<std::string, std::string>>();
    if (!sound || seal_of(entry) != rows.text(9)) {
      throw SqliteFailure(SQLITE_CORRUPT, "the row of '" + name + "' was changed");
    }
    entries.emplace(name, std::move(entry));
  }
  return entries;
}

void write_entry(SqliteDatabase& database, const Entry& entry) {
  SqliteStatement row(database, "INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?)");
  const FoundRun& run = entry.run;
  const std::string texts[] = {run.name(), entry.stamp, run.identity,
                               run.label,  run.kind,    run.component};
  int place = 0;
  for (const auto& text : texts) row.bind(++place, text);
  row.bind(++place, static_cast<int64_t>(run.bytes));
  row.bind(++place, int64_t{run.without_weights});
  row.bind(++place, inputs_of(run));
  row.bind(++place, seal_of(entry));
  row.next();
}

/// Brings tables and version to what this program expects of a new or an older file.
void prepare(SqliteDatabase& database) {
  // What a crash takes from the index is made again, so that nothing waits for the disk.
  database.run("PRAGMA synchronous = OFF");
  if (database.number("PRAGMA user_version") == kIndexVersion) return;
  if (database.number("SELECT count(*) FROM sqlite_master") > 0) {
    throw SqliteFailure(SQLITE_NOTADB, "it is of another version");
  }
  database.run("BEGIN IMMEDIATE;");
  // Another process may have come first.
  if (database.number("PRAGMA user_version") != kIndexVersion) {
    database.run(kTable + ("PRAGMA user_version = " + std::to_string(kIndexVersion) + ";"));
  }
  database.run("COMMIT;");
}

std::vector<FoundRun> refresh(const fs::path& runs) {
  const auto file = fs::symlink_status(runs / kIndexFile);
  if (fs::exists(file) && !fs::is_regular_file(file)) {  // a pipe would be waited for
    throw SqliteFailure(SQLITE_CANTOPEN, "it is no regular file");
  }
  SqliteDatabase database(runs / kIndexFile);
  prepare(database);
  Entries known = read_entries(database, runs);
  std::vector<FoundRun> found;
  std::vector<Entry> news;
  for (const auto& name : folders_in(runs)) {
    // The stamp comes first: a run that changes while it is read is read again next time.
    std::string stamp = run_stamp(runs / name);
    const auto entry = known.find(name);
    if (entry != known.end() && entry->second.stamp == stamp) {
      found.push_back(std::move(entry->second.run));
      known.erase(entry);
      continue;
    }
    found.push_back(read_run(runs / name));
    if (found.back().finished()) {
      news.push_back({std::move(stamp), found.back()});
      known.erase(name);
    }
  }
  if (news.empty() && known.empty()) return found;
  database.run("BEGIN IMMEDIATE;");
  for (const auto& [name, gone] : known) {
    SqliteStatement statement(database, "DELETE FROM runs WHERE folder = ?");
    statement.bind(1, name);
    statement.next();
  }
  for (const Entry& entry : news) write_entry(database, entry);
  database.run("COMMIT;");
  return found;
}

void remove_index(const fs::path& runs) {
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) {
    std::error_code failed;
    fs::remove(runs / (std::string(kIndexFile) + suffix), failed);
    if (failed) throw io_error("remove", (runs / kIndexFile).string(), failed.value());
  }
}

std::vector<FoundRun> read_all(const fs::path& runs) {
  std::vector<FoundRun> found;
  for (const auto& name : folders_in(runs)) found.push_back(read_run(runs / name));
  return found;
}

}  // namespace

std::vector<FoundRun> find_runs(const fs::path& runs) {
  std::error_code failed;
  if (!fs::is_directory(runs, failed)) return {};
  try {
    try {
      return refresh(runs);
    } catch (const SqliteFailure& failure) {
      if (!failure.damaged()) throw;
      log_info((runs / kIndexFile).string() + " is made again from the folders: " + failure.what());
      remove_index(runs);
      return refresh(runs);
    }
  } catch (const SqliteFailure&) {  // a full disk, a folder that is not ours, a busy index
    return read_all(runs);
  } catch (const Error&) {
    return read_all(runs);
  }
}

std::vector<FoundRun> reindex_runs(const fs::path& runs) {
  std::error_code failed;
  if (!fs::is_directory(runs, failed)) {
    throw MissingError("there is no folder of runs '" + runs.string() +
                       "'; --out DIR names another one");
  }
  remove_index(runs);
  try {
    return refresh(runs);
  } catch (const SqliteFailure& failure) {
    throw Error(Exit::kCannotWrite,
                "cannot write '" + (runs / kIndexFile).string() + "': " + failure.what());
  }
}

}  // namespace lvtext
