#include "framework/core/sources/import_text.h"

#include <algorithm>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr const char* kField = "text";
constexpr size_t kNoLimit = std::numeric_limits<int64_t>::max();

bool is_set_name(const std::string& name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 100 && plain(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return plain(c) || c == '-' || c == '_' || c == '.'; });
}

void check_request(const ImportRequest& request) {
  std::vector<std::string> mistakes;
  if (!is_set_name(request.name)) {
    mistakes.push_back("the name '" + request.name +
                       "' is invalid; names consist of lower-case letters, digits, '-', '_' and "
                       "'.', and begin with a letter or digit");
  }
  if (request.train.empty()) mistakes.push_back("--train FILE is missing");
  if (trim(request.license).empty()) {
    mistakes.push_back("--license TEXT is missing; specify the terms of use of the text");
  }
  for (const std::string& text : {request.license, request.title, request.citation}) {
    if (find_invalid_utf8(text)) mistakes.push_back("license, title or citation is not UTF-8");
  }
  for (const auto& [split, share] : request.shares) {
    const bool is_taken = split == "train" || split == "valid" || split == "test";
    if (is_lower_snake(split) && !is_taken && split != "pool") continue;
    mistakes.push_back("--share cannot name a split '" + split +
                       "'; use a lower_snake name such as reverse, not train, valid, test or pool");
  }
  if (!mistakes.empty()) throw UsageError("data import: " + join(mistakes, "; "));
}

/// The manifest entry of a file; copies nothing.
DataFile describe(const fs::path& source, const std::string& role, const std::string& path) {
  DataFile file;
  file.lines = Choice<RecordReader>("lines")->read(source, {kField}, [](const Record&) {});
  file.field = kField;
  file.role = role;
  file.path = path;
  file.bytes = static_cast<int64_t>(fs::file_size(source));
  file.sha256 = sha256_file(source);
  return file;
}

/// The manifest of the new set, and the source path of each of its files.
struct Plan {
  Manifest set;
  std::vector<fs::path> sources;
};

Plan plan_of(const ImportRequest& request) {
  Plan plan;
  Manifest& set = plan.set;
  set.name = request.name;
  set.title = request.title.empty() ? "own text '" + request.name + "'" : request.title;
  set.license = request.license;
  set.citation = request.citation.empty() ? "none given" : request.citation;
  set.fields = {kField};
  int64_t pool = 0;
  const auto add = [&](const std::vector<fs::path>& files, const std::string& role,
                       const std::string& stem) {
    for (size_t i = 0; i < files.size(); ++i) {
      const std::string number = files.size() > 1 ? "-" + std::to_string(i + 1) : "";
      // Gzip is detected by content; the extension is only informative.
      const std::string end = files[i].extension() == ".gz" ? ".txt.gz" : ".txt";
      set.files.push_back(describe(files[i], role, request.name + "/" + stem + number + end));
      plan.sources.push_back(files[i]);
      if (role == "pool") pool += set.files.back().lines;
    }
  };
  add(request.train, "pool", "train");
  add(request.valid, "valid", "valid");
  add(request.test, "test", "test");
  set.rules.valid_share = request.valid_share;
  set.rules.shares = request.shares;
  set.rules.test_at_least =
      request.test.empty() ? static_cast<int64_t>(request.test_share * static_cast<double>(pool))
                           : 0;
  return plan;
}

/// True if the folder contains exactly the plan's files: an earlier import was killed before it
/// wrote the manifest.
bool is_copied(const Plan& plan, const fs::path& folder) {
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    ++files;
    const auto file =
        std::find_if(plan.set.files.begin(), plan.set.files.end(), [&](const DataFile& each) {
          return fs::path(each.path).filename() == entry.path().filename();
        });
    if (file == plan.set.files.end() || sha256_file(entry.path()) != file->sha256) return false;
  }
  return files == plan.set.files.size();
}

void copy_files(const Plan& plan, const fs::path& cache) {
  const fs::path folder = cache / plan.set.name;
  if (fs::exists(folder)) {
    if (is_copied(plan, folder)) return;
    throw Error(Exit::kCannotWrite, "data import: '" + folder.string() +
                                        "' exists with other content; choose another name, or "
                                        "remove it first");
  }
  write_folder(folder, [&](const fs::path& partial) {
    for (size_t i = 0; i < plan.sources.size(); ++i) {
      const DataFile& file = plan.set.files[i];
      const fs::path to = partial / fs::path(file.path).filename();
      write_file_synced(to, read_file(plan.sources[i], kNoLimit));
      if (sha256_file(to) != file.sha256) {
        throw DataError("'" + plan.sources[i].string() +
                        "' was modified while it was imported; import it again");
      }
    }
  });
}

}  // namespace

Manifest import_text(const ImportRequest& request, const fs::path& cache,
                     const std::vector<fs::path>& folders) {
  check_request(request);
  const Plan plan = plan_of(request);
  const fs::path path = cache / (request.name + ".yaml");
  const std::string text = manifest_text(plan.set);
  const auto known = manifest_names(folders);
  if (std::find(known.begin(), known.end(), request.name) != known.end()) {
    if (fs::exists(path) && read_file(path, size_t{1} << 20) == text) return plan.set;
    throw Error(Exit::kCannotWrite,
                "data import: the name '" + request.name +
                    "' is already used for other data; choose another name" +
                    (fs::exists(path) ? ", or remove '" + path.string() + "' first" : ""));
  }
  copy_files(plan, cache);
  write_file_atomic(path, text);
  return load_manifest(request.name, {cache});
}

}  // namespace lvtext
