#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/core/sources/fetch.h"
#include "framework/core/sources/pins.h"

namespace lvtext {
namespace {

struct DataArguments {
  std::vector<std::string> names;
  std::string mirror;
};

const char* word_of(FileState::Kind kind) {
  switch (kind) {
    case FileState::Kind::kWhole: return "complete";
    case FileState::Kind::kDamaged: return "damaged";
    case FileState::Kind::kMissing: return "missing";
    case FileState::Kind::kUnpinned: return "unpinned";
  }
  return "";
}

std::string state_of(const Manifest& set, const DataLocations& locations) {
  if (set.is_generated()) return "built in";
  bool pinned = false;
  for (const FileState& file : verify(set, locations)) {
    if (file.kind != FileState::Kind::kWhole) return word_of(file.kind);
    pinned = pinned || file.file->sha256.empty();
  }
  return pinned ? "complete, checksums recorded by the download" : "complete";
}

int64_t bytes_of(const Manifest& set) {
  std::map<std::string, int64_t> files;  // a file may be listed several times
  for (const DataFile& file : set.files) files[file.path] = file.bytes;
  int64_t bytes = 0;
  for (const auto& [path, size] : files) bytes += size;
  return bytes;
}

/// The manifest of a data set named on the command line. Throws MissingError.
Manifest named_set(const std::string& name) {
  const auto known = manifest_names(manifest_folders());
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw MissingError("SET: unknown data set " + shown(name) + "; " + suggestion(name, known));
  }
  return load_manifest(name, manifest_folders());
}

/// The first fields and their number: data sets with outputs of many systems have many fields.
std::string fields_text(const std::vector<std::string>& fields) {
  constexpr size_t kShown = 4;
  if (fields.size() <= kShown) return join(fields);
  return join({fields.begin(), fields.begin() + kShown}) + ", ... (" +
         std::to_string(fields.size()) + ")";
}

void list(const DataArguments& arguments, Session& session) {
  const DataLocations locations = data_locations(arguments.mirror);
  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const auto& name : manifest_names(manifest_folders())) {
    Manifest set;
    try {
      set = load_manifest(name, manifest_folders());
    } catch (const Error& error) {  // other sets are still listed
      log_error(error.what());
      session.result = error.code();
      continue;
    }
    const std::string source = set.is_generated()  ? "generated"
                               : set.mirror_only() ? "mirror-only"
                                                   : "public";
    const std::string state = state_of(set, locations);
    rows.push_back({name, state, source, format_bytes(static_cast<uint64_t>(bytes_of(set))),
                    fields_text(set.fields), set.license});
    json.push_back({{"name", name},
                    {"state", state},
                    {"source", source},
                    {"bytes", bytes_of(set)},
                    {"fields", set.fields},
                    {"title", set.title},
                    {"license", set.license},
                    {"citation", set.citation}});
  }
  if (session.json) return print_json({{"schema", "lvtext.data-list/1"}, {"sets", json}});
  print_table({"name", "state", "source", "size", "fields", "license"}, rows);
}

void get(const DataArguments& arguments) {
  const DataLocations locations = data_locations(arguments.mirror);
  const StopSignals signals;  // an interrupted download leaves no files
  for (const auto& name : arguments.names) {
    const Manifest set = named_set(name);
    fetch(set, locations);
    print_text(name + (set.is_generated() ? ": built in, nothing to download"
                                          : ": in " + locations.cache.string()));
    for (const DataFile& file : set.files) {
      if (const auto pin = read_pin(file, locations.cache)) {
        print_text("  " + file.path + " (pinned at its first fetch): SHA-256 " + pin->sha256);
      }
    }
  }
}

void verify_sets(const DataArguments& arguments, Session& session) {
  const DataLocations locations = data_locations(arguments.mirror);
  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  bool damaged = false, missing = false;
  for (const auto& name : arguments.names) {
    const Manifest set = named_set(name);
    for (const FileState& file : verify(set, locations)) {
      damaged = damaged || file.kind == FileState::Kind::kDamaged;
      missing = missing || file.kind == FileState::Kind::kMissing ||
                file.kind == FileState::Kind::kUnpinned;
      rows.push_back({name, file.file->path, word_of(file.kind), file.message});
      json.push_back({{"set", name},
                      {"file", file.file->path},
                      {"state", word_of(file.kind)},
                      {"path", file.path.string()},
                      {"message", file.message}});
    }
  }
  if (session.json) {
    print_json({{"schema", "lvtext.data-verify/1"}, {"files", json}});
  } else {
    print_table({"set", "file", "state", "message"}, rows);
  }
  if (damaged || missing) session.result = damaged ? Exit::kBadData : Exit::kMissingInput;
}

}  // namespace

void add_data(CLI::App& app, Session& session) {
  CLI::App* group = app.add_subcommand("data", "lists, downloads, verifies and creates data sets");
  group->require_subcommand(1);
  auto arguments = std::make_shared<DataArguments>();
  const auto add = [&](const char* name, const char* help, bool takes_names) {
    CLI::App* command = group->add_subcommand(name, help);
    if (takes_names) command->add_option("SET", arguments->names, "names of data sets")->required();
    add_mirror(*command, arguments->mirror);
    return command;
  };
  CLI::App* listed = add("list", "lists data sets and the state of their files", false);
  add_json(*listed, session);
  listed->callback([arguments, &session] { list(*arguments, session); });
  add("get", "downloads files into the cache", true)->callback([arguments] { get(*arguments); });
  CLI::App* verified = add("verify", "verifies size and SHA-256 of every file", true);
  add_json(*verified, session);
  verified->callback([arguments, &session] { verify_sets(*arguments, session); });
  add_data_makers(*group, session);
}

}  // namespace lvtext
