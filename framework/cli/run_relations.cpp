#include "framework/cli/run_relations.h"

namespace lvtext {
namespace {

const FoundRun* input_of(const FoundRun& run, const char* slot, const std::vector<FoundRun>& all) {
  const auto input = run.inputs.find(slot);
  return input == run.inputs.end() ? nullptr : find_input(input->second, all);
}

}  // namespace

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
    if (!other.finished()) continue;
    for (const auto& [slot, folder] : other.inputs) {
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
  const auto is_made_by = [&](const FoundRun* node) {
    const FoundRun* model = node ? input_of(*node, "model", all) : nullptr;
    return model != nullptr && model->identity == run.identity;
  };
  if (is_made_by(&score)) return true;
  for (const char* slot : {"samples", "reconstructions"}) {
    if (is_made_by(input_of(score, slot, all))) return true;
  }
  const FoundRun* language_model = input_of(score, "language_model", all);
  return language_model != nullptr && is_made_by(input_of(*language_model, "train", all));
}

}  // namespace lvtext
