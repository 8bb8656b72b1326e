#include "framework/pipeline/runs/run_relations.h"

namespace lvtext {
const FoundRun* find_input(const std::string& folder, const std::vector<FoundRun>& all) {
  const size_t dash = folder.rfind('-');
  const std::string hash = dash == std::string::npos ? "" : folder.substr(dash + 1);
  for (const FoundRun& run : all) {
    if (run.name() == folder || (!hash.empty() && run.identity.starts_with(hash))) return &run;
  }
  return nullptr;
}

std::vector<const FoundRun*> dependents(const FoundRun& run, const std::vector<FoundRun>& all) {
  std::vector<const FoundRun*> found;
  for (const FoundRun& other : all) {
    for (const auto& [name, folder] : other.inputs) {
      const FoundRun* input = find_input(folder, all);
      if (input != nullptr && !input->identity.empty() && input->identity == run.identity) {
        found.push_back(&other);
        break;
      }
    }
  }
  return found;
}

bool scores_run(const FoundRun& score, const FoundRun& run, const std::vector<FoundRun>& all) {
  // Inputs of other names, such as a language model that scores text, count by their own inputs.
  for (const auto& [name, folder] : score.inputs) {
    const FoundRun* input = find_input(folder, all);
    if (input == nullptr) continue;
    // "model", or "model@KEY" for candidates of a selection.
    if (name.substr(0, name.find('@')) == "model" && input->identity == run.identity) return true;
    if (scores_run(*input, run, all)) return true;
  }
  return false;
}

}  // namespace lvtext
