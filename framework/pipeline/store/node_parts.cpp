#include "framework/pipeline/store/node_parts.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/pipeline/store/kept_weights.h"
#include "framework/pipeline/store/selection_file.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// Formats the checkpoints in a folder that are nearest to a step: "step 6 and 8".
std::string nearest_steps(const fs::path& parent, int64_t step) {
  std::vector<int64_t> steps;
  for (const auto& [each, folder] : list_checkpoints(parent)) steps.push_back(each);
  std::stable_sort(steps.begin(), steps.end(), [step](int64_t a, int64_t b) {
    return std::abs(a - step) < std::abs(b - step);
  });
  steps.resize(std::min<size_t>(steps.size(), 2));
  std::sort(steps.begin(), steps.end());
  std::vector<std::string> texts;
  for (const int64_t each : steps) texts.push_back(std::to_string(each));
  return texts.empty() ? "none" : "step " + join(texts, " and ");
}

/// True if a previous run completed this part; otherwise removes it.
bool is_whole(const fs::path& part) {
  if (!fs::exists(part)) return false;
  try {
    if (verify_run(part).empty()) return true;
  } catch (const MissingError&) {
  } catch (const DataError&) {
  }
  log_warning("'" + part.string() + "' is damaged; computing it again");
  fs::remove_all(part);
  return false;
}

/// Publishes a part with a manifest that contains `what`.
void write_part(const fs::path& folder, nlohmann::ordered_json what, const PartWriter& write) {
  const fs::path partial = folder.string() + ".partial";  // removed by sweep_partial()
  make_folders(partial);
  const WrittenFiles written = write(partial);
  what["metadata"] = written.metadata;
  write_run_manifest(partial, written.files, what);
  publish_folder(partial, folder);
}

/// Adds a complete part and its files to the outputs of the node.
void list_part(NodeRun& run, const std::string& part) {
  run.outputs.push_back(part + "/" + kRunManifest);
  const FinishedRun whole(run.folder.path() / part);
  for (const auto& [file, stamp] : whole.manifest().at("files").items()) {
    run.outputs.push_back(part + "/" + file);
  }
}

/// True if the node already lists a part.
bool is_listed(const NodeRun& run, const std::string& part) {
  const std::string manifest = part + "/" + kRunManifest;
  return std::find(run.outputs.begin(), run.outputs.end(), manifest) != run.outputs.end();
}

/// Returns the folder name of a named part.
std::string folder_name_of(const std::string& key) {
  constexpr size_t kDigits = 16;
  return kPartPrefix + sha256(key).substr(0, kDigits);
}

}  // namespace

NodePart NodePart::chosen(const std::string& model_or_text, const std::string& selection) {
  NodePart part(model_or_text);
  part.selection = selection;
  return part;
}

NodePart NodePart::chosen_of(std::vector<CandidateNode> candidates, const std::string& selection) {
  NodePart part("");
  part.among = std::move(candidates);
  part.selection = selection;
  return part;
}

std::vector<std::string> NodePart::nodes() const {
  std::vector<std::string> names;
  if (among.empty()) names.push_back(node);
  for (const CandidateNode& candidate : among) names.push_back(candidate.node);
  if (!selection.empty()) names.push_back(selection);
  return names;
}

std::string candidate_input(const std::string& input_key, const std::string& key) {
  return input_key + "@" + key;
}

void add_input(const Graph& graph, GraphNode& node, const std::string& input_key,
               const NodePart& part) {
  const auto check_whole = [&graph](const std::string& name) {
    const GraphNode& read = graph.at(name);
    if (read.checkpoints.empty() || read.kind == NodeKind::kTrain) return;
    throw ConfigError("'" + name +
                      "' is computed at each kept checkpoint; specify the checkpoint to read");
  };
  if (part.among.empty() && part.part.empty() && part.selection.empty()) check_whole(part.node);
  if (part.among.empty()) node.inputs[input_key] = part.node;
  for (const CandidateNode& candidate : part.among) {
    const std::string own = candidate_input(input_key, candidate.key);
    if (candidate.part.empty() || candidate.part == kAllCheckpoints) check_whole(candidate.node);
    node.inputs[own] = candidate.node;
    if (!candidate.part.empty()) node.parts[own] = candidate.part;
  }
  if (!part.selection.empty()) node.inputs[input_key + kSelectionOf] = part.selection;
  if (!part.part.empty()) node.parts[input_key] = part.part;
  if (part.part != kAllCheckpoints) return;
  const std::string& period = graph.at(part.node).checkpoints;
  if (period.empty()) {
    throw ConfigError("'" + part.node +
                      "' keeps no checkpoints; set train.keep.checkpoints to a period, such as "
                      "0.5e");
  }
  if (!node.checkpoints.empty() && node.checkpoints != period) {
    throw ConfigError("'" + node.name + "' reads checkpoints kept every " + node.checkpoints +
                      " and others kept every " + period + "; the periods must be equal");
  }
  node.checkpoints = period;
  node.has_parts = [period](const nlohmann::ordered_json& manifest) {
    return has_checkpoints(manifest, period);
  };
}

LocatedInput locate_input(const NodeInputs& inputs, const std::map<std::string, std::string>& parts,
                          const std::string& input_key, std::optional<int64_t> at) {
  const auto selection = inputs.find(input_key + kSelectionOf);
  if (selection != inputs.end()) {
    const Selection made = read_selection(selection->second);
    if (!made.key) throw NodeSkipped(made.reason);
    const std::string candidate = candidate_input(input_key, *made.key);
    if (inputs.contains(candidate)) return locate_input(inputs, parts, candidate);
    return {input_key, inputs.at(input_key), made.step()};
  }
  const auto part = parts.find(input_key);
  if (part == parts.end()) return {input_key, inputs.at(input_key), std::nullopt};
  if (part->second == kAllCheckpoints) return {input_key, inputs.at(input_key), at};
  if (is_named_part(part->second)) {
    return {input_key, named_part_folder(inputs.at(input_key), part->second), std::nullopt};
  }
  return {input_key, inputs.at(input_key), step_of_part(inputs.at(input_key), part->second)};
}

std::optional<int64_t> parse_step(const std::string& part) {
  constexpr std::string_view kPrefix = "step:";
  if (!part.starts_with(kPrefix)) return std::nullopt;
  int64_t step = 0;
  const char* end = part.data() + part.size();
  const auto parsed = std::from_chars(part.data() + kPrefix.size(), end, step);
  if (parsed.ec != std::errc() || parsed.ptr != end || step < 0) return std::nullopt;
  return step;
}

int64_t step_of_part(const fs::path& folder, const std::string& part) {
  if (const auto step = parse_step(part)) return *step;
  const FinishedRun run(folder);
  if (!run.metadata().contains("selected_step")) {
    throw MissingError("'" + folder.string() + "' is not a model, so it has no '" + part + "'");
  }
  if (part == "last") return run.metadata().value("steps", int64_t{0});
  LVT_ASSERT(part == "best", "'" + part + "' is not a part of a model");
  if (!run.metadata().contains("best_step")) {
    throw MissingError("'" + folder.string() + "' was not validated, so it has no best checkpoint");
  }
  return run.metadata().at("best_step").get<int64_t>();
}

std::vector<int64_t> kept_steps(const fs::path& folder, const std::string& period) {
  const FinishedRun run(folder);
  if (!has_checkpoints(run.manifest(), period)) {
    throw MissingError("'" + folder.string() + "' has no checkpoints of the period " + period);
  }
  return run.metadata().at(kCheckpointsKey).at(period).get<std::vector<int64_t>>();
}

void check_kept(const fs::path& training, int64_t step) {
  std::error_code failed;
  if (fs::is_directory(training / "snapshots" / step_folder_name(step), failed)) return;
  const nlohmann::ordered_json metadata = FinishedRun(training).metadata();
  if (is_without_weights(metadata)) {
    throw MissingError("'" + training.string() +
                       "' has no weights: it was exported without them; " +
                       "add them from an export with weights by `lvtext runs import DIR`, or " +
                       "remove it with `lvtext runs rm " + training.string() +
                       " --yes --force` and run its recipe to train it again");
  }
  if (was_removed(metadata, step)) {
    throw MissingError(
        "'" + training.string() + "': the weights of step " + std::to_string(step) +
        " were removed after they were scored (train.keep.until); remove the run with `lvtext "
        "runs rm " +
        training.string() + " --yes --force` to train it again");
  }
  throw MissingError("'" + training.string() + "' keeps no weights of step " +
                     std::to_string(step) +
                     "; nearest: " + nearest_steps(training / "snapshots", step) +
                     "; to keep more, remove it and train it with train.keep.checkpoints=...");
}

fs::path part_folder(const fs::path& folder, int64_t step) {
  const FinishedRun run(folder);
  const std::string manifest = step_folder_name(step) + "/" + kRunManifest;
  if (!run.lists(manifest)) {
    throw MissingError("'" + folder.string() + "' has no results of step " + std::to_string(step) +
                       "; nearest: " + nearest_steps(folder, step));
  }
  run.read(manifest);
  return folder / step_folder_name(step);
}

bool is_named_part(const std::string& part) {
  return part.starts_with("{");
}

fs::path named_part_folder(const fs::path& folder, const std::string& key) {
  const FinishedRun run(folder);
  const std::string part = folder_name_of(key);
  const std::string manifest = part + "/" + kRunManifest;
  if (!run.lists(manifest)) {
    std::vector<std::string> known;
    const auto& metadata = run.metadata();
    if (metadata.contains(kNamedPartsKey)) {
      for (const auto& [each, unused] : metadata.at(kNamedPartsKey).items()) known.push_back(each);
    }
    throw MissingError("'" + folder.string() + "' has no part " + key + "; it has " +
                       (known.empty() ? "none" : join(known)));
  }
  run.read(manifest);
  return folder / part;
}

bool has_named_parts(const nlohmann::ordered_json& manifest, const std::vector<std::string>& keys) {
  const auto& metadata = manifest.at("metadata");
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return metadata.contains(kNamedPartsKey) && metadata.at(kNamedPartsKey).contains(key);
  });
}

bool has_checkpoints(const nlohmann::ordered_json& manifest, const std::string& period) {
  const auto& metadata = manifest.at("metadata");
  return metadata.contains(kCheckpointsKey) && metadata.at(kCheckpointsKey).contains(period);
}

void reopen_finished(NodeRun& run) {
  const FinishedRun finished(run.folder.path());
  for (const auto& [name, stamp] : finished.manifest().at("files").items()) {
    if (name == kNodeFile) continue;  // rewritten whenever a node starts
    finished.file(name);
    run.outputs.push_back(name);
  }
  run.metadata = finished.metadata();
}

void run_parts(NodeRun& run, const std::string& period, const std::vector<int64_t>& steps,
               const std::function<WrittenFiles(const fs::path&, int64_t)>& work) {
  const fs::path& folder = run.folder.path();
  sweep_partial(folder, run.folder.lock());
  if (read_run_manifest(folder)) reopen_finished(run);
  for (const int64_t step : steps) {
    const std::string part = step_folder_name(step);
    if (is_listed(run, part)) continue;
    if (!is_whole(folder / part)) {
      throw_if_stopped();
      write_part(folder / part, {{"step", step}},
                 [&](const fs::path& partial) { return work(partial, step); });
    }
    list_part(run, part);
  }
  run.metadata[kCheckpointsKey][period] = steps;
}

void run_named_parts(
    NodeRun& run, const std::vector<std::string>& keys,
    const std::function<std::vector<PartWriter>(const std::vector<size_t>& lacking)>& work) {
  const fs::path& folder = run.folder.path();
  sweep_partial(folder, run.folder.lock());
  if (read_run_manifest(folder)) reopen_finished(run);
  std::vector<size_t> lacking;
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string part = folder_name_of(keys[i]);
    if (!is_listed(run, part) && !is_whole(folder / part)) lacking.push_back(i);
  }
  if (!lacking.empty()) {
    const std::vector<PartWriter> writers = work(lacking);
    LVT_ASSERT(writers.size() == lacking.size(), "the numbers of parts and results differ");
    for (size_t i = 0; i < lacking.size(); ++i) {
      const std::string& key = keys[lacking[i]];
      write_part(folder / folder_name_of(key), {{"part", nlohmann::ordered_json::parse(key)}},
                 writers[i]);
    }
  }
  for (const std::string& key : keys) {
    const std::string part = folder_name_of(key);
    if (!is_listed(run, part)) list_part(run, part);
    run.metadata[kNamedPartsKey][key] = part;
  }
}

}  // namespace lvtext
