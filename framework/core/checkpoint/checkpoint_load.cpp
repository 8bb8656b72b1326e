// Reads and verifies checkpoint folders.
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/safetensors_format.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint_files.h"
#include "framework/core/checkpoint/manifest.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool is_tensor_file(const std::string& name) {
  return name.ends_with(".safetensors");
}

/// Reports that `path` is not a checkpoint folder, recognizing file formats of other programs.
[[noreturn]] void refuse_foreign(const fs::path& path, const fs::file_status& status) {
  const std::string start = "'" + path.string() + "' ";
  if (!fs::exists(status)) {
    throw MissingError(start + "does not exist; a checkpoint is a folder such as '" +
                       step_folder_name(12000) + "'");
  }
  if (!fs::is_regular_file(status)) throw DataError(start + "is neither a folder nor a file");
  std::string first(8, '\0');
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  first.resize(file ? std::fread(first.data(), 1, first.size(), file.get()) : 0);
  const std::string foreign = recognize_foreign(first);
  throw DataError(start + (foreign.empty() ? "is a file; a checkpoint is a folder such as '" +
                                                 step_folder_name(12000) + "'"
                                           : foreign));
}

bool is_count(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number_unsigned();
}

bool is_hash(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().size() == 64;
}

/// Checks the types of the manifest's fields. The seal excludes damage; this check excludes sealed
/// manifests of another format.
void check_fields(const Json& manifest, const std::string& location) {
  bool valid = is_count(manifest, "step") && manifest.contains("files") &&
               manifest["files"].is_object() && manifest["files"].contains(kModelFile);
  const Json files = valid ? manifest["files"] : Json::object();
  for (const auto& [name, entry] : files.items()) {
    valid = valid && is_plain_name(name) && name != kManifestFile && entry.is_object() &&
            is_count(entry, "bytes") && is_hash(entry.value("sha256", Json())) &&
            is_tensor_file(name) == entry.contains("tensors");
    if (valid && is_tensor_file(name)) {
      valid = entry["tensors"].is_object();
      for (const auto& [tensor, hash] : entry["tensors"].items()) valid = valid && is_hash(hash);
    }
  }
  if (!valid) throw DataError("'" + location + "' is not the manifest of a checkpoint");
}

/// Compares a folder's entries with the manifest's files: names, kinds and sizes.
void check_listing(const fs::path& folder, const Json& files) {
  std::vector<std::string> problems;
  std::set<std::string> seen;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    seen.insert(name);
    if (name == kManifestFile) continue;
    if (!files.contains(name)) {
      problems.push_back("'" + name + "' is not in the manifest");
    } else if (!fs::is_regular_file(entry.symlink_status())) {
      problems.push_back("'" + name + "' is not a regular file");
    } else if (entry.file_size() != files[name]["bytes"]) {
      problems.push_back("'" + name + "' has " + std::to_string(entry.file_size()) +
                         " bytes; the manifest has " + files[name]["bytes"].dump() +
                         ": it is cut off or was changed");
    }
  }
  for (const auto& [name, entry] : files.items()) {
    if (!seen.contains(name)) problems.push_back("'" + name + "' is missing");
  }
  if (!problems.empty()) throw DataError("'" + folder.string() + "': " + join(problems, "; "));
}

/// Throws DataError listing all differences between a tensor file and its manifest entry.
void check_tensors(const std::string& location, const SafetensorsFile& file, const Json& entry) {
  std::vector<std::string> problems;
  const Json& expected = entry["tensors"];
  for (const auto& [name, hash] : file.tensor_sha256) {
    if (!expected.contains(name)) {
      problems.push_back("tensor '" + name + "' is not in the manifest");
    } else if (expected[name] != hash) {
      problems.push_back("tensor '" + name + "' is damaged: its SHA-256 does not match");
    }
  }
  for (const auto& [name, hash] : expected.items()) {
    if (!file.tensors.contains(name)) problems.push_back("tensor '" + name + "' is missing");
  }
  if (problems.empty() && entry["sha256"] != file.sha256) {
    problems.push_back("its header is damaged: the SHA-256 of the file does not match");
  }
  if (!problems.empty()) throw DataError("'" + location + "': " + join(problems, "; "));
}

}  // namespace

Json read_checkpoint_manifest(const fs::path& folder) {
  std::error_code failed;
  const auto status = fs::status(folder, failed);
  if (!fs::is_directory(status)) refuse_foreign(folder, status);
  const fs::path path = folder / kManifestFile;
  if (!fs::exists(fs::symlink_status(path))) {
    throw DataError("'" + folder.string() + "' has no " + kManifestFile +
                    ": it is not a complete checkpoint");
  }
  if (!fs::is_regular_file(fs::symlink_status(path))) {
    throw DataError("'" + path.string() + "' is not a regular file");
  }
  Json manifest = parse_sealed(read_file(path, kMaxManifestBytes), path.string());
  check_schema(manifest, kCheckpointSchema, kManifestVersion, path.string());
  check_fields(manifest, path.string());
  check_listing(folder, manifest["files"]);
  return manifest;
}

void visit_checkpoint(const fs::path& folder, const Json& manifest,
                      const std::function<void(const std::string&, TensorMap)>& on_tensors,
                      const std::function<void(const std::string&, std::string)>& on_text) {
  for (const auto& [name, entry] : manifest["files"].items()) {
    const fs::path path = folder / name;
    if (is_tensor_file(name)) {
      auto file = read_safetensors(path);
      check_tensors(path.string(), file, entry);
      on_tensors(name, std::move(file.tensors));
    } else {
      std::string text = read_file(path);
      if (entry["sha256"] != sha256(text)) {
        throw DataError("'" + path.string() + "' is damaged: its SHA-256 does not match");
      }
      on_text(name, std::move(text));
    }
  }
}

Checkpoint load_checkpoint(const fs::path& folder) {
  const Json manifest = read_checkpoint_manifest(folder);
  Checkpoint result;
  result.folder = folder;
  result.step = manifest["step"];
  auto& contents = result.contents;
  visit_checkpoint(
      folder, manifest,
      [&](const std::string& file, TensorMap tensors) {
        if (file == kModelFile) {
          contents.model = std::move(tensors);
        } else if (file == kEmaFile) {
          contents.ema = std::move(tensors);
        } else {
          contents.optimizers[optimizer_of(file)] = std::move(tensors);
        }
      },
      [&](const std::string& file, std::string text) {
        if (file == kStateFile) {
          contents.state = nlohmann::json::parse(text, nullptr, false);
          if (contents.state.is_discarded()) {
            throw DataError("'" + (folder / file).string() + "' is not JSON");
          }
        } else if (file == kConfigFile) {
          contents.config = std::move(text);
        } else {
          contents.extra[file] = std::move(text);
        }
      });
  return result;
}

void verify_checkpoint(const fs::path& folder) {
  visit_checkpoint(
      folder, read_checkpoint_manifest(folder), [](const std::string&, const TensorMap&) {},
      [](const std::string&, const std::string&) {});
}

TensorMap load_model_tensors(const fs::path& folder) {
  TensorMap model;
  visit_checkpoint(
      folder, read_checkpoint_manifest(folder),
      [&](const std::string& file, TensorMap tensors) {
        if (file == kModelFile) model = std::move(tensors);
      },
      [](const std::string&, const std::string&) {});
  return model;
}

}  // namespace lvtext
