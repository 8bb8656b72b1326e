#include "framework/pipeline/runs/run_name.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/recipe/entry_id.h"
#include "framework/pipeline/runs/differences.h"
#include "framework/pipeline/runs/listing.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNamesShown = 3;
constexpr size_t kCandidatesShown = 12;

/// The parts of `<paper>.<row>.<profile>.s<seed>-<hash8>`.
struct FolderName {
  std::string paper, row, profile, seed;
};

std::optional<FolderName> parse_folder(const std::string& folder) {
  const auto parts = split(folder.substr(0, folder.rfind('-')), '.');
  const size_t n = parts.size();
  if (n < 4 || !parts[n - 1].starts_with("s")) return std::nullopt;
  // Values of axes in the row's id may contain dots.
  const std::string row = join({parts.begin() + 1, parts.end() - 2}, ".");
  return FolderName{parts[0], row, parts[n - 2], parts[n - 1].substr(1)};
}

/// Whether `row`, in the form of file names, is the requested one, in which '*' is any axis value.
bool is_row(const std::string& row, const std::string& requested) {
  if (requested.find('*') == std::string::npos) return row == requested;
  const std::string is = row.substr(0, row.find('=')),
                    id = requested.substr(0, requested.find('='));
  if (is != id || is.size() == row.size() || id.size() == requested.size()) return false;
  const auto values = split(row.substr(is.size() + 1), ',');
  const auto pattern = split(requested.substr(id.size() + 1), ',');
  return std::equal(
      values.begin(), values.end(), pattern.begin(), pattern.end(),
      [](const auto& value, const auto& each) { return each == "*" || value == each; });
}

/// `<paper>/<row>` with optional `@profile` and `#seed`; the row may be a member: `ent[wt2,1.1]`.
struct RequestedRun {
  std::string paper, row, profile, seed;

  explicit RequestedRun(std::string name) {
    if (const size_t at = name.find('#'); at != std::string::npos) {
      seed = name.substr(at + 1);
      name.resize(at);
    }
    if (const size_t at = name.find('@'); at != std::string::npos) {
      profile = name.substr(at + 1);
      name.resize(at);
    }
    if (const size_t at = name.find('/'); at != std::string::npos) {
      paper = name.substr(0, at);
      row = file_name_of(name.substr(at + 1));
    }
  }

  bool matches(const std::string& folder) const {
    const auto name = parse_folder(folder);
    if (!name) return false;
    // Node names of further seeds end in the seed.
    const std::string suffix = "-" + name->seed;
    std::string first = name->row;
    if (first.ends_with(suffix)) first.resize(first.size() - suffix.size());
    return matches(*name, name->row) || matches(*name, first);
  }

  /// Whether the row that shows a training is the requested one.
  bool matches_row(const FoundRun& run) const {
    const auto name = parse_folder(run.name());
    return name && !run.row.empty() && matches(*name, file_name_of(run.row));
  }

 private:
  bool matches(const FolderName& name, const std::string& of_row) const {
    return !row.empty() && name.paper == paper && is_row(of_row, row) &&
           (profile.empty() || name.profile == profile) && (seed.empty() || name.seed == seed);
  }
};

/// True if `name` is a prefix of the run's hash or folder name.
bool is_prefix(const std::string& name, const FoundRun& run) {
  return !name.empty() && (run.identity.starts_with(name) || run.name().starts_with(name));
}

std::vector<std::string> nearest_names(const std::string& requested,
                                       const std::vector<FoundRun>& runs) {
  // Compares only the given parts of names, so that omitted parts do not add to the distance.
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const FoundRun& run : runs) {
    std::string name = short_name(run.name());
    std::string compared = name;
    if (requested.find('#') == std::string::npos) compared = compared.substr(0, compared.find('#'));
    if (requested.find('@') == std::string::npos) compared = compared.substr(0, compared.find('@'));
    ranked.emplace_back(edit_distance(requested, compared), std::move(name));
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (const auto& [distance, name] : ranked) {
    const bool near = distance <= std::clamp<size_t>(requested.size() / 4, 1, 3) &&
                      distance <= ranked.front().first + 1;
    if (near && names.size() < kNamesShown) names.push_back("'" + name + "'");
  }
  return names;
}

[[noreturn]] void not_found(const std::string& name, const fs::path& runs,
                            const std::vector<FoundRun>& all) {
  const std::string missing = "no run " + shown(name) + " below " + runs.string();
  if (all.empty()) throw MissingError(missing + ", which has no runs");
  const auto near = nearest_names(name, all);
  throw MissingError(missing + "; " +
                     (near.empty() ? "" : "did you mean " + join(near, " or ") + "? ") +
                     "`lvtext runs ls` lists them");
}

/// Rejects a folder within a run, such as a checkpoint, with the name of the run.
void refuse_folder_within_run(const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  for (fs::path run = path.parent_path(); run.has_filename(); run = run.parent_path()) {
    if (!is_run(run)) continue;
    throw UsageError(shown(name) + " is not a run but a folder within one; give the run, '" +
                     run.string() + "', and --checkpoint last, best:METRIC or step:N");
  }
}

[[noreturn]] void ambiguous(const std::string& name, const std::vector<FoundRun>& candidates,
                            const std::vector<FoundRun>& all) {
  std::vector<const FoundRun*> runs;
  for (const FoundRun& run : candidates) runs.push_back(&run);
  const auto differ = differences(runs, all);
  std::string lines;
  for (size_t i = 0; i < std::min(runs.size(), kCandidatesShown); ++i) {
    const std::string text = differences_text(differ[i]);
    lines += "\n  " + runs[i]->name() + (text.empty() ? "" : ": " + text);
  }
  if (runs.size() > kCandidatesShown) {
    lines += "\n  and " + std::to_string(runs.size() - kCandidatesShown) + " more";
  }
  throw UsageError(shown(name) + " matches " + std::to_string(runs.size()) +
                   " runs; give one of them:" + lines);
}

std::optional<FoundRun> run_in_folder(const std::string& name, const fs::path& runs) {
  if (name.empty()) return std::nullopt;
  for (fs::path folder : {fs::path(name), runs / name}) {
    folder = folder.lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();  // a trailing slash
    if (!folder.has_parent_path()) folder = "." / folder;       // inputs are found next to it
    if (is_run(folder)) return read_run(folder);
  }
  return std::nullopt;
}

/// Finds the run of a name that begins with '@'; `usable`: one with weights.
FoundRun run_at(const std::string& name, const fs::path& runs, bool usable) {
  if (name != kLatestRun) {
    throw UsageError("there is no " + shown(name) + "; a RUN is " + kRunHelp);
  }
  const auto all = find_runs(runs);
  const FoundRun* latest = latest_training(all, usable);
  if (latest == nullptr) {
    throw MissingError("@latest: no finished or running training of a row below " + runs.string() +
                       "; `lvtext train RECIPE` starts one");
  }
  return *latest;
}

/// True for a finished model with weights, and for an unfinished training with a checkpoint.
bool has_usable_weights(const FoundRun& run) {
  if (run.state == RunState::kDamaged || run.without_weights) return false;
  return run.finished() || !list_checkpoints(run.folder / "checkpoints").empty();
}

std::vector<FoundRun> matching(const std::string& name, const std::vector<FoundRun>& all) {
  const RequestedRun requested(name);
  std::vector<FoundRun> found;
  for (const FoundRun& run : all) {
    if (is_prefix(name, run) || requested.matches(run.name())) found.push_back(run);
  }
  if (!found.empty()) return found;
  // A row may show a training of another name.
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const FoundRun& run) { return requested.matches_row(run); });
  return found;
}

}  // namespace

std::string short_name(const std::string& folder) {
  const auto name = parse_folder(folder);
  if (!name) return folder;
  std::string row = name->row;
  const std::string suffix = "-" + name->seed;
  if (row.ends_with(suffix) && row.size() > suffix.size()) row.resize(row.size() - suffix.size());
  return name->paper + "/" + id_of_file_name(row) + "@" + name->profile + "#" + name->seed;
}

std::string node_name(const std::string& folder) {
  const std::string name = short_name(folder);
  const size_t slash = name.find('/');
  return slash == std::string::npos ? name : name.substr(slash + 1, name.find('@') - slash - 1);
}

FoundRun find_run(const std::string& name, const fs::path& runs) {
  if (name.starts_with("@")) return run_at(name, runs, /*usable=*/false);
  if (auto run = run_in_folder(name, runs)) return *run;
  const auto all = find_runs(runs);
  const auto found = matching(name, all);
  if (found.empty()) not_found(name, runs, all);
  if (found.size() > 1) ambiguous(name, found, all);
  return found[0];
}

std::vector<FoundRun> find_models(const std::string& name, const fs::path& runs) {
  if (name.find('*') == std::string::npos) return {find_model(name, runs)};
  const auto all = find_runs(runs);
  auto models = all;
  // The models that score a row, `m=x-forward-language_model`, look like values with a '-'.
  std::erase_if(models, [](const FoundRun& run) {
    const bool is_of_metric =
        run.row.empty() && node_name(run.name()).find('-') != std::string::npos;
    return !run.is_model() || is_of_metric;
  });
  auto found = matching(name, models);
  if (found.empty()) not_found(name, runs, all);
  const size_t matches = found.size();
  std::erase_if(found, [](const FoundRun& run) {
    if (has_usable_weights(run)) return false;
    log_warning(run.name() + " is left out: it has no weights" +
                (run.problem.empty() ? "" : " (" + run.problem + ")"));
    return true;
  });
  if (found.empty()) {
    throw MissingError("none of the " + format_count(static_cast<int64_t>(matches), "model") +
                       " that " + shown(name) + " matches has weights");
  }
  std::map<std::string, std::vector<FoundRun>> members;
  for (const FoundRun& run : found) {
    const std::string each = short_name(run.name());
    members[each.substr(0, each.find('@'))].push_back(run);
  }
  for (const auto& [member, candidates] : members) {
    if (candidates.size() > 1) ambiguous(member, candidates, all);
  }
  return found;
}

FoundRun find_model(const std::string& name, const fs::path& runs) {
  if (name.starts_with("@")) return run_at(name, runs, /*usable=*/true);
  refuse_folder_within_run(name);
  const auto all = find_runs(runs);
  auto models = all;
  // Runs with a damaged node.json have no kind. They are kept, so that the damage is reported.
  std::erase_if(models, [](const FoundRun& run) {
    return !run.is_model() && run.state != RunState::kDamaged;
  });
  std::vector<FoundRun> found = matching(name, models);
  if (auto run = run_in_folder(name, runs)) found = {*run};
  if (found.size() > 1) ambiguous(name, found, all);
  if (found.empty()) {
    found = matching(name, all);
    if (found.empty()) not_found(name, runs, models.empty() ? all : models);
  }
  const FoundRun& run = found[0];
  if (run.state == RunState::kDamaged)
    throw DataError("'" + run.folder.string() + "': " + run.problem);
  if (!run.is_model()) {
    const auto near = nearest_names(name, models);
    throw UsageError(shown(name) + " is not a model but a node of kind '" + run.kind + "' (" +
                     run.component + ")" + "; " +
                     (near.empty() ? "" : "did you mean " + join(near, " or ") + "? ") +
                     "`lvtext runs ls --kind train` lists the trained models");
  }
  return run;
}

}  // namespace lvtext
