#include "framework/data/fetch.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"

extern char** environ;

namespace lvtext {
namespace {

/// What is wrong with the bytes at `path`; empty if they are the manifest's.
std::string flaw_of(const DataFile& file, const std::filesystem::path& path) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);
  if (failed) return "it cannot be read (" + failed.message() + ")";
  if (static_cast<int64_t>(bytes) != file.bytes) {
    return "it has " + format_count(static_cast<int64_t>(bytes)) + " bytes in place of " +
           format_count(file.bytes);
  }
  const std::string hash = sha256_file(path);
  return hash == file.sha256 ? "" : "its SHA-256 is " + hash + " in place of " + file.sha256;
}

/// The first place that has the file, whole or not.
std::filesystem::path find(const DataFile& file, const DataPlaces& places) {
  for (const auto& folder : {places.mirror, places.cache}) {
    if (!folder.empty() && std::filesystem::exists(folder / file.path)) return folder / file.path;
  }
  return {};
}

MissingError missing(const Manifest& set, const DataFile& file, const DataPlaces& places,
                     const std::string& tried) {
  std::string text = "data.set=" + set.name + ": the file '" + file.path + "' is not there. ";
  text += file.urls.empty() ? "It has no public address (mirror-only). "
                            : "Its public addresses did not serve it (" + tried + "). ";
  text += places.mirror.empty()
              ? "Set LVTEXT_DATA_MIRROR or give --mirror DIR, a folder that holds it"
              : "The mirror '" + places.mirror.string() + "' does not hold it; give another one";
  if (!set.relatives.empty()) text += ", or use data.set=" + join(set.relatives, " or data.set=");
  return MissingError(text + ". The cache is '" + places.cache.string() + "'.");
}

std::filesystem::path partial_name(const std::filesystem::path& path) {
  return path.string() + ".partial-" + std::to_string(::getpid());
}

std::filesystem::path download_file(const Manifest& set, const DataFile& file,
                                    const DataPlaces& places) {
  const auto target = places.cache / file.path;
  std::vector<std::string> tried;
  for (const std::string& url : file.urls) {
    make_folders(target.parent_path());
    const auto partial = partial_name(target);
    std::string flaw;
    try {
      places.download(url, partial, file.bytes);
      flaw = flaw_of(file, partial);
    } catch (const DeviceError& error) {
      flaw = error.what();
    }
    if (flaw.empty()) {
      std::filesystem::rename(partial, target);
      sync_folder(target.parent_path());
      return target;
    }
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    tried.push_back(url + ": " + flaw);
  }
  throw missing(set, file, places, join(tried, "; "));
}

}  // namespace

void download_with_curl(const std::string& url, const std::filesystem::path& to, int64_t bytes) {
  std::vector<std::string> words = {"curl",
                                    "--fail",
                                    "--location",
                                    "--silent",
                                    "--show-error",
                                    "--proto",
                                    "=https",
                                    "--proto-redir",
                                    "=https",
                                    "--connect-timeout",
                                    "30",
                                    "--max-filesize",
                                    std::to_string(bytes),
                                    "--output",
                                    to.string(),
                                    "--",
                                    url};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, "curl", nullptr, nullptr, arguments.data(), environ);
  if (failed != 0) {
    throw DeviceError(std::string("the program curl, which downloads data, cannot be started (") +
                      std::strerror(failed) + "); install it, or use a mirror");
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw io_error("wait for", "curl", errno);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw DeviceError("curl could not get it (exit code " +
                      std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) + ")");
  }
}

DataPlaces data_places(const std::string& mirror) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  DataPlaces places;
  places.mirror = mirror.empty() ? variable("LVTEXT_DATA_MIRROR") : mirror;
  places.cache = variable("LVTEXT_DATA");
  if (places.cache.empty()) {
    const std::string home = variable("HOME");
    places.cache = std::filesystem::path(home.empty() ? "." : home) / ".cache" / "lvtext" / "data";
  }
  return places;
}

std::filesystem::path obtain(const Manifest& set, const DataFile& file, const DataPlaces& places) {
  const auto path = find(file, places);
  if (path.empty()) return download_file(set, file, places);
  const std::string flaw = flaw_of(file, path);
  if (!flaw.empty()) {
    throw DataError("data.set=" + set.name + ": '" + path.string() + "' is not the set's file: " +
                    flaw + "; delete it and fetch it again, or give another mirror");
  }
  return path;
}

void fetch(const Manifest& set, const DataPlaces& places) {
  for (const DataFile& file : set.files) {
    const auto target = places.cache / file.path;
    const auto source = obtain(set, file, places);
    if (source == target) continue;
    if (std::filesystem::exists(target) && flaw_of(file, target).empty()) continue;
    make_folders(target.parent_path());
    write_file_atomic(target, read_file(source));
  }
}

std::vector<FileState> verify(const Manifest& set, const DataPlaces& places) {
  std::vector<FileState> states;
  for (const DataFile& file : set.files) {
    const auto path = find(file, places);
    if (path.empty()) {
      states.push_back({&file, FileState::Kind::kMissing, {}, ""});
      continue;
    }
    const std::string flaw = flaw_of(file, path);
    states.push_back(
        {&file, flaw.empty() ? FileState::Kind::kWhole : FileState::Kind::kDamaged, path, flaw});
  }
  return states;
}

}  // namespace lvtext
