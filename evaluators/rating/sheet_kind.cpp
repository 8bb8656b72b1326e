#include "evaluators/rating/sheet_kind.h"

#include <stdexcept>

namespace lvtext {
namespace {

constexpr const char* kEvalAll =
    "Cifka, Severyn, Alfonseca and Filippova 2018, https://arxiv.org/abs/1804.07972";

Aspect fluency() {
  return {"fluency",
          "How fluent is the text?",
          1,
          5,
          {{1, "gibberish"},
           {3, "understandable but ungrammatical"},
           {5, "natural and understandable"}}};
}

Aspect relevance() {
  return {"relevance",
          "How well does the text say what the source says?",
          1,
          5,
          {{1, "unrelated"}, {3, "reasonable paraphrase"}, {5, "identical or equivalent"}}};
}

Registry<SheetKind> make_kinds() {
  Registry<SheetKind> kinds("rating sheet");
  const auto add = [&kinds](const SheetKind& kind) { kinds.add(kind.name, kind); };
  add({"sampling",
       "how fluent sentences are that models draw from their priors",
       kEvalAll,
       RatedText::kSamples,
       {"text"},
       {fluency()},
       "fluency"});
  add({"reconstruction",
       "how fluent reconstructions of test sentences are, and how relevant",
       kEvalAll,
       RatedText::kReconstructions,
       {"source", "text"},
       {fluency(), relevance()},
       "relevance"});
  return kinds;
}

}  // namespace

std::string Aspect::scale() const {
  std::vector<std::string> parts;
  for (const auto& [value, meaning] : anchors) {
    parts.push_back(std::to_string(value) + " " + meaning);
  }
  return join(parts);
}

const Aspect& SheetKind::aspect(const std::string& id) const {
  for (const Aspect& each : aspects) {
    if (each.id == id) return each;
  }
  throw std::out_of_range("the rating sheet " + name + " has no aspect " + id);
}

const Registry<SheetKind>& sheet_kinds() {
  static const Registry<SheetKind> kinds = make_kinds();
  return kinds;
}

}  // namespace lvtext
