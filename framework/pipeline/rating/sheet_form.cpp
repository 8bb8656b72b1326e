#include "framework/pipeline/rating/sheet_form.h"

#include <nlohmann/json.hpp>

#include "framework/core/base/hash.h"
#include "framework/pipeline/rating/form/embedded.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/page/embedded.h"
#include "framework/pipeline/report/template.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

// Invalid UTF-8, which a byte-level tokenizer can produce, becomes U+FFFD; "<" is escaped because
// "</script>" would end the element.
std::string embedded(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

Json sheet_json(const Sheet& sheet) {
  Json aspects = Json::array();
  for (const Aspect& aspect : sheet.kind.aspects) {
    aspects.push_back({{"id", aspect.id},
                       {"lowest", aspect.lowest},
                       {"highest", aspect.highest},
                       {"choices", aspect.choices}});
  }
  Json items = Json::array();
  for (const RatedItem& item : sheet.items) {
    Json entry = Json::array({item.id});
    for (const std::string& text : item.texts) entry.push_back(text);
    items.push_back(entry);
  }
  Json pictures = Json::object();
  for (const auto& [name, picture] : sheet.pictures) pictures[name] = png_link(picture);
  const std::string id = sha256(items.dump(-1, ' ', false, Json::error_handler_t::replace));
  return {{"id", id.substr(0, 12)}, {"kind", sheet.kind.name}, {"shown", sheet.kind.columns()},
          {"aspects", aspects},     {"items", items},          {"pictures", pictures}};
}

std::string aspect_fields(const Aspect& aspect) {
  std::string out = "<fieldset id=\"aspect-" + aspect.id + "\"><legend>" +
                    escape_html(aspect.question) + "</legend>\n<div class=\"scale\">";
  for (int value = aspect.lowest; value <= aspect.highest; ++value) {
    const std::string number = std::to_string(value);
    std::string meaning = aspect.choices.empty() ? "" : escape_html(aspect.answer_text(value));
    for (const auto& [anchor, text] : aspect.anchors) {
      if (anchor == value) meaning = escape_html(text);
    }
    if (!meaning.empty()) meaning = " <span class=\"meaning\">" + meaning + "</span>";
    out += "<label><input type=\"radio\" name=\"" + aspect.id + "\" value=\"" + number + "\"> " +
           number + meaning + "</label>\n";
  }
  return out + "</div></fieldset>\n";
}

/// HTML elements for the texts and pictures of an item.
std::string text_boxes(const SheetKind& kind) {
  std::string out;
  for (const std::string& column : kind.columns()) {
    out += "<h2>" + escape_html(column) + "</h2>\n";
    if (kind.has_pictures(column)) {
      out += "<p class=\"text\"><img class=\"picture\" id=\"text-" + column + "\" alt=\"\"></p>\n";
      continue;
    }
    out += "<p class=\"text\" id=\"text-" + column + "\" aria-live=\"polite\"></p>\n";
  }
  return out;
}

/// A table of the examples with their answers; empty without examples.
std::string example_table(const SheetKind& kind, const std::vector<RatedExample>& examples) {
  if (examples.empty()) return "";
  std::vector<std::string> header = kind.columns();
  for (const Aspect& aspect : kind.aspects) header.push_back(aspect.id);
  const auto row = [](const std::vector<std::string>& cells, const std::string& tag) {
    std::string out = "<tr>";
    for (const std::string& cell : cells) {
      out += "<" + tag + ">" + escape_html(cell) + "</" + tag + ">";
    }
    return out + "</tr>\n";
  };
  std::string out =
      "<details open><summary>Examples with their answers</summary>\n<table>\n" + row(header, "th");
  for (const RatedExample& example : examples) {
    std::vector<std::string> cells = example.texts;
    for (size_t i = 0; i < kind.aspects.size(); ++i) {
      cells.push_back(kind.aspects[i].answer_text(example.answers[i]));
    }
    out += row(cells, "td");
  }
  return out + "</table>\n</details>\n";
}

}  // namespace

std::string sheet_form(const Sheet& sheet, const std::vector<RatedExample>& examples) {
  const SheetKind& kind = sheet.kind;
  const Aspect& first = kind.aspects.front();
  std::string aspects;
  for (const Aspect& aspect : kind.aspects) aspects += aspect_fields(aspect);
  std::string style(kColorsCss);
  style.append(kBaseCss).append(kFormCss);
  return fill_template(kFormHtml, {{"kind", escape_html(kind.name)},
                                   {"style", style},
                                   {"lowest", std::to_string(first.lowest)},
                                   {"highest", std::to_string(first.highest)},
                                   {"examples", example_table(kind, examples)},
                                   {"texts", text_boxes(kind)},
                                   {"aspects", aspects},
                                   {"sheet", embedded(sheet_json(sheet))},
                                   {"script", std::string(kFormJs)}});
}

}  // namespace lvtext
