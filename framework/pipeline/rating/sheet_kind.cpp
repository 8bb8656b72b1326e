#include "framework/pipeline/rating/sheet_kind.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"

namespace lvtext {

std::string Aspect::scale() const {
  std::vector<std::string> parts;
  for (const auto& [value, meaning] : anchors) {
    parts.push_back(std::to_string(value) + " " + meaning);
  }
  return join(parts);
}

std::string Aspect::answer_text(int answer) const {
  return choices.empty() ? std::to_string(answer)
                         : choices.at(static_cast<size_t>(answer - lowest));
}

std::optional<int> Aspect::answer_of(const std::string& text) const {
  if (!choices.empty()) {
    const auto found = std::find(choices.begin(), choices.end(), ascii_lower(text));
    if (found == choices.end()) return std::nullopt;
    return lowest + static_cast<int>(found - choices.begin());
  }
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, failed] = std::from_chars(text.data(), end, number);
  const bool is_allowed =
      failed == std::errc() && parsed == end && number >= lowest && number <= highest;
  return is_allowed ? std::optional(number) : std::nullopt;
}

std::string Aspect::allowed() const {
  if (!choices.empty()) return join(choices);
  return "whole numbers from " + std::to_string(lowest) + " to " + std::to_string(highest);
}

Aspect choice_aspect(std::string id, std::string question, std::vector<std::string> choices) {
  const int count = static_cast<int>(choices.size());
  return {.id = std::move(id),
          .question = std::move(question),
          .lowest = 1,
          .highest = count,
          .choices = std::move(choices)};
}

Aspect comparison_aspect(std::string id, std::string question, bool allows_tie) {
  std::vector<std::string> choices = {"a", "b"};
  if (allows_tie) choices.emplace_back("tie");
  Aspect aspect = choice_aspect(std::move(id), std::move(question), std::move(choices));
  aspect.of_texts = true;
  return aspect;
}

std::vector<std::string> SheetKind::columns() const {
  std::vector<std::string> columns = shown;
  if (compared == 1) return columns;
  columns.pop_back();
  columns.insert(columns.end(), {"a", "b"});
  return columns;
}

bool SheetKind::has_pictures(const std::string& column) const {
  const auto of = [this](const std::string& name) {
    return std::find(pictures.begin(), pictures.end(), name) != pictures.end();
  };
  const bool is_compared = compared > 1 && (column == "a" || column == "b");
  return of(is_compared ? shown.back() : column);
}

const Aspect& SheetKind::aspect(const std::string& id) const {
  for (const Aspect& each : aspects) {
    if (each.id == id) return each;
  }
  throw std::out_of_range("the rating sheet " + name + " has no aspect " + id);
}

}  // namespace lvtext
