#include "framework/pipeline/check/names.h"

#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/figures/figure_kind.h"

namespace lvtext {
namespace {

/// Looks up a reference in `names`; `what`: "a row of this recipe". `form`: hint for other values.
std::optional<Found> find_in(const EntryNames& names, const Node& written, const std::string& what,
                             const std::string& form, const std::string& path, Errors& errors) {
  if (!written.is_scalar()) {
    errors.add(written.location(), path + ": a list or mapping is not " + what, form);
    return std::nullopt;
  }
  const auto reference = parse_reference(written.text());
  const Named named = reference ? names.match(*reference) : Named{};
  if (reference && named.problem.empty()) return Found{*reference, named.ids, named.removed};
  errors.add(written.location(), path + ": " + shown(written.text()) + " is not " + what,
             !reference                  ? suggestion(written.text(), names.ids())
             : reference->values.empty() ? named.hint
                                         : named.problem + ": " + named.hint);
  return std::nullopt;
}

}  // namespace

const Component* find_component(const Registry<Component>& registry, const std::string& name,
                                const SourceLocation& location, Errors& errors) {
  const Component* found = registry.find(name);
  if (!found) {
    errors.add(location, registry.unknown_message(name), registry.known_message(name));
  }
  return found;
}

Names::Names(const CheckContext& context) : context_(context) {
  const Recipe& recipe = context.recipe;
  for (const auto& id : recipe.rows()) rows_.add(id);
  for (const auto& [id, reason] : recipe.removed_rows()) rows_.add_removed(id, reason);
  rows_and_selects_ = rows_;
  for (const auto& id : keys_of(recipe.options.select)) {
    selects_.add(id);
    if (!chooses_checkpoints(id)) rows_and_selects_.add(id);
  }
  for (const auto& id : keys_of(recipe.options.evaluate)) metrics_.add(id);
  for (const auto& [id, reason] : recipe.removed_metrics()) metrics_.add_removed(id, reason);
}

std::optional<Found> Names::rows(const Node& written, const std::string& path,
                                 bool with_selects) const {
  const EntryNames& allowed = with_selects ? rows_and_selects_ : rows_;
  const auto reference = written.is_scalar() ? parse_reference(written.text()) : std::nullopt;
  const auto is_in = [&](const EntryNames& names) {
    return reference && !names.match(*reference).ids.empty();
  };
  if (is_in(selects_) && !is_in(allowed)) {
    context_.errors.add(
        written.location(), path + ": " + shown(written.text()) + " is a select, not a row",
        with_selects ? "it chooses checkpoints: `choose` of tables, figures and sheets"
                     : "name the rows among which it chooses");
    return std::nullopt;
  }
  auto found = find_in(allowed, written, "a row of this recipe",
                       "ids of rows and patterns, such as \"ae[*]\"", path, context_.errors);
  if (!found || (found->reference.part.empty() && found->reference.at.empty())) return found;
  context_.errors.add(written.location(),
                      path + ": " + shown(written.text()) + " is a part of a row, not a row",
                      "write " + found->reference.entry() +
                          (found->reference.at.empty()
                               ? ""
                               : "; tables, figures and sheets have `choose` for a checkpoint"));
  return std::nullopt;
}

std::vector<Found> Names::each_rows(const Node& list, const std::string& path,
                                    bool with_selects) const {
  std::vector<Found> all;
  for (const Node& item : listed(list)) {
    if (auto found = rows(item, path, with_selects)) all.push_back(std::move(*found));
  }
  return all;
}

std::optional<Found> Names::metrics(const Node& written, const std::string& path) const {
  auto found = find_in(metrics_, written, "a metric of `evaluate`",
                       "ids of metrics, such as bleu or nll.nats_per_token", path, context_.errors);
  if (!found) return found;
  if (!found->reference.at.empty()) {
    context_.errors.add(written.location(),
                        path + ": " + shown(written.text()) + " names a checkpoint of a metric",
                        "tables, figures and sheets have `choose` for a checkpoint");
    return std::nullopt;
  }
  for (const auto& id : found->ids) {
    check_score(id, found->reference.part, written.location(), path);
  }
  return found;
}

std::optional<Found> Names::one_metric(const Node& written, const std::string& path) const {
  auto found = metrics(written, path);
  if (!found || found->ids.size() == 1) return found;
  context_.errors.add(written.location(),
                      path + ": " + shown(written.text()) +
                          (found->ids.empty() ? " is not run: " + found->removed.front()
                                              : " names several metrics"),
                      "one metric of `evaluate`");
  return std::nullopt;
}

bool Names::check_score(const std::string& metric, const std::string& score,
                        const SourceLocation& location, const std::string& path) const {
  const Node* entry = context_.recipe.options.evaluate.find(metric);
  const Node* name = entry ? entry->find("evaluator") : nullptr;
  const Component* evaluator = name ? context_.registries.evaluators.find(name->text()) : nullptr;
  if (!evaluator || score.empty()) return true;  // unknown evaluators are reported elsewhere
  const std::vector<std::string> scores = evaluator->score_ids();
  if (contains(scores, score)) return true;
  context_.errors.add(location,
                      path + ": " + evaluator->about.name + " has no score '" + score + "'",
                      suggestion(score, scores));
  return false;
}

bool Names::chooses_checkpoints(const std::string& id) const {
  const Node* select = context_.recipe.options.select.find(id);
  const Node* among = select ? select->find("among") : nullptr;
  return among && among->is_scalar() && among->text() == kKeptCheckpoints;
}

std::vector<std::string> Names::rows_of_model(const std::string& id) const {
  const RecipeOptions& options = context_.recipe.options;
  if (options.rows.entries().empty()) {
    return options.models.find(id) ? std::vector{id} : std::vector<std::string>();
  }
  std::vector<std::string> rows;
  for (const Node::Entry& row : options.rows.entries()) {
    const Node* model = row.value.find("model");
    if (model && model->is_scalar() && model->text() == id) rows.push_back(row.key);
  }
  return rows;
}

std::vector<std::string> all_ids(const std::vector<Found>& found) {
  std::vector<std::string> ids;
  for (const Found& each : found) ids.insert(ids.end(), each.ids.begin(), each.ids.end());
  return ids;
}

}  // namespace lvtext
